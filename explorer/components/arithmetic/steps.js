// The nodes of each step for one pair of words. All functions take the pair (see pairOf) and the sheet they draw on:
//   { data, stage, level, type, story: the node of the steps, paint(canvas, table), scroll(child, name) }

import { element, fill, range } from "../shared/dom.js";
import { isOpen, numberText, strongest, sum, sumText, weightText } from "./numbers.js";

const MOST_ROWS = 12; // words shown, ...
const MOST_BARS = 8; // ... bars, ...
const MOST_TERMS = 16; // ... and terms of a sum

export const bodies = { terms, sum: total, scale, distance, mask, softmax, context };

// Returns the results in a step's headline.
export function resultsOf(pair, { data, stage, level }) {
  const { texts } = data;
  return {
    terms: fill(texts.terms, { d: pair.d }),
    sum: numberText(pair.product, level),
    scale: numberText(pair.compared, level),
    distance: numberText(pair.score, level),
    mask: numberText(pair.masked, level),
    softmax: weightText(pair.weight, level),
    context: fill(texts.numbers, { d: stage.v.columns }),
  };
}

// Returns the sentences of a step.
export function textOf({ name, text }, pair, { data, level }) {
  const { open, shut, cut, alone } = data.texts;
  const mask = pair.cut ? cut : pair.open ? text || open : shut;
  const template = name === "mask" ? mask : name === "softmax" && pair.alone ? alone : text;
  return fill(template, {
    ...pair.names,
    d: pair.d,
    distance: pair.distance,
    root: Number(Math.sqrt(pair.d).toPrecision(4)),
    sum: numberText(pair.product, level),
    rest: numberText(data.rest, level),
    weight: weightText(pair.weight, level),
  });
}

function terms({ left, right, terms, d }, sheet) {
  const { texts, sides } = sheet.data;
  const rows = [left, right, terms];
  if (sheet.level !== "digits") return [strip(sheet, "terms", sides, (i, j) => rows[i][j], d)];
  const lines = range(d).map((n) => [String(n), ...rows.map((row) => numberText(row[n], "digits"))]);
  return [table(sheet, [texts.dimension, ...sides], lines)];
}

function total({ terms, product }, sheet) {
  const { level, data } = sheet;
  if (level === "words") return [];
  const most = level === "digits" ? terms.length : MOST_TERMS;
  const line = digits(sheet, `${sumText(terms, data.rest, most, level)} = ${numberText(product, level)}`);
  if (level !== "digits") return [line];
  const both = { sum: numberText(sum(terms) + data.rest, level), recorded: numberText(product, level) };
  return [line, element("p", { text: fill(data.texts.rounding, both) })];
}

function scale({ d, product, compared }, sheet) {
  const { level } = sheet;
  return level === "words" ? [] : [digits(sheet, `${numberText(product, level)} ÷ √${d} = ${numberText(compared, level)}`)];
}

function distance({ compared, penalty, score }, sheet) {
  const { level } = sheet;
  const [before, less, result] = [compared, Math.abs(penalty), score].map((value) => numberText(value, level));
  return level === "words" ? [] : [digits(sheet, `${before} − ${less} = ${result}`)];
}

function mask({ score, masked, open }, sheet) {
  const { level } = sheet;
  if (level === "words") return [];
  const [number, result] = [score, masked].map((value) => numberText(value, level));
  const added = open ? `${number} + 0 = ${number}` : `${number} − ∞ = −∞`;
  return [digits(sheet, open && masked !== score ? `${number} → ${result}` : added)];
}

