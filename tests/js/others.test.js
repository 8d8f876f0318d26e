// The pure parts of the other views.

import assert from "node:assert/strict";
import { test } from "node:test";
import { dressed } from "../../explorer/components/plot/view.js";
import { wayOf } from "../../explorer/components/slides/view.js";

const DARK = { dark: true, text: "#eeeeee", grid: "#eeeeee26", font: "serif" };
const LIGHT = { ...DARK, dark: false, text: "#111111" };

test("a plot is dressed for its theme and its width", () => {
  const figure = () => ({
    data: [{ colorscale: "a" }],
    layout: {
      xaxis: { title: "x" },
      yaxis2: { gridcolor: "own" },
      meta: { dark: { "data.0.colorscale": "b" }, narrow: { "layout.margin.l": 2 } },
    },
  });
  const wide = dressed(figure(), LIGHT, false);
  assert.deepEqual([wide.data[0].colorscale, wide.layout.margin, wide.layout.font.color], ["a", undefined, "#111111"]);
  assert.deepEqual([wide.layout.xaxis.gridcolor, wide.layout.yaxis2.gridcolor], [LIGHT.grid, "own"]);
  const phone = dressed(figure(), DARK, true);
  assert.deepEqual([phone.data[0].colorscale, phone.layout.margin.l, phone.layout.font.color], ["b", 2, "#eeeeee"]);
  assert.ok(phone.layout.font.size < wide.layout.font.size);
});

test("keys lead through a story unless they belong to somebody else", () => {
  const press = (key, more) => wayOf({ key, target: {}, ...more });
  assert.deepEqual(
    ["ArrowRight", "PageDown", "ArrowLeft", "PageUp", "ArrowUp", "x"].map((key) => press(key)),
    [1, 1, -1, -1, 0, 0],
  );
  assert.equal(press("ArrowRight", { ctrlKey: true }), 0);
  assert.equal(press("ArrowRight", { defaultPrevented: true }), 0);
  const within = (selector) => ({ target: { closest: (given) => given.includes(selector) || null } });
  assert.equal(press("ArrowRight", within("textarea")), 0);
  assert.equal(press("PageDown", within("input")), 1); // a clicker's key
  assert.equal(press("ArrowRight", within("no such thing")), 1);
});
