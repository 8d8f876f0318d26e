import assert from "node:assert/strict";
import { test } from "node:test";
import { cellAt } from "../../explorer/components/arithmetic/keys.js";
import { numberText, pairOf, strongest, sum, sumText, weightText } from "../../explorer/components/arithmetic/numbers.js";
import { resultsOf, textOf } from "../../explorer/components/arithmetic/steps.js";

const matrix = (rows) => ({ rows: rows.length, columns: rows[0].length, at: (i, j) => rows[i][j], row: (i) => rows[i] });
const random = (rows, columns) =>
  Array.from({ length: rows }, () => Array.from({ length: columns }, () => Math.random() - 0.5));

test("a number has as many digits as its level", () => {
  assert.deepEqual(
    ["words", "numbers"].map((level) => numberText(-1.23456, level)),
    ["−1.23", "−1.2346"],
  );
  assert.deepEqual(
    [NaN, Infinity, -Infinity].map((value) => numberText(value, "words")),
    ["NaN", "∞", "−∞"],
  );
  for (let i = 0; i < 300; i++) {
    const value = Math.fround((Math.random() - 0.5) * 10 ** (12 * Math.random() - 6));
    const text = numberText(value, "digits");
    assert.equal(Math.fround(Number(text.replace("−", "-"))), value, "every digit that it has");
    assert.ok(text.length <= String(value).length, "and no more");
  }
  assert.equal(numberText(0.1 + 0.2, "digits"), "0.3", "a sum made here has nine digits");
});

test("a weight is a percentage in words", () => {
  assert.deepEqual(
    [0, 0.034, 0.5, 0.9962, 1].map((value) => weightText(value, "words")),
    ["0%", "3.4%", "50%", "99.6%", "100%"],
  );
  assert.equal(weightText(0.5, "numbers"), "0.5000");
});

test("a sum is written with its signs, and says when terms are left out", () => {
  assert.equal(sumText([1, -2, 0.5], 0, 3, "words"), "1.00 − 2.00 + 0.50");
  assert.equal(sumText([-1, 2, 3], 0.25, 2, "words"), "−1.00 + 2.00 + … + 0.25");
});

// Three queries, five keys, d_k 4, d_v 2; query 1 may not attend to keys 3 and 4, query 2 to none.
const STAGE = {
  left: matrix(random(3, 4)),
  right: matrix(random(5, 4)),
  scores: matrix(random(3, 5)),
  products: matrix(random(3, 5)),
  weights: matrix([
    [0.1, 0.4, 0.2, 0.05, 0.25],
    [0.5, 0.3, 0.2, 0, 0],
    [0, 0, 0, 0, 0],
  ]),
  v: matrix(random(5, 2)),
  context: matrix(random(3, 2)),
};
const HIDDEN = [[], [3, 4], [0, 1, 2, 3, 4]];
STAGE.masked = matrix(HIDDEN.map((keys, i) => STAGE.scores.row(i).map((score, j) => (keys.includes(j) ? -Infinity : score))));
const TOKENS = { rows: ["0 a", "1 b", "2 c"], columns: ["0 d", "1 e", "2 f", "3 g", "4 h"], cut: [[1, 4]] };
const pair = (cell, join = "times", stage = STAGE) => pairOf(stage, join, TOKENS, cell);

test("a pair has the terms of its score", () => {
  const { terms, d, left, right, names, open, top } = pair([1, 3]);
  const [q, k] = [STAGE.left.row(1), STAGE.right.row(3)];
  assert.deepEqual([left, right, d], [q, k, 4]);
  assert.deepEqual(
    terms,
    [0, 1, 2, 3].map((n) => q[n] * k[n]),
  );
  assert.deepEqual(
    pair([1, 3], "plus").terms,
    [0, 1, 2, 3].map((n) => q[n] + k[n]),
  );
  assert.deepEqual(
    pair([1, 3], "tanh").terms,
    [0, 1, 2, 3].map((n) => Math.tanh(q[n] + k[n])),
  );
  assert.deepEqual(names, { query: "1 b", key: "3 g" });
  assert.equal(open, false);
  assert.equal(top, Math.max(...STAGE.scores.row(1).slice(0, 3)), "the largest score of those that count");
  assert.equal(pair([2, 0]).alone, true);
  const { products: _, ...unscaled } = STAGE;
  assert.equal(pair([0, 1]).product, STAGE.products.at(0, 1));
  assert.equal(pair([0, 1], "times", unscaled).product, STAGE.scores.at(0, 1));
  const near = {
    ...STAGE,
    penalties: matrix([
      [0, -0.5],
      [-0.5, 0],
      [-1, -0.5],
    ]),
    compared: matrix(random(3, 5)),
  };
  assert.deepEqual([pair([2, 0], "times", near).penalty, pair([2, 0], "times", near).distance], [-1, 2]);
  assert.equal(pair([2, 0], "times", near).compared, near.compared.at(2, 0));
  assert.deepEqual([pair([2, 0]).penalty, pair([2, 0]).compared], [0, STAGE.scores.at(2, 0)], "without a distance");
  assert.equal(sum([1, 2, 3.5]), 6.5);
});