function softmax(pair, sheet) {
  const { level, stage, data } = sheet;
  const { texts } = data;
  const { i, j, keys, top } = pair;
  if (pair.alone) return [];
  const open = (at) => isOpen(stage, i, at);
  const score = (at) => stage.masked.at(i, at);
  const weight = (at) => stage.weights.at(i, at);
  const power = (at) => (open(at) ? Math.fround(Math.exp(score(at) - top)) : 0);
  const powers = element("p", { text: fill(texts.powers, { total: numberText(sum(keys.map(power)), level) }) });
  if (level === "digits") {
    const head = [texts.key, texts.score, fill(texts.power, { top: numberText(top, level) }), texts.weight];
    const numbers = (at) => [score(at), power(at), weight(at)].map((value) => numberText(value, level));
    const lines = keys.map((at) => [data.columns[at], ...(open(at) ? numbers(at) : ["−∞", "0", "0"])]);
    return [powers, table(sheet, head, lines, j)];
  }
  const much = (at) => {
    if (!open(at)) return `× ${texts.masked}`;
    const given = weightText(weight(at), level);
    return level === "words" ? given : `e^${numberText(score(at) - top, level)} = ${numberText(power(at), level)} → ${given}`;
  };
  const shown = level === "words" ? strongest(stage, pair, MOST_BARS) : keys;
  const most = Math.max(...keys.map(weight));
  const rows = shown.map((at) => bar(data.columns[at], weight(at) / most, much(at), at === j));
  const rest = sum(keys.filter((at) => !shown.includes(at)).map(weight));
  if (shown.length < keys.length) rows.push(bar(texts.others, Math.min(rest / most, 1), weightText(rest, level)));
  return [...(level === "words" ? [] : [powers]), sheet.scroll(element("div", { class: "bars" }, ...rows.flat()))];
}

function context(pair, sheet) {
  const { level, stage, data } = sheet;
  const { texts, columns } = data;
  const { i, j, weight, names } = pair;
  const answer = stage.context.row(i);
  if (level === "digits" && !data.replaced) {
    const own = stage.v.row(j);
    const head = [texts.dimension, fill(texts.value, names), texts.part, texts.total];
    const numbers = (sum, n) => [own[n], own[n] * weight, sum].map((value) => numberText(value, level));
    return [
      table(
        sheet,
        head,
        Array.from(answer, (sum, n) => [String(n), ...numbers(sum, n)]),
      ),
    ];
  }
  const shown = data.replaced ? [] : strongest(stage, pair, MOST_ROWS);
  const rows = shown.map((at) => Array.from(stage.v.row(at), (value) => stage.weights.at(i, at) * value));
  const labels = shown.map((at) => columns[at]);
  if (!data.replaced && shown.length < columns.length) {
    rows.push(Array.from(answer, (whole, n) => whole - sum(rows.map((row) => row[n]))));
    labels.push(texts.others);
  }
  return [strip(sheet, "context", [...labels, texts.total], (row, n) => (rows[row] ?? answer)[n], answer.length)];
}

// Draws rows of numbers as a small picture.
function strip(sheet, name, labels, value, columns) {
  const { data, level, type } = sheet;
  const alt = fill(data.texts.strip, { names: labels.join(data.texts.separator), n: labels.length, d: columns });
  const canvas = element("canvas", { role: "img", "aria-label": alt });
  const written = level === "numbers" && columns <= 64;
  const cell = [written ? 40 * type : 1, 46 * type, 24 * type];
  const room = Math.max(160, sheet.room.story - 30);
  const table = { value, size: [labels.length, columns], rows: labels, columns: [], room, cell, decimals: written ? 2 : null };
  sheet.paint(canvas, table);
  return sheet.scroll(canvas, `strip ${name}`);
}

const digits = (sheet, text) => sheet.scroll(element("p", { class: "digits", text }));

// Draws one line of bars: a name, a bar of this share of the longest, and its number.
function bar(name, share, much, here) {
  return [
    element("span", { class: here ? "here" : "", text: name }),
    element("span", {}, element("i", { style: `width: ${(100 * share).toFixed(2)}%` })),
    element("span", { class: "much", text: much }),
  ];
}

function table(sheet, head, lines, here) {
  const titles = head.map((text) => element("th", { scope: "col", text }));
  const rows = lines.map(([name, ...rest], at) => {
    const cells = [element("th", { scope: "row", text: name }), ...rest.map((text) => element("td", { text }))];
    return element("tr", at === here ? { class: "here" } : {}, ...cells);
  });
  return sheet.scroll(element("table", {}, element("thead", {}, element("tr", {}, ...titles)), element("tbody", {}, ...rows)));
}
