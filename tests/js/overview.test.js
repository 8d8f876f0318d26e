import assert from "node:assert/strict";
import { test } from "node:test";
import { drawOverview } from "../../explorer/components/matrices/overview.js";
import { cellUnder } from "../../explorer/components/shared/heatmap.js";
import { canvas } from "./canvas.js";

const LOOK = { text: "#111111", font: "serif", grid: "#11111126", primary: "#0000ff" };
const STOPS = [
  [0, "#ffffff"],
  [1, "#0000ff"],
];
const TABLE = { value: () => 1, stops: STOPS, low: 0, high: 1, masked: { cell: "#d2d2d2", mark: "#4a4a4a" }, decimals: null };
const NONE = { rows: [], columns: [] };
const NO_ROOM = { left: 0, long: 0, overhang: 0, rise: 0 };

// Draws two layers of three heads; returns the canvas and the places of their cells.
function drawn(changes = {}) {
  const on = canvas();
  const panelOf = (i) => ({ name: `p${i}`, table: { ...TABLE, look: LOOK }, isChosen: i === 4, isCrossed: i === 2 });
  const plan = { across: 3, w: 5, h: 5, gap: 6 };
  const colours = { chosen: "#00f", crossed: "#f0f" };
  const given = { count: 6, size: [4, 7], plan, labels: NONE, room: NO_ROOM, panelOf, look: LOOK, type: 1, colours };
  const grids = drawOverview(on, { ...given, ...changes });
  const of = (name) => on.pen.calls.filter(([called]) => called === name).map(([, ...rest]) => rest);
  return { on, grids, of };
}

test("panels lie in lines, each below its name", () => {
  const { grids, of } = drawn();
  assert.deepEqual(
    grids.map(({ left }) => left - grids[0].left),
    [0, 41, 82, 0, 41, 82],
  );
  assert.ok(grids[3].top > grids[0].top + 4 * 5 && grids[0].top === grids[2].top);
  const names = of("fillText");
  assert.deepEqual(
    names.map(([text]) => text),
    ["p0", "p1", "✂ p2", "p3", "p4", "p5"],
  );
  for (const [i, [, x, y]] of names.entries()) {
    assert.equal(x, grids[i].left);
    assert.ok(y < grids[i].top && (i < 3 || y > grids[i - 3].top + 4 * 5));
  }
  assert.equal(of("strokeRect").length, 1);
  assert.equal(of("stroke").length, 2, "one panel is crossed out");
});

test("small cells of all panels are painted at once, and lines are drawn behind them", () => {
  const panelOf = (i) => ({ name: `p${i}`, table: { ...TABLE, look: LOOK, value: (_row, column) => (column ? NaN : i / 5) } });
  const { on, grids, of } = drawn({ panelOf });
  const [[{ width, data }, x, y], ...more] = of("putImageData");
  assert.deepEqual([x, y, more.length], [0, 0, 0]);
  const at = (left, top) => [...data.slice(4 * (top * width + left), 4 * (top * width + left) + 4)];
  for (const [i, { left, top, w, h }] of grids.entries()) {
    const pale = Math.round(255 - (255 * i) / 5);
    assert.deepEqual(at(left, top), [pale, pale, 255, 255]);
    assert.deepEqual(at(left + w - 1, top + 4 * h - 1), [pale, pale, 255, 255]);
    assert.deepEqual(at(left + w, top), [0xd2, 0xd2, 0xd2, 255], "masked");
    assert.equal(at(left - 1, top)[3], 0, "the page is seen between two panels");
  }
  assert.deepEqual(on.pen.behind, Array(6).fill(true), "a line around each");
  assert.equal(on.pen.globalCompositeOperation, "source-over");
});

test("a place on the canvas is a cell of one panel, or of none", () => {
  const { on, grids } = drawn();
  const at = (x, y) => grids.map((grid) => cellUnder({ clientX: 100 + x, clientY: 50 + y }, on, grid));
  const { left, top } = grids[4];
  const found = at(left + 6, top + 1);
  assert.deepEqual(found[4], { row: 0, column: 1 });
  assert.equal(found.filter(Boolean).length, 1);
  assert.ok(
    at(left - 3, top + 1).every((cell) => cell === null),
    "between two panels",
  );
});

test("labels stand beside the first panel of a line and above the first line", () => {
  const labels = { rows: ["a", "b", "c", "d"], columns: ["e", "f", "g", "h", "i", "j", "k"] };
  const plan = { across: 3, w: 20, h: 20, gap: 6 };
  const { of, grids } = drawn({ labels, plan, room: { left: 15, long: 7, overhang: 4, rise: 5 } });
  const count = (letter) => of("fillText").filter(([text]) => text === letter).length;
  assert.equal(count("a"), 2);
  assert.equal(count("e"), 3);
  assert.equal(grids[0].left, 15 + 3);
});
