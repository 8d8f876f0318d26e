import assert from "node:assert/strict";
import { test } from "node:test";
import { cellUnder, heatmap, shortened, signedScale, written } from "../../explorer/components/shared/heatmap.js";
import { canvas } from "./canvas.js";

const LIGHT = { text: "#111111", font: "serif", grid: "#11111126" };
const MASKED = { cell: "#d2d2d2", mark: "#4a4a4a" };
const STOPS = [
  [0, "#ffffff"],
  [1, "#0000ff"],
];

// Draws these numbers; returns the canvas, the grid and the fills: cells and texts.
function drawn(numbers, changes = {}) {
  const on = canvas();
  const size = [numbers.length, numbers[0].length];
  const table = { value: (i, j) => numbers[i][j], size, rows: [], columns: [], stops: STOPS, low: 0, high: 1 };
  const grid = heatmap(on, { ...table, masked: MASKED, look: LIGHT, room: 600, cell: [3, 46, null], decimals: 2, ...changes });
  const of = (name) => on.pen.calls.filter(([called]) => called === name).map(([, ...given]) => given);
  const [ground, ...cells] = of("fillRect");
  return { on, grid, ground, cells, texts: of("fillText") };
}

test("cells are square, but few rows have room for their labels, however many columns there are", () => {
  const of = (down, across, rows) =>
    drawn(Array(down).fill(Array(across).fill(1)), { rows: rows ? Array(down).fill("x") : [] }).grid;
  assert.ok(of(10, 128, true).w < 5);
  assert.equal(of(10, 128, true).h, 16);
  assert.equal(of(10, 128, false).h, of(10, 128, false).w);
  assert.equal(of(128, 128, true).h, of(128, 128, true).w);
  assert.equal(of(10, 20, true).h, of(10, 20, true).w);
});

test("every cell has its colour and its digits, in its place", () => {
  const { grid, cells, texts } = drawn([
    [0, 1, 0.25],
    [0.5, 7, -3],
  ]);
  assert.deepEqual([grid.left, grid.top, grid.down, grid.across], [0, 0, 2, 3]);
  const { w, h } = grid;
  const place = (i, j) => [j * w, i * h, w - 1, h - 1];
  const paper = [
    "rgb(255,255,255)",
    "rgb(0,0,255)",
    "rgb(191,191,255)",
    "rgb(127,127,255)",
    "rgb(0,0,255)",
    "rgb(255,255,255)",
  ];
  const places = [place(0, 0), place(0, 1), place(0, 2), place(1, 0), place(1, 1), place(1, 2)];
  assert.deepEqual(
    cells,
    places.map((each, n) => [...each, paper[n]]),
  );
  assert.deepEqual(
    texts.map(([text, , , ink]) => [text, ink]),
    [
      ["0", "#000"],
      ["1.00", "#fff"],
      ["0.25", "#000"],
      ["0.50", "#000"],
      ["7.00", "#fff"],
      ["−3.00", "#000"],
    ],
  );
});

test("around every cell is a line, so that one of 0 is not taken for a gap", () => {
  const { grid, ground, cells } = drawn([
    [0, NaN],
    [0, 1],
  ]);
  const [x, y, width, height, colour] = ground;
  assert.deepEqual([x, y, colour], [grid.left - 1, grid.top - 1, LIGHT.grid]);
  for (const [left, top, w, h, paper] of cells) {
    assert.ok(left > x && top > y && left + w < x + width && top + h < y + height);
    assert.notEqual(paper, LIGHT.grid);
  }
  assert.notEqual(cells[0][4], cells[1][4], "what is masked has another colour than 0");
});

// Paints the numbers on canvas pixel by pixel; returns the colours of its rows, as "rrggbb".
function painted(numbers, cell, changes = {}) {
  const { on } = drawn(numbers, { cell: [cell, cell, cell], decimals: null, ...changes });
  const [[, { width, height, data }]] = on.pen.calls.filter(([called]) => called === "putImageData");
  const colour = (at) => [...data.slice(4 * at, 4 * at + 3)].map((part) => part.toString(16).padStart(2, "0")).join("");
  return Array.from({ length: height }, (_, y) => Array.from({ length: width }, (_, x) => colour(y * width + x)));
}

test("small cells are painted pixel by pixel, in the same colours", () => {
  const rows = painted(
    [
      [0, 1],
      [NaN, 0.25],
    ],
    3,
  );
  const line = (left, right) => [left, left, left, right, right, right];
  assert.deepEqual(rows, [...Array(3).fill(line("ffffff", "0000ff")), ...Array(3).fill(line("d2d2d2", "bfbfff"))]);
  const own = (i, j) => (i === 0 && j === 0 ? "#ff00ff" : undefined);
  assert.deepEqual(painted([[0, 1]], 1, { own }), [["ff00ff", "0000ff"]]);
});

test("of cells that share a pixel the strongest is seen, wherever it stands", () => {
  for (let at = 0; at < 10; at++) {
    const [row, ...more] = painted([Array.from({ length: 10 }, (_, j) => (j === at ? 1 : j % 2 ? 0 : NaN))], 0.5);
    assert.equal(more.length, 0);
    assert.ok(row.length === 5 && row.includes("0000ff"));
  }
  const signed = { low: -1, high: 1 };
  assert.deepEqual(painted([[-1, 0.25, 0.25, -1]], 0.5, signed), painted([[-1, -1]], 1, signed));
});

