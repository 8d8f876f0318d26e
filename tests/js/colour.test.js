import assert from "node:assert/strict";
import { test } from "node:test";
import { inkOn, luminance, rgb, scaleOf } from "../../explorer/components/shared/colour.js";

const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);

test("luminance is that of WCAG 2", () => {
  assert.deepEqual(rgb("#0072B2"), [0, 114, 178]);
  assert.equal(luminance([0, 0, 0]), 0);
  assert.ok(Math.abs(luminance([255, 255, 255]) - 1) < 1e-12);
  assert.ok(Math.abs(luminance([255, 0, 0]) - 0.2126) < 1e-12);
});

test("the ink is the one that can be read better", () => {
  for (let i = 0; i < 300; i++) {
    const colour = [0, 1, 2].map(() => Math.floor(256 * Math.random()));
    const [black, white] = [0, 1].map((ink) => contrast(luminance(colour), ink));
    if (Math.abs(black - white) < 0.1) continue;
    assert.equal(inkOn(colour), black > white ? "#000" : "#fff", String(colour));
  }
});

test("a scale goes through its stops, and is made once", () => {
  const stops = [
    [0, "#000000"],
    [0.2, "#ff0000"],
    [1, "#ff8844"],
  ];
  const scale = scaleOf(stops);
  assert.equal(scale.length, 256);
  assert.deepEqual(
    [scale[0], scale[255]],
    [
      ["rgb(0,0,0)", "#fff"],
      ["rgb(255,136,68)", "#000"],
    ],
  );
  assert.equal(scale[51][0], "rgb(255,0,0)"); // a fifth of 255
  assert.equal(scale[153][0], "rgb(255,68,34)"); // half way on to the end
  assert.equal(scaleOf(structuredClone(stops)), scale);
});
