import assert from "node:assert/strict";
import { test } from "node:test";
import { heatmap } from "../../explorer/components/shared/heatmap.js";
import { chosen, grown, lineOf } from "../../explorer/components/take_home/film.js";
import { escaped, SvgPath, SvgPen, tag, words } from "../../explorer/components/take_home/svg_pen.js";
import {
  tableOfAttention,
  tableOfMatrices,
  tableOfOneStep,
  tableOfPlot,
  tableOfShapes,
  tableOfWordMap,
} from "../../explorer/components/take_home/tables.js";
import { csvOf, exact, fileName, jsonOf, unmarked } from "../../explorer/components/take_home/text.js";
import { evenly, picturesIn } from "../../explorer/components/take_home/webm.js";
import { canvas } from "./canvas.js";

const linesOf = (csv) => csv.slice(1).split("\r\n").slice(0, -1);

test("a table begins with the mark of UTF-8, and its cells are quoted where they must be", () => {
  const csv = csvOf({
    columns: ["word", "n"],
    rows: [
      ["a,b", 1],
      ['say "x"', 2],
      ["two\nlines", 3],
      ["汽车", 4],
    ],
  });
  assert.equal(csv[0], "\uFEFF");
  assert.deepEqual(linesOf(csv), ["word,n", '"a,b",1', '"say ""x""",2', '"two\nlines",3', "汽车,4"]);
});

test("words that a spreadsheet would compute become harmless; numbers stay numbers", () => {
  const cells = ["=1+2", "+1", "-1", "@x", "\tx", "\rx", " =1", "a=b", -1, -0.25, 1e-7, null, undefined];
  const [, ...told] = linesOf(csvOf({ columns: ["x"], rows: cells.map((cell) => [cell]) }));
  const harmless = ["'=1+2", "'+1", "'-1", "'@x", "'\tx", '"\'\rx"', "' =1", "a=b"];
  assert.deepEqual(told, [...harmless, "-1", "-0.25", "1e-7", "", ""]);
});

test("numbers are written to the last digit that they have, and no further", () => {
  const single = Math.fround(0.1);
  assert.deepEqual([exact(single, true), exact(single, false), exact(0.1, false)], [0.1, 0.10000000149011612, 0.1]);
  for (const value of Float32Array.from({ length: 999 }, () => 10 ** (60 * Math.random() - 30) * (Math.random() - 0.5)))
    assert.equal(Math.fround(exact(value, true)), value);
  assert.deepEqual([exact(Number.NaN), exact(-Infinity, true)], [null, null]);
});

test("a program is told the same by names", () => {
  const told = JSON.parse(jsonOf({ columns: ["word", "n"], rows: [["=1", -2], ["b"]] }, { page: "masks" }));
  assert.deepEqual(told, {
    page: "masks",
    rows: [
      { word: "=1", n: -2 },
      { word: "b", n: null },
    ],
  });
});

test("a file is named after its page, its picture and its step, once each", () => {
  assert.equal(fileName(["transformer", "heads", "heads", "cross", "layer-1"]), "transformer-heads-cross-layer-1");
  assert.equal(
    fileName(["transformer", "what_matters", "über/../x", undefined, "step-0"]),
    "transformer-what-matters-ber-x-step-0",
  );
  assert.ok(fileName(["x".repeat(300)]).length <= 100);
});

test("words are escaped for XML, and signs that it cannot hold are left out", () => {
  assert.equal(escaped(`<b title="x">&</b>`), "&lt;b title=&quot;x&quot;&gt;&amp;&lt;/b&gt;");
  assert.equal(escaped("a\u0000\u001b\ufffe\ud800b\udc00 😀 汽"), "ab 😀 汽");
  assert.equal(tag("rect", { x: 1 / 3, y: undefined, fill: '"' }), '<rect x="0.33" fill="&quot;"/>');
  assert.match(words("a<b", { x: 0, y: 1, width: 20 }), /^<text x="0" y="1" textLength="20" .*>a&lt;b<\/text>$/);
});

function pen() {
  return new SvgPen(canvas().pen);
}