test("slanted labels lie as far apart as they are high", () => {
  const many = Array.from({ length: 32 }, (_, i) => `${i} · 7`);
  const { grid, on } = drawn([Array(32).fill(1)], { columns: many, room: 420 });
  const places = on.pen.calls.filter(([called]) => called === "translate").map(([, x]) => x);
  assert.ok(grid.slanted && places.length > 5 && places.length < 32);
  assert.ok((places[1] - places[0]) * Math.sin(Math.PI / 3.6) >= 13);
});

test("a mark is written into a cell instead of its number", () => {
  const { texts } = drawn([[0.5, NaN, 0.5]], { mark: (_, j) => (j ? undefined : "3·1") });
  assert.deepEqual(
    texts.map(([text]) => text),
    ["3·1", "×", "0.50"],
  );
});

test("words are shortened to their cell, and lines for which there is no room are left out", () => {
  const mark = () => "extraordinary\n43%";
  const { texts, grid } = drawn([[0.5, 0.5]], { mark, decimals: 0, cell: [40, 40, 36] });
  assert.deepEqual(
    texts.map(([text]) => text),
    ["extr…", "43%", "extr…", "43%"],
  );
  assert.equal(texts[1][2] - texts[0][2], 13);
  assert.ok(Math.abs((texts[0][2] + texts[1][2]) / 2 - grid.h / 2) < 1e-9, "both lines stand in the middle");
  const low = drawn([[0.5]], { mark, decimals: 0, cell: [40, 40, 20] });
  assert.equal(low.texts.length, 1);
});

test("a masked cell is grey with a cross, and never a number", () => {
  const { cells, texts } = drawn([[0.5, NaN]]);
  assert.equal(cells[1].at(-1), MASKED.cell);
  assert.deepEqual([texts[1][0], texts[1].at(-1)], ["×", MASKED.mark]);
});

test("digits are left out where they do not fit or are not wanted", () => {
  const row = Array.from({ length: 40 }, () => 0.1 + Math.random()); // what would read 0.00 is not written
  assert.equal(drawn([row]).texts.length, 0);
  assert.equal(drawn([row.slice(0, 4)], { decimals: null }).texts.length, 0);
  assert.equal(drawn([row.slice(0, 4)]).texts.length, 4);
});

test("labels have room, and are slanted where they are longer than their columns are wide", () => {
  const numbers = [
    [0, 1],
    [1, 0],
  ];
  const short = drawn(numbers, { rows: ["0 a", "1 b"], columns: ["0 c", "1 d"], decimals: null });
  assert.deepEqual(
    short.texts.map(([text]) => text),
    ["0 a", "1 b", "0 c", "1 d"],
  );
  assert.equal(short.grid.left, 3 * 7 + 8);
  assert.ok(!short.grid.slanted && short.grid.top < 30);
  const long = drawn(numbers, { columns: ["0 incomprehensible", "1 d"], decimals: null });
  assert.ok(long.grid.slanted && long.grid.top > short.grid.top);
  assert.match(long.texts[0][0], /^0 inc.*…$/);
  assert.equal(long.texts[1][0], "1 d");
});

test("of many labels as many are written as fit", () => {
  const numbers = Array.from({ length: 60 }, () => [0]);
  const labels = numbers.map((_, i) => String(i));
  const { grid, texts } = drawn(numbers, { rows: labels, cell: [3, 4, null], decimals: null });
  const stride = Number(texts[1][0]);
  assert.ok(stride > 1 && stride * grid.h >= 13 && (stride - 1) * grid.h < 14);
});

test("the cell under a pointer, and none beside them", () => {
  const { on, grid } = drawn([[0, 1, 0]], { rows: ["0 a"], columns: ["0 b", "1 c", "2 d"] });
  const { left, top, w, h } = grid;
  const at = (x, y) => cellUnder({ clientX: 100 + x, clientY: 50 + y }, on, grid);
  assert.deepEqual(at(left + 1.5 * w, top + 0.5 * h), { row: 0, column: 1 });
  for (const [x, y] of [
    [left - 1, top + 1],
    [left + 1, top - 1],
    [left + 3 * w + 1, top + 1],
    [left + 1, top + h + 1],
  ]) {
    assert.equal(at(x, y), null);
  }
});

test("a signed scale is centred on 0 and holds every number", () => {
  const numbers = [
    [0.5, -2.5, NaN],
    [1, 2, 0],
  ];
  assert.deepEqual(
    signedScale((i, j) => numbers[i][j], [2, 3]),
    { low: -2.5, high: 2.5 },
  );
  assert.deepEqual(
    signedScale(() => 0, [2, 2]),
    { low: -1, high: 1 },
  );
});

test("numbers and labels as they are written", () => {
  assert.deepEqual(
    [0, 0.004, 0.005, -1.239, -0.001].map((number) => written(number, 2)),
    ["0", "", "0.01", "−1.24", ""],
  );
  const { pen } = canvas();
  assert.equal(shortened(pen, "abcdef", 42), "abcdef");
  assert.equal(shortened(pen, "abcdef", 28), "abc…");
  assert.equal(shortened(pen, "abcdef", 0), "a…");
});
