import assert from "node:assert/strict";
import { test } from "node:test";
import { clamp, fill, penOn, range } from "../../explorer/components/shared/dom.js";
import { canvas } from "./canvas.js";

test("fill puts values into their places, in any order and as often as they stand there", () => {
  assert.equal(fill("{b} of {a}, {b}", { a: 7, b: "x" }), "x of 7, x");
  assert.equal(fill("“{word}” 0 {n}", { word: "{n}", n: 0 }), "“{n}” 0 0", "what is filled in is not filled in again");
  assert.equal(fill("{given} and {missing}", { given: 1 }), "1 and {missing}", "what is missing can be seen");
});

test("clamp and range", () => {
  assert.deepEqual([clamp(2, 1, 9), clamp(2, 5, 9), clamp(2, 11, 9)], [2, 5, 9]);
  assert.deepEqual(range(3), [0, 1, 2]);
});

test("a pen draws in CSS pixels, on a canvas as sharp as the screen and no larger than browsers draw", (t) => {
  globalThis.devicePixelRatio = 2;
  t.after(() => delete globalThis.devicePixelRatio);
  const sharp = canvas();
  penOn(sharp, 30, 20.4);
  assert.deepEqual([sharp.width, sharp.height, sharp.style], [60, 41, { width: "30px", height: "20.4px" }]);
  assert.deepEqual(sharp.pen.calls[0], ["setTransform", 2, 0, 0, 2, 0, 0]);
  const long = canvas();
  penOn(long, 32_000, 10);
  assert.deepEqual([long.width, long.style.width], [16_000, "32000px"]);
});
