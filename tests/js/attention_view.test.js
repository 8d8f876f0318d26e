import assert from "node:assert/strict";
import { test } from "node:test";
import { Attention } from "../../explorer/components/attention_view/attention.js";
import { wordAt } from "../../explorer/components/attention_view/keys.js";
import { classesAt, roomFor, sizesOf, topOf } from "../../explorer/components/attention_view/layout.js";
import { MEAN, weightsAt } from "../../explorer/components/attention_view/lines.js";
import { caption, sentence } from "../../explorer/components/attention_view/sentence.js";

// Two frames of three heads, between two queries and four keys; query 0 may not attend to key 3, and none to key 2.
const SHAPE = [2, 3, 2, 4];
const VALID = [1, 1, 0, 0, 1, 1, 0, 1];

function drawn({ shape = SHAPE, valid = VALID, weights } = {}) {
  const count = shape.reduce((a, b) => a * b, 1);
  const values = Float32Array.from({ length: count }, (_, i) => (valid[i % 8] ? (weights?.[i] ?? ((i * 37) % 101) / 101) : 0));
  return new Attention({ shape, values }, { values: Uint8Array.from(valid) });
}

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-6, `${a} is not ${b}`);

test("weights are those of their frame, head, query and key", () => {
  const attention = drawn({ weights: Array.from({ length: 48 }, (_, i) => i), valid: Array(8).fill(1) });
  assert.deepEqual([attention.heads, attention.queries, attention.keys], [3, 2, 4]);
  assert.equal(attention.weight(2, 1, 3), 23);
  attention.show(1);
  assert.equal(attention.weight(0, 1, 2), 24 + 6);
});

test("the mean is that of the heads that are on", () => {
  const attention = drawn();
  const mean = attention.mean([0, 2]);
  for (let i = 0; i < 8; i++) {
    near(mean[i], (attention.weight(0, i >> 2, i % 4) + attention.weight(2, i >> 2, i % 4)) / 2);
  }
  assert.deepEqual([...attention.mean([])], Array(8).fill(0));
});

test("the threshold leaves no more links than asked for", () => {
  const attention = drawn();
  assert.equal(attention.threshold(24), 0);
  const least = attention.threshold(7);
  assert.equal(least * 2, Math.round(least * 2), "in halves of a percent");
  const left = attention.weights.filter((weight) => weight >= least / 100).length;
  assert.ok(left <= 7 && left > 0, String(left));
});

test("the strongest links are at most three, open, in order, and none that would read 0%", () => {
  const attention = drawn({ shape: [1, 2, 4], weights: [0.2, 0.8, 0, 0, 0.001, 0.6, 0, 0.399] });
  const mean = attention.mean([0]);
  const places = (of) => attention.strongest(mean, of).map(({ place }) => place);
  assert.deepEqual(places({ query: 0 }), [1, 0]);
  assert.deepEqual(places({ query: 1 }), [1, 3]);
  assert.deepEqual(places({ key: 1 }), [0, 1]);
  assert.deepEqual(places({ key: 2 }), [], "which the mask hides from all");
  const five = drawn({ shape: [1, 1, 8], valid: Array(8).fill(1) });
  const all = five.mean([0]);
  const sorted = [...all].sort((a, b) => b - a).slice(0, 3);
  assert.deepEqual(
    five.strongest(all, { query: 0 }).map(({ weight }) => weight),
    sorted,
  );
});

const forms = (name) => ({ plain: `${name} {word} {links}`, head: `${name} ${name} {heads}`, mean: `mean ${name} {heads}` });
const TEXTS = {
  no_head: "no head",
  hints: { look: "hint", cut: "hint to cut", everywhere: "hint to cut everywhere" },
  taps: { look: "tap", cut: "tap to cut", everywhere: "tap to cut everywhere" },
  none_shown: "none {share}",
  separator: "; ",
  link: "{word}={weight}",
  query: forms("query"),
  key: forms("key"),
  pair: { plain: "{query} {weight} {key}", head: "in {heads}: {query} {weight} {key}", mean: "over {heads}" },
  hidden: "{key} hidden from {query}",
  blind: "{word} blind",
  unseen: "{word} unseen",
  matrix: { head: "{rows} {columns}", mean: "{rows} {columns} mean" },
  masked: { head: "{rows} {columns} ×", mean: "{rows} {columns} mean ×" },
};
const DATA = {
  texts: TEXTS,
  rows: ["le", "chat"],
  columns: ["the", "cat", "a", "dog"],
  row_title: "query",
  column_title: "key",
};

// What is said of one head of these weights: 20 % and 80 %, then 25 % each of 60, 15.
function said(query, key, changes = {}) {
  const attention = drawn({ shape: [1, 2, 4], weights: [0.2, 0.8, 0, 0, 0.25, 0.6, 0, 0.15] });
  const given = { data: DATA, attention, active: [0], query, key, shown: true, least: "5%", mode: "look", ...changes };
  return sentence({ mean: given.attention.mean(given.active), ...given });
}

test("a sentence for each thing that can be pointed at", () => {
  assert.equal(said(0, null), "query le cat=80%; the=20%");
  assert.equal(said(1, null), "query chat cat=60%; the=25%; dog=15%");
  assert.equal(said(null, 1), "key cat le=80%; chat=60%");
  assert.equal(said(1, 3), "chat 15% dog");
  assert.equal(said(0, 3), "dog hidden from le");
  assert.equal(said(null, 2), "a unseen");
  assert.equal(said(null, null), "hint");
  assert.equal(said(null, null, { mode: "everywhere" }), "hint to cut everywhere");
  assert.equal(said(null, null, { touch: true }), "tap");
  assert.equal(said(null, null, { touch: true, mode: "cut" }), "tap to cut");
  assert.equal(said(null, null, { shown: false }), "none 5%");
  assert.equal(said(0, null, { active: [] }), "no head");
  const blind = drawn({ shape: [1, 2, 4], valid: [0, 0, 0, 0, 1, 1, 1, 1] });
  assert.equal(said(0, null, { attention: blind }), "le blind");
});