test("the strongest keys, with the selected one, in the order of the sentence", () => {
  assert.deepEqual(strongest(STAGE, pair([0, 0]), 5), [0, 1, 2, 3, 4]);
  assert.deepEqual(strongest(STAGE, pair([0, 3]), 3), [1, 3, 4]);
  assert.deepEqual(strongest(STAGE, pair([1, 4]), 3), [0, 1, 4]);
});

const SHEET = {
  data: {
    rest: 0.5,
    texts: {
      open: "{query} open to {key}",
      shut: "{query} shut",
      cut: "{key} cut from {query}",
      alone: "{query} alone",
      terms: "{d} terms",
      numbers: "{d} numbers",
    },
  },
  stage: STAGE,
  level: "words",
};

test("each step has its result and its sentence", () => {
  const open = pair([1, 0]);
  const results = resultsOf(open, SHEET);
  assert.deepEqual([results.terms, results.context, results.softmax], ["4 terms", "2 numbers", "50%"]);
  assert.equal(results.scale, numberText(STAGE.scores.at(1, 0), "words"));
  assert.equal(results.mask, results.scale);
  assert.equal(resultsOf(pair([1, 3]), SHEET).mask, "−∞");
  const text = "{query} {key} {d} {sum} {rest} {weight}";
  const said = (name, cell) => textOf({ name, text: name === "mask" ? "" : text }, pair(cell), SHEET);
  assert.equal(said("sum", [1, 0]), `1 b 0 d 4 ${results.sum} 0.50 50%`);
  assert.equal(said("mask", [1, 0]), "1 b open to 0 d");
  assert.equal(said("mask", [1, 3]), "1 b shut");
  assert.equal(said("mask", [1, 4]), "4 h cut from 1 b");
  assert.equal(said("softmax", [2, 0]), "2 c alone");
});

test("a head that is cut attends evenly to what is open, and says so where the mask stands", () => {
  const even = {
    ...STAGE,
    masked: matrix(HIDDEN.map((keys) => TOKENS.columns.map((_, j) => (keys.includes(j) ? -Infinity : 0)))),
  };
  const sheet = { ...SHEET, stage: even };
  const said = (cell) => textOf({ name: "mask", text: "{key} even" }, pair(cell, "times", even), sheet);
  assert.deepEqual([said([1, 0]), said([1, 3]), said([1, 4])], ["0 d even", "1 b shut", "4 h cut from 1 b"]);
  assert.equal(resultsOf(pair([1, 0], "times", even), sheet).mask, "0.00");
  assert.equal(pair([1, 0], "times", even).top, 0);
});

test("keys lead from cell to cell, and stop at the edges", () => {
  const from = (key, cell) => cellAt(key, cell, [3, 5]);
  assert.deepEqual(
    [from("ArrowUp", [0, 2]), from("ArrowDown", [1, 2]), from("ArrowRight", [1, 4])],
    [
      [0, 2],
      [2, 2],
      [1, 4],
    ],
  );
  assert.deepEqual(
    [from("Home", [2, 3]), from("End", [2, 3]), from("PageUp", [2, 3]), from("PageDown", [0, 3])],
    [
      [2, 0],
      [2, 4],
      [0, 3],
      [2, 3],
    ],
  );
  assert.equal(from("a", [0, 0]), null);
});