test("a pen writes what is drawn with it, in the same order", () => {
  const drawing = pen();
  drawing.fillStyle = "red";
  drawing.fillRect(0, 0, 2, 1);
  drawing.fillRect(3, 0, 2, 1);
  drawing.save();
  drawing.translate(5, 6);
  drawing.rotate(-Math.PI / 2);
  drawing.font = "600 12px serif";
  drawing.textAlign = "right";
  drawing.fillText("abc ", 1, 2);
  drawing.restore();
  const path = new SvgPath();
  path.moveTo(1, 2);
  path.bezierCurveTo(1, 2, 3, 4, 5, 6);
  Object.assign(drawing, { globalAlpha: 0.5, strokeStyle: "blue", lineWidth: 3 });
  drawing.setLineDash([4, 2]);
  drawing.stroke(path);
  const svg = drawing.end();
  const parts = [
    '<path d="M0 0h2v1h-2zM3 0h2v1h-2z" fill="red"/>',
    '<text x="-6" y="2" textLength="21" lengthAdjust="spacingAndGlyphs" text-anchor="end" font-size="12" ',
    'font-weight="600" font-family="serif" fill="red" transform="translate(5 6)rotate(-90)">abc</text>',
    '<path d="M1 2C1 2 3 4 5 6" fill="none" stroke="blue" stroke-width="3" stroke-dasharray="4 2" opacity="0.5"/>',
  ];
  assert.equal(svg, parts.join(""));
});

test("the function that draws cells draws them to such a pen, with their words and numbers", (t) => {
  const drawing = pen();
  globalThis.explorerPens = () => drawing;
  t.after(() => delete globalThis.explorerPens);
  const sheet = canvas();
  const look = { text: "#111", font: "serif" };
  const stops = [
    [0, "#000000"],
    [1, "#ffffff"],
  ];
  const value = (i, j) => (i + j === 2 ? Number.NaN : -0.25 * (i + j));
  heatmap(sheet, {
    ...{ value, size: [2, 2], rows: ["<start>", "cat"], columns: ["a", "&"], room: 400, cell: [1, 60, null] },
    ...{ low: -1, high: 1, stops, masked: { cell: "#ccc", mark: "#222" }, look, decimals: 2 },
  });
  const svg = drawing.end();
  const said = [...svg.matchAll(/>([^<]+)<\/text>/g)].map(([, text]) => text);
  assert.deepEqual(said, ["0", "−0.25", "−0.25", "×", "&lt;start&gt;", "cat", "a", "&amp;"]);
  assert.equal(svg.match(/fill="#ccc"/g).length, 1);
  assert.ok(!sheet.pen.calls.length, "the canvas itself is left alone");
});

const packed = (shape, values, Type = Float32Array) => {
  const [rows, columns] = shape.slice(-2);
  return { values: Type.from(values), shape, rows, columns, at: (i, j) => values[i * columns + j] };
};

test("matrices are told cell by cell, without the number of a masked one", () => {
  const view = {
    data: { names: "head {i}", rows: ["0 a"], columns: ["x", "y"], masked: "masked", axes: "rows: r", marks: null },
    values: packed([2, 1, 2], [0.1, -0.2, 0.3, 9]),
    valid: packed([2, 1, 2], [1, 1, 1, 0], Uint8Array),
  };
  const { columns, rows } = tableOfMatrices(view);
  const names = ["panel", "name", "row", "row_name", "column", "column_name", "value", "masked", "axes"];
  assert.deepEqual(columns, names);
  assert.deepEqual(rows[1], [0, "head 0", 0, "0 a", 1, "y", -0.2, null, "rows: r"]);
  assert.deepEqual(rows[3], [1, "head 1", 0, "0 a", 1, "y", null, "masked", "rows: r"]);
});

test("attention is told for all heads and all pictures of a film", () => {
  const all = Float32Array.from({ length: 8 }, (_, i) => i / 8);
  const attention = { heads: 2, queries: 1, keys: 2, all, open: (_, key) => key === 0 };
  const { columns, rows } = tableOfAttention({
    data: { film: ["step 0", "step 9"], rows: ["q"], columns: ["k", "l"] },
    attention,
  });
  assert.deepEqual(columns, ["picture", "head", "query", "query_word", "key", "key_word", "weight", "may_attend"]);
  assert.deepEqual(rows.at(-1), ["step 9", 1, 0, "q", 1, "l", 0.875, 0]);
  assert.equal(rows.length, 8);
});

