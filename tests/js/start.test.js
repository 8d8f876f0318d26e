// The first screen: where words and lines are, and which word takes which place.

import assert from "node:assert/strict";
import { test } from "node:test";
import { curve, pathOf, pointAt, split } from "../../explorer/components/shared/curves.js";
import { alignment, broken } from "../../explorer/components/start/places.js";

const stage = (clientWidth, clientHeight) => ({ clientWidth, clientHeight, closest: () => null });
const wide = stage(1000, 400);
const narrow = stage(360, 330);

test("words that stay keep their places, and those that change take the places of others", () => {
  const old = ["le", "chat", "noir", "dort", "sur", "le", "lit"];
  assert.deepEqual(alignment(old, ["le", "lit", "noir", "dort", "sur", "le", "lit"]), [0, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual(alignment(old, ["le", "chat", "dort", "sur", "le", "lit"]), [0, 1, 3, 4, 5, 6]);
  assert.deepEqual(alignment(old, ["le", "chat", "noir", "dort"]), [0, 1, 2, 3]);
  assert.deepEqual(alignment(old, []), []);
});

test("an answer with more words has no place for one of them: all are laid out anew", () => {
  assert.equal(alignment(["mon", "frère"], ["mon", "mon", "frère"]), null);
});

test("a line leaves the answer upwards and meets the source from below; on a phone from side to side", () => {
  const [from, , , to] = curve({ x: 100, y: 300, size: 50 }, { x: 400, y: 30, size: 50 }, wide);
  assert.deepEqual(
    [from, to],
    [
      [100, 260],
      [400, 68],
    ],
  );
  const [left, , , right] = curve({ x: 200, y: 100, size: 30 }, { x: 120, y: 40, size: 30 }, narrow);
  assert.deepEqual(
    [left, right],
    [
      [188, 100],
      [132, 40],
    ],
  );
});

test("a curve is split where it is cut: both halves meet there", () => {
  const points = curve({ x: 0, y: 300, size: 50 }, { x: 400, y: 30, size: 50 }, wide);
  const [low, high] = split(points, 0.3);
  assert.deepEqual([low[0], high[3]], [points[0], points[3]]);
  assert.deepEqual(low[3], high[0]);
  assert.deepEqual(pointAt(points, 0.3), low[3]);
  assert.match(pathOf(points), /^M0\.0 260\.0C/);
});

test("a sentence that is too long for a row goes on in others of about the same width", () => {
  assert.deepEqual(broken([1, 1, 1, 1], 1), [[0, 1, 2, 3]]);
  assert.deepEqual(broken([1, 1, 1, 1], 2), [
    [0, 1],
    [2, 3],
  ]);
  assert.deepEqual(broken([4, 1, 1, 1], 2), [[0], [1, 2, 3]]);
  assert.deepEqual(broken([1], 3), [[0]]);
});
