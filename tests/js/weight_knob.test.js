import assert from "node:assert/strict";
import { test } from "node:test";

import { nearest, placeOf, settingWith, valueAt, valueText } from "../../explorer/components/weight_knob/scale.js";

test("the slider of a weight is finer in the middle, and says two digits", () => {
  assert.deepEqual(
    [-1, -0.5, 0, 0.13, 0.5, 1].map((place) => valueAt(place, 100)),
    [-100, -13, 0, 0.22, 13, 100],
  );
  for (const value of [-100, -1.3, 0, 0.25, 40]) assert.ok(Math.abs(100 * placeOf(value, 100) ** 3 - value) < 1e-9);
  assert.deepEqual([placeOf(900, 100), placeOf(-900, 100)], [1, -1]);
});

test("a weight is written as the server does", () => {
  assert.deepEqual(
    [0.1, -7.5, 100, 1e-9, -1e-9, 0.00012, 1 / 3].map((value) => valueText(value, 4)),
    ["0.1", "-7.5", "100", "0", "0", "0.0001", "0.3333"],
  );
});

test("a changed weight follows the others, and one at the value that it has learned is not changed", () => {
  const weight = { place: "output.weight:3-5", learned: -0.25, others: "decoder_norm.weight:0:2", decimals: 4 };
  assert.equal(settingWith(8, weight), "decoder_norm.weight:0:2,output.weight:3-5:8");
  assert.equal(settingWith(-0.250001, weight), "decoder_norm.weight:0:2");
  assert.equal(settingWith(8, { ...weight, others: "" }), "output.weight:3-5:8");
  assert.equal(settingWith(-0.25, { ...weight, others: "" }), "");
});

test("what is typed becomes the nearest place that is shown", () => {
  assert.deepEqual(
    [-4, 23, 30, 900].map((typed) => nearest(typed, [22, 23, 24])),
    [22, 23, 24, 24],
  );
});
