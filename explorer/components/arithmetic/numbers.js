// The numbers behind one pair of words, and their format at each level of detail: in "words", "numbers" or "digits".

import { percent } from "../shared/shares.js";

const JOINS = { times: (a, b) => a * b, tanh: (a, b) => Math.tanh(a + b), plus: (a, b) => a + b };

export const sum = (values) => values.reduce((total, value) => total + value, 0);

const minus = (text) => text.replace("-", "−");

// Formats a number; at the level of digits with every digit of a 32-bit number, and no more.
export function numberText(value, level) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value < 0 ? "−∞" : "∞";
  if (level !== "digits") return minus(value.toFixed(level === "words" ? 2 : 4));
  const short = (digits) => Number(value.toPrecision(digits));
  if (Math.fround(value) !== value) return minus(String(short(9)));
  return minus(String([6, 7, 8, 9].map(short).find((each) => Math.fround(each) === value) ?? value));
}

// Formats a weight: in words as a percentage.
export function weightText(value, level) {
  return level === "words" ? percent(value, value > 0 && value < 0.1 ? 1 : 0) : numberText(value, level);
}

// Formats a sum: its first terms, "+ …" for the others, and what is added at the end.
export function sumText(terms, rest, most, level) {
  const written = terms.slice(0, most).map((term, n) => {
    if (n === 0) return numberText(term, level);
    return `${term < 0 ? " − " : " + "}${numberText(Math.abs(term), level)}`;
  });
  const more = terms.length > most ? " + …" : "";
  return written.join("") + more + (rest ? ` + ${numberText(rest, level)}` : "");
}

// True if query i may attend to key j.
export const isOpen = (stage, i, j) => Number.isFinite(stage.masked.at(i, j));

// Returns all that the steps show of the pair (i, j).
//   stage: what was sent, unpacked: scores, masked, weights, v, context, left, right, and products if they were scaled;
//     where distance lowers the scores: penalties, and compared, the scores before that
//   join: how a term is made of left and right; tokens: { rows, columns }, and the pairs that are cut
export function pairOf(stage, join, { rows, columns, cut }, [i, j]) {
  const [left, right] = [stage.left.row(i), stage.right.row(j)];
  const keys = columns.map((_, at) => at);
  const seen = keys.filter((at) => isOpen(stage, i, at));
  return {
    i,
    j,
    keys,
    left,
    right,
    d: left.length,
    terms: Array.from(left, (value, n) => JOINS[join](value, right[n])),
    product: (stage.products ?? stage.scores).at(i, j),
    compared: (stage.compared ?? stage.scores).at(i, j),
    penalty: stage.penalties?.at(i, j) ?? 0,
    distance: Math.abs(i - j),
    score: stage.scores.at(i, j),
    weight: stage.weights.at(i, j),
    masked: stage.masked.at(i, j),
    open: isOpen(stage, i, j),
    cut: cut.some(([query, key]) => query === i && key === j),
    alone: !seen.length,
    top: Math.max(...seen.map((at) => stage.masked.at(i, at))),
    names: { query: rows[i], key: columns[j] },
  };
}

// Returns the keys with the largest weights for query i, and key j, in the order of the sentence; all of them if they are few.
export function strongest(stage, { i, j, keys }, most) {
  if (keys.length <= most) return keys;
  const seen = keys.filter((at) => at !== j && isOpen(stage, i, at));
  seen.sort((a, b) => stage.weights.at(i, b) - stage.weights.at(i, a));
  return [...seen.slice(0, most - 1), j].sort((a, b) => a - b);
}