test("a sentence about several heads says so", () => {
  const attention = drawn({ shape: [3, 2, 4] });
  assert.equal(said(0, null, { attention, active: [1] }), "query query 1");
  assert.equal(said(0, null, { attention, active: [0, 2] }), "mean query 0; 2");
  assert.equal(said(null, 1, { attention, active: [0, 1, 2] }), "mean key 0; 1; 2");
  assert.equal(said(0, 0, { attention, active: [1, 2] }), "over 1; 2");
  assert.match(said(0, 0, { attention, active: [2] }), /^in 2: le \d+% the$/);
});

test("under the matrix masked cells are spoken of where there are any", () => {
  const open = drawn({ valid: Array(8).fill(1) });
  assert.equal(caption(DATA, open, [1]), "query key");
  assert.equal(caption(DATA, open, [1, 2]), "query key mean");
  assert.equal(caption(DATA, drawn(), [1]), "query key ×");
  assert.equal(caption(DATA, drawn(), [1, 2]), "query key mean ×");
});

test("arrow keys go along a side and over to the other", () => {
  const upright = { counts: { query: 3, key: 5 }, upright: true, bothSides: true };
  const flat = { ...upright, upright: false };
  const from = { side: "key", place: 4 };
  assert.deepEqual(wordAt("ArrowUp", from, upright), { side: "key", place: 3 });
  assert.deepEqual(wordAt("ArrowDown", from, upright), { side: "key", place: 4 }, "the last one");
  assert.deepEqual(wordAt("ArrowLeft", from, upright), { side: "query", place: 2 }, "the nearest there is");
  assert.deepEqual(wordAt("ArrowLeft", from, flat), { side: "key", place: 3 });
  assert.deepEqual(wordAt("ArrowUp", from, flat), { side: "query", place: 2 });
  assert.equal(wordAt("ArrowUp", from, { ...flat, bothSides: false }), null);
  assert.deepEqual(wordAt("Home", from, upright), { side: "key", place: 0 });
  assert.deepEqual(wordAt("End", { side: "query", place: 0 }, upright), { side: "query", place: 2 });
  assert.equal(wordAt("x", from, upright), null);
});

test("what stands at the end of a link: its strongest weights, or a cross", () => {
  const attention = drawn({ shape: [3, 2, 4] });
  attention.weights.set([0.1, 0.7, 0.3], 0);
  for (const [head, weight] of [0.3, 0.5, 0.1].entries()) attention.weights[head * 8] = weight;
  const mean = attention.mean([0, 1, 2]);
  const weight = (head, query, key) => (head === MEAN ? mean[query * 4 + key] : attention.weight(head, query, key));
  const view = { attention, strands: [0, 1, 2], least: 0.2, picture: "lines", chips: 2, mean, weight };
  assert.deepEqual(weightsAt(view, 0, 0, true), [
    { head: 1, text: "50%" },
    { head: 0, text: "30%" },
  ]);
  assert.deepEqual(weightsAt(view, 0, 0, false), [{ head: 1, text: "50%" }]);
  assert.deepEqual(weightsAt({ ...view, strands: [2] }, 0, 0, true), []);
  assert.deepEqual(weightsAt({ ...view, strands: [MEAN] }, 0, 0, true), [{ head: undefined, text: "30%" }]);
  assert.deepEqual(weightsAt({ ...view, picture: "text" }, 0, 0, true), [{ text: "30%" }]);
  assert.deepEqual(weightsAt(view, 0, 3, true), [{ text: "×" }]);
});

test("words stand in columns where there is room, and are as large as the window lets them be", () => {
  const on = { letter: 16, text: false, same: true, matrix: true, heads: 4 };
  const wide = { upright: true, narrow: false, text: false, single: false, tight: false, beside: true };
  assert.deepEqual(classesAt(1000, on), wide);
  assert.deepEqual(classesAt(390, on), { ...wide, narrow: true, tight: true, beside: false });
  assert.equal(classesAt(250, on).upright, false);
  const text = classesAt(1000, { ...on, text: true });
  assert.deepEqual([text.upright, text.single, text.tight], [false, true, true]);
  assert.equal(classesAt(1000, { ...on, text: true, same: false }).single, false);
  const few = sizesOf(wide, { letter: 16, room: 640, words: 8 });
  const many = sizesOf(wide, { letter: 16, room: 640, words: 64 });
  assert.ok(few.row > many.row && few.word > many.word && many.word >= 11);
  const phone = (longest) => sizesOf({ ...wide, narrow: true }, { letter: 16, room: 640, words: 8, longest }).word;
  assert.ok(phone(5) > phone(15) && phone(15) > 16);
});

test("a picture that begins on the first screen ends there; one further down takes its share of the window", () => {
  const page = (scrollTop) => (selector) => (selector.includes("fullscreen") ? null : { scrollTop });
  const room = (top, scrolled) =>
    roomFor(topOf({ getBoundingClientRect: () => ({ top: top - scrolled }), closest: page(scrolled) }), 518, 720, 60);
  for (const scrolled of [0, 90]) {
    assert.equal(room(100, scrolled), 518);
    assert.equal(room(259, scrolled), 401);
    assert.equal(room(500, scrolled), 518);
  }
});
