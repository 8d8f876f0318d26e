import assert from "node:assert/strict";
import { test } from "node:test";
import { blockWords } from "../../explorer/components/shape_map/block.js";
import { blockAt } from "../../explorer/components/shape_map/keys.js";
import { changedBlocks, changesOf, scaleFor, shapeOf, sideOf } from "../../explorer/components/shape_map/sizes.js";
import { sumOf } from "../../explorer/components/shape_map/sums.js";

const WEIGHTS = [
  ["batch", 1],
  ["head", 4],
  ["query", 9],
  ["key", 36],
];

test("sides are in proportion to the roots of the sizes, on one scale", () => {
  const { width, height } = shapeOf(WEIGHTS, 5);
  assert.deepEqual([width, height], [30, 15]);
  assert.equal(sideOf(64, 3) / sideOf(16, 3), 2);
  assert.equal(sideOf(1, 1.4), 2, "nothing is too small to be seen");
});

test("each head is a sheet, each sequence of the batch another fan of them, the front one last", () => {
  const heads = shapeOf(WEIGHTS, 5).sheets;
  assert.deepEqual(
    heads.map(({ head }) => head),
    [3, 2, 1, 0],
  );
  assert.deepEqual(heads.at(-1), { copy: 0, head: 0, offset: 0 });
  const batch = shapeOf([["batch", 64], ...WEIGHTS.slice(1)], 5);
  assert.equal(batch.sheets.length, 3 * 4, "three sequences stand for many");
  assert.equal(batch.deep, batch.sheets[0].offset);
  assert.equal(
    shapeOf(
      [
        ["src", 6],
        ["d_model", 9],
      ],
      5,
    ).sheets.length,
    1,
  );
  const many = shapeOf(
    [
      ["head", 16],
      ["query", 4],
      ["key", 4],
    ],
    5,
  );
  assert.ok(many.sheets.length === 16 && many.deep <= 22);
});

test("the scale is the largest at which everything fits", () => {
  const blocks = [
    { axes: WEIGHTS },
    {
      axes: [
        ["batch", 1],
        ["tgt", 9],
        ["vocab", 1600],
      ],
    },
  ];
  for (const width of [60, 100, 180, 240, 400]) {
    const scale = scaleFor(blocks, width, 66);
    assert.ok(40 * scale <= width || scale === 1.4);
  }
  assert.ok(scaleFor(blocks, 400, 66) > scaleFor(blocks, 100, 66));
  assert.ok(Math.sqrt(9) * scaleFor(blocks, 400, 12) <= 12);
});

test("what has grown or shrunk since the last setting", () => {
  const before = [
    ["head", 4],
    ["query", 9],
    ["d_k", 22],
  ];
  assert.deepEqual(
    changesOf(before, [
      ["head", 2],
      ["query", 9],
      ["d_k", 44],
    ]),
    [
      { name: "head", before: 4, now: 2 },
      { name: "d_k", before: 22, now: 44 },
    ],
  );
  assert.deepEqual(changesOf([], before), [], "what was not there has not grown");
});

test("blocks are compared with themselves, whichever layer is unfolded", () => {
  const q = (layer, width) => ({
    id: `encoder.${layer}.self_attn.q`,
    axes: [
      ["query", 6],
      ["d_k", width],
    ],
  });
  const memory = { id: "memory", axes: [["src", 6]] };
  const changed = changedBlocks([q(0, 22), memory], [q(1, 24), memory, { id: "new", axes: [["d_k", 3]] }]);
  assert.deepEqual([...changed], [["encoder.1.self_attn.q", [{ name: "d_k", before: 22, now: 24 }]]]);
});

test("a block says its name, its axes and what has changed", () => {
  const texts = {
    axis: "{name} {size}",
    block: "{name}: {axes}",
    grew: "{name} {before} up {now}",
    shrank: "{name} down",
    separator: "; ",
  };
  const block = {
    id: "a.0.q",
    axes: [
      ["head", 2],
      ["query", 9],
    ],
  };
  assert.equal(blockWords(block, [], texts), "a.0.q: head 2; query 9");
  const changes = [
    { name: "query", before: 6, now: 9 },
    { name: "head", before: 4, now: 2 },
  ];
  assert.equal(blockWords(block, changes, texts), "a.0.q: head 2; query 9; query 6 up 9; head down");
});

// Two lines of three and two blocks, and a line in another column beside them.
const box = (left, top) => ({ left, right: left + 40, top, bottom: top + 30 });
const BOXES = [box(0, 0), box(50, 0), box(100, 0), box(0, 40), box(60, 40), box(300, 40)];

test("arrow keys lead on and back, and up and down to the nearest block", () => {
  const to = (key, from) => blockAt(key, from, BOXES);
  assert.deepEqual([to("ArrowRight", 0), to("ArrowLeft", 3), to("ArrowRight", 5), to("ArrowLeft", 0)], [1, 2, null, null]);
  assert.deepEqual([to("ArrowDown", 0), to("ArrowDown", 2), to("ArrowUp", 4), to("ArrowUp", 0)], [3, 4, 1, null]);
  assert.deepEqual([to("Home", 4), to("End", 0), to("x", 0)], [0, 5, null]);
});

test("the shares of a sum are those of all layers, and add up", () => {
  const group = (id, n) => ({ id, tone: "feed", in_all: { bytes: n } });
  const columns = [
    { stack: "encoder", groups: [group("e.a", 1200), group("e.b", 34)] },
    { stack: "decoder", groups: [group("d.a", 5)] },
  ];
  const texts = {
    totals: { bytes: ["memory", "{n} bytes"] },
    groups: { "e.a": "A", "e.b": "B", "d.a": "A" },
    stacks: { encoder: "left", decoder: "right" },
    part: "{stack} {part}",
  };
  const { title, total, shares } = sumOf("bytes", columns, texts);
  assert.deepEqual([title, total], ["memory", "1,239 bytes"]);
  assert.deepEqual(
    shares.map(({ words }) => words),
    ["left A: 1,200 bytes", "left B: 34 bytes", "right A: 5 bytes"],
  );
});
