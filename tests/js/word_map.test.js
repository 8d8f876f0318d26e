// The pure parts of the map of words: the turn, the layout of both maps, the labels.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  between,
  boxOf,
  diamonds,
  dots,
  labelled,
  nearestTo,
  orderOf,
  phases,
  placed,
  segments,
} from "../../explorer/components/word_map/layout.js";

test("the second map is turned before both lie on each other", () => {
  assert.deepEqual(phases(0), { turn: 0, slide: 0 });
  assert.deepEqual(phases(1), { turn: 1, slide: 1 });
  assert.deepEqual([phases(0.4).slide, phases(0.7).turn], [0, 1]);
  const ways = [0, 0.2, 0.4, 0.6, 0.8, 1].map(phases);
  for (const name of ["turn", "slide"])
    assert.ok(
      ways.every((each, i) => !i || each[name] >= ways[i - 1][name]),
      name,
    );
});

test("a word goes straight from one frame to the next", () => {
  const frames = [
    [0, 0, 5, 5],
    [1, 2, 5, 6],
    [3, 2, 5, 8],
  ];
  assert.deepEqual(between(frames, 0, 0), [0, 0]);
  assert.deepEqual(between(frames, 0.25, 0), [0.5, 1]);
  assert.deepEqual(between(frames, 0.75, 1), [5, 7]);
  assert.deepEqual(between(frames, 1, 1), [5, 8]);
  assert.deepEqual(between(frames, 7, 0), [3, 2]);
});

test("the box of points has a size even where all are one", () => {
  assert.deepEqual(
    boxOf([
      [-1, 2, 3, 4],
      [0, 8],
    ]),
    { middle: [1, 5], half: [2, 3] },
  );
  const { middle, half } = boxOf([[1, 1]]);
  assert.deepEqual(middle, [1, 1]);
  assert.ok(half.every((each) => each > 0));
});

test("maps lie side by side, on a phone one above the other, and on each other once they have slid", () => {
  const box = { middle: [0, 0], half: [1, 1] };
  const wide = placed(1000, 400, box, [0, 0], 0);
  assert.deepEqual(
    [wide.source, wide.target],
    [
      [250, 200],
      [750, 200],
    ],
  );
  const phone = placed(360, 600, box, [0, 0], 0);
  assert.deepEqual(
    [phone.source, phone.target],
    [
      [180, 150],
      [180, 450],
    ],
  );
  for (const [width, height] of [
    [1000, 400],
    [360, 600],
  ]) {
    const { source, target } = placed(width, height, box, [0, 0], 1);
    assert.deepEqual(
      [source, target],
      [
        [width / 2, height / 2],
        [width / 2, height / 2],
      ],
    );
  }
});

test("all words are within their map, and no axis is stretched by more than 1.6", () => {
  const box = { middle: [3, -2], half: [2, 5] };
  for (const slide of [0, 1]) {
    const { source, scale } = placed(1200, 500, box, [40, 30], slide);
    const ends = (axis) => [-1, 1].map((side) => source[axis] + scale[axis] * (box.middle[axis] + side * box.half[axis]));
    const room = slide ? [1200, 500] : [600, 500];
    for (const axis of [0, 1])
      assert.ok(ends(axis)[0] >= [40, 30][axis] - 1e-9 && ends(axis)[1] <= room[axis] - [40, 30][axis] + 1e-9);
    assert.ok(Math.max(scale[0] / scale[1], scale[1] / scale[0]) <= 1.6 + 1e-9);
  }
});

test("labels stand beside their dots, and none on another", () => {
  const alone = labelled([[50, 50]], [30], [200, 100], [0]);
  assert.deepEqual(alone, [[9, 0]]);
  const atTheEdge = labelled([[190, 50]], [30], [200, 100], [0]);
  assert.deepEqual(atTheEdge, [[-39, 0]]);
  const two = labelled(
    [
      [50, 50],
      [60, 50],
    ],
    [30, 30],
    [200, 100],
    [0, 1],
  );
  assert.deepEqual(
    two,
    [
      [-39, 0],
      [9, 0],
    ],
    "the first one's label would lie on the second dot",
  );
  const packed = [
    [50, 50],
    [52, 48],
    [54, 52],
    [48, 52],
    [50, 46],
    [56, 50],
  ];
  const found = labelled(
    packed,
    packed.map(() => 40),
    [100, 100],
    [5, 0, 1, 2, 3, 4],
  );
  assert.ok(found[5] && found.filter(Boolean).length < packed.length, "the first has room, not all");
});

test("a chosen word's label may lie on other dots", () => {
  const ring = [
    [50, 50],
    [70, 50],
    [30, 50],
    [50, 35],
    [50, 65],
  ];
  assert.equal(labelled(ring, [30, 1, 1, 1, 1], [100, 100], [0])[0], null);
  assert.deepEqual(labelled(ring, [30, 1, 1, 1, 1], [100, 100], [0], new Set([0]))[0], [9, 0]);
});

test("each kind gets a label before any gets its second", () => {
  assert.deepEqual(orderOf([0, 0, 1, 0, 2, 1]), [0, 2, 4, 1, 5, 3]);
});

test("a press takes the nearest word, and none that is far", () => {
  const points = [
    [0, 0],
    [10, 0],
    [10, 4],
  ];
  assert.equal(nearestTo([9, 1], points, 20), 1);
  assert.equal(nearestTo([40, 0], points, 20), -1);
  assert.equal(nearestTo([10, 3], points, 20), 2);
});

test("marks and lines are one path each", () => {
  assert.equal(
    segments([
      [
        [0, 1],
        [2, 3.456],
      ],
      [
        [4, 5],
        [6, 7],
      ],
    ]),
    "M0.0 1.0L2.0 3.5M4.0 5.0L6.0 7.0",
  );
  assert.equal(diamonds([[10, 20]], 5), "M10.0 15.0l5 5l-5 5l-5 -5Z");
  assert.equal(
    dots(
      [
        [10, 20],
        [1, 1],
      ],
      5,
    ).match(/M/g).length,
    2,
  );
  assert.ok(dots([[10, 20]], 5).startsWith("M5.0 20.0a5 5 "));
});