test("a figure is told point by point, with its axes, and rows by the words over them", () => {
  const layout = {
    xaxis: { title: { text: "share<br>of <b>all</b>" } },
    yaxis: {},
    annotations: [
      { text: "by &lt;start&gt;", x: 0, xref: "paper", yref: "y", y: 0.75 },
      { text: "chance", x: 3, xref: "x", yref: "paper", y: 1 },
    ],
  };
  const traces = [{ name: "heads", x: Float64Array.of(-0.5, 2), y: [0, 1], hovertext: ["n = 200", "n = 12"] }];
  const { columns, rows } = tableOfPlot(traces, layout);
  assert.deepEqual(columns, ["trace", "name", "x_axis", "point", "row_name", "x", "y", "text", "says"]);
  assert.deepEqual(rows[1], [0, "heads", "share of all", 1, "by <start>", 2, 1, null, "n = 12"]);
  assert.deepEqual(rows[2], [null, null, null, null, null, 3, 1, "chance", null]);
  assert.equal(unmarked("1 &lt; 2 < 3<br>x"), "1 < 2 < 3 x");
});

test("the map of shapes is told with the numbers of the tensor that is selected", () => {
  const blocks = [
    {
      id: "q",
      axes: [
        ["src", 2],
        ["d_k", 3],
      ],
    },
  ];
  const costs = { cost: { bytes: 24 }, in_all: { bytes: 48 } };
  const columns = [{ stack: "encoder", groups: [{ id: "encoder.self_attn", blocks, ...costs }] }];
  const texts = { totals: { bytes: [] } };
  const selected = { id: "q", values: packed([1, 1, 2], [1, -2]), rows: ["a"], columns: ["x", "y"], sheets: [] };
  const told = tableOfShapes({ columns, selected, texts });
  assert.deepEqual(told.rows[1].slice(0, 5), ["encoder", "encoder.self_attn", "q", "d_k", 3]);
  assert.deepEqual(
    told.rows.at(-1).filter((cell) => cell !== null),
    ["q", -2, 0, "a", 1, "y"],
  );
});

test("a film has all kept steps, or so many of them, evenly, the first and the last among them", () => {
  const few = [0, 10, 30];
  assert.deepEqual(chosen(few), few);
  for (const count of [61, 100, 384]) {
    const steps = Array.from({ length: count }, (_, i) => 10 * i);
    const some = chosen(steps);
    assert.equal(some.length, 60);
    assert.deepEqual([some[0], some.at(-1)], [0, steps.at(-1)]);
    const gaps = some.slice(1).map((step, i) => step - some[i]);
    assert.ok(Math.max(...gaps) - Math.min(...gaps) <= 10);
  }
});

test("each of its pictures says the step, and how much was right by then", () => {
  const texts = { name: "learned for", initial: "as initialised", duration: "{step} of {last} steps", right: "{share} right" };
  const course = { steps: [0, 10, 1000], curve: [[10, 0.25], [1000, 0.999]], texts }; // biome-ignore format: short
  assert.equal(lineOf(course, 0, 1000), "as initialised");
  assert.equal(lineOf(course, 10, 1000), "learned for 10 of 1,000 steps · 25% right");
  assert.equal(lineOf(course, 1000, 1000), "learned for 1,000 of 1,000 steps · 99.9% right");
});

test("a colour that holds its opacity is written as two attributes", () => {
  const pen = new SvgPen({});
  pen.fillStyle = "#14131233";
  pen.fillRect(0, 0, 2, 1);
  assert.equal(pen.end(), '<path d="M0 0h2v1h-2z" fill="#141312" fill-opacity="0.2"/>');
});

test("curves grow to a place on the axes of all of them", () => {
  const x = Float32Array.of(1, 2, 3, 4);
  const node = {
    data: [{ name: "loss", x: "packed", y: "packed" }],
    layout: { height: 320, xaxis: { title: "step" } },
    _fullData: [{ x, y: Float32Array.of(4, 3, 2, 1) }],
    _fullLayout: { xaxis: { range: [1, 4] }, yaxis: { range: [0, 5] }, height: 320 },
  };
  const { data, layout } = grown(node, 2);
  assert.deepEqual(data, [{ name: "loss", x: [1, 2], y: [4, 3] }]);
  const fixed = { xaxis: { title: "step", range: [1, 4], autorange: false }, yaxis: { range: [0, 5], autorange: false } };
  assert.deepEqual(layout, { height: 320, ...fixed });
});

// --- Films ---

const sized = (id, ...content) => [...id, 0x80 | content.flat().length, ...content.flat()];
const UNKNOWN = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];

// As a browser records: lengths that are unknown, some pictures with what is said of them.
const recording = () =>
  Uint8Array.from([
    ...sized([0x1a, 0x45, 0xdf, 0xa3], [0x42, 0x86, 0x81, 1]),
    ...[0x18, 0x53, 0x80, 0x67, ...UNKNOWN],
    ...sized([0x15, 0x49, 0xa9, 0x66], [0x2a, 0xd7, 0xb1, 0x81, 1]),
    ...sized([0x16, 0x54, 0xae, 0x6b], [0xae, 0x80]),
    ...[0x1f, 0x43, 0xb6, 0x75, ...UNKNOWN],
    ...sized([0xe7], [0]),
    ...sized([0xa3], [0x81, 0, 7, 0x80, 1]),
    ...sized([0xa0], sized([0xa1], [0x81, 0, 9, 0, 2]), sized([0xfb], [1])),
    ...[0x1f, 0x43, 0xb6, 0x75, ...UNKNOWN],
    ...sized([0xe7], [0]),
    ...sized([0xa0], sized([0xa1], [0x81, 0, 20, 0, 3])),
  ]).buffer;

const hex = (bytes) => Buffer.from(bytes).toString("hex");

test("a recording gets its length, places to begin, and a time for each picture", () => {
  const [head, segment] = evenly(recording(), 500).map(hex);
  assert.equal(head, "1a45dfa384428681" + "01");
  const eight = (number) => number.toString(16).padStart(16, "0");
  const duration = Buffer.alloc(8);
  duration.writeDoubleBE(1500);
  assert.ok(segment.includes(`4489${"01"}${eight(8).slice(2)}${hex(duration)}`), "its length");
  assert.ok(segment.includes("1654ae6b82ae80"), "its tracks");
  const blocks = [...segment.matchAll(/a30100000000000005(81(.{4})(.{2})(.{2}))/g)].map(([, , time, flags, picture]) => [
    time,
    flags,
    picture,
  ]);
  assert.deepEqual(blocks, [
    ["0000", "80", "01"],
    ["01f4", "00", "02"],
    ["0000", "80", "03"], // begins a cluster, since it needs no other
  ]);
  const clusters = [...segment.matchAll(/1f43b675/g)].map(({ index }) => index / 2 - 12); // within the segment
  const cues = [...segment.matchAll(/b30100000000000008(.{16}).*?f10100000000000008(.{16})/g)].map((each) => [
    each[1],
    each[2],
  ]);
  assert.deepEqual(
    cues,
    [0, 1000].map((time, at) => [eight(time), eight(clusters[at])]),
  );
});

test("of a recording that is still coming, the pictures are counted that are whole", () => {
  const bytes = new Uint8Array(recording());
  const counts = Array.from({ length: bytes.length + 1 }, (_, end) => picturesIn(bytes.slice(0, end).buffer));
  assert.deepEqual([...new Set(counts)], [0, 1, 2, 3]);
  assert.deepEqual(counts, counts.toSorted());
  assert.equal(counts.at(-2), 2);
});

test("what is no recording is refused", () => {
  assert.throws(() => evenly(Uint8Array.of(0x1a, 0x45, 0xdf, 0xa3, 0x80).buffer, 500), /no pictures/);
});

test("of one step of learning, the words are told, and what each part with weights moves", () => {
  const box = { name: "linear", gradient: 2, nudge: 0.1, weights: 10 };
  const told = tableOfOneStep({ words: ["le", "chat"], before: [0.5, 0.25], after: [0.75, 0.5], map: { boxes: [{}, box] } });
  assert.deepEqual(told.columns, ["place", "word", "before", "after", "part", "gradient", "nudge", "weights"]);
  assert.deepEqual(told.rows, [
    [0, "le", 0.5, 0.75, null, null, null, null],
    [1, "chat", 0.25, 0.5, null, null, null, null],
    [null, null, null, null, "linear", 2, 0.1, 10],
  ]);
});

test("of the map of words, each word of both languages is told with its places, before the turn and after it", () => {
  const words = [
    ["cat", "chat", 0],
    ["dog", "chien", 0],
  ];
  const data = { words, kinds: ["animals"], titles: ["English", "French"], across: [[1], [1]], turned: [[0], [1]] };
  const frames = [
    [5, 6, 7, 8],
    [1, 2, 3, 4],
  ];
  const { columns, rows } = tableOfWordMap({ data, source: [1, 2, 3, 4], frames });
  assert.deepEqual(columns.slice(3, 5), ["kind", "gave_the_rotation"]);
  assert.deepEqual(rows, [
    ["English", "cat", "chat", "animals", 1, 1, 2, 1, 2, "chien", "chat"],
    ["French", "chat", "cat", "animals", 1, 5, 6, 1, 2, null, null],
    ["English", "dog", "chien", "animals", 0, 3, 4, 3, 4, "chien", "chien"],
    ["French", "chien", "dog", "animals", 0, 7, 8, 3, 4, null, null],
  ]);
});
