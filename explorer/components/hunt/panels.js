// What a look shows: one panel each. Blue is the whole model, orange the broken one.

import { element, fill, range, svgElement } from "../shared/dom.js";

const CELL = 10; // of a matrix, in its own units
const FAINT = 0.02; // weights below which nothing is drawn
const cell = (text, given = {}) => element("td", given, text);
const header = (text, given = {}) => element("th", { scope: "col", ...given, text });

// Returns what a panel of this kind holds.
export function panel(drawn, data) {
  return [
    element("h2", { text: drawn.title }),
    ...KINDS[drawn.kind](drawn, data),
    element("p", { class: "note", text: drawn.said }),
  ];
}

// Words of an answer, those marked that the other answer lacks.
const pieces = (answer, language) =>
  element("span", { lang: language }, ...answer.map(([text, differs]) => (differs ? element("b", { text }) : text)));

export function answers({ columns, rows }, { answerLanguage }) {
  const head = element("tr", {}, ...columns.map((text) => header(text)));
  const body = rows.map(({ asked, whole, broken }) =>
    element(
      "tr",
      {},
      cell(element("span", { lang: "en", text: asked })),
      cell(pieces(whole, answerLanguage), { class: "whole" }),
      cell(pieces(broken, answerLanguage), { class: "broken" }),
    ),
  );
  return element("table", { class: "answers", translate: "no" }, element("thead", {}, head), element("tbody", {}, ...body));
}

// A number with its bar, of one of the two models.
const measured = (which, share, text) => element("td", { class: which }, element("span", { text }), bar(share));

const bar = (share) => {
  const node = element("span", { class: "bar" }, element("i"));
  node.firstChild.style.width = `${100 * Math.min(1, share)}%`;
  return node;
};

function shares({ rows }, { texts }) {
  const head = element("tr", {}, header(""), header(texts.whole), header(texts.broken));
  const body = rows.map(({ name, n, whole, broken }) =>
    element(
      "tr",
      {},
      element("th", { scope: "row", text: name }),
      measured("whole", whole / n, fill(texts.of, { right: whole, n })),
      measured("broken", broken / n, fill(texts.of, { right: broken, n })),
    ),
  );
  return [element("table", { class: "bars" }, element("thead", {}, head), element("tbody", {}, ...body))];
}

function matrix(weights, which, label) {
  const [rows, columns] = [weights.length, weights[0].length];
  const style = `--rows: ${rows}; --columns: ${columns}`;
  const box = `0 0 ${columns * CELL} ${rows * CELL}`;
  const paper = svgElement("rect", { class: "paper", width: columns * CELL, height: rows * CELL });
  const cells = weights.flatMap((row, y) =>
    row.flatMap((weight, x) => {
      const place = { x: x * CELL + 0.5, y: y * CELL + 0.5, width: CELL - 1, height: CELL - 1, rx: 1.5 };
      return weight < FAINT ? [] : [svgElement("rect", { ...place, "fill-opacity": weight })];
    }),
  );
  const given = { viewBox: box, class: `matrix ${which}`, style, role: "img", "aria-label": label };
  return svgElement("svg", given, paper, ...cells);
}

const names = (texts, way) =>
  element(
    "span",
    { class: `words ${way}`, "aria-hidden": true, translate: "no" },
    ...texts.map((text) => element("i", { text })),
  );

function heads({ layers, queries, keys }, { texts }) {
  const sentence = element("p", { class: "axes", translate: "no", text: `${queries.join(" ")} → ${keys.join(" ")}` });
  const drawn = layers.map((layer) => {
    const grid = element(
      "div",
      { class: "maps" },
      element("span"),
      element("span"),
      ...layer.heads.map(() => names(keys, "across")),
    );
    for (const [at, which] of ["whole", "broken"].entries()) {
      grid.append(element("span", { class: `model ${which}`, text: texts[which] }), names(queries, "down"));
      for (const [i, head] of layer.heads.entries()) {
        const bits = head.spread[at];
        const label = fill(texts.map, { model: texts[which], layer: layer.name, n: i + 1, bits });
        grid.append(element("figure", {}, matrix(head[which], which, label), element("figcaption", { text: bits })));
      }
    }
    return [element("h3", { text: layer.name }), grid];
  });
  return [sentence, ...drawn.flat()];
}

function writing({ steps, models }, { answerLanguage }) {
  return models.map(({ title, rows }, at) => {
    const body = rows.map((texts, i) => {
      const cells = texts.map((text) => cell(text, { lang: answerLanguage }));
      return element("tr", {}, element("th", { scope: "row", text: steps[i] }), ...cells);
    });
    const which = at ? "broken" : "whole";
    const table = element("table", { class: "writing", translate: "no" }, element("tbody", {}, ...body));
    return element(
      "div",
      { class: `scrolls ${which}`, tabindex: 0, role: "group", "aria-label": title },
      element("h3", { text: title }),
      table,
    );
  });
}

function lengths({ columns, rows }, { texts }) {
  const most = Math.log1p(Math.max(...rows.flatMap(({ values }) => values.flat())));
  const number = (x) => (x < 10 ? x.toFixed(1) : x.toFixed(0));
  const above = element("tr", {}, header(""), ...columns.map((text) => header(text, { colspan: 2, scope: "colgroup" })));
  const below = element("tr", {}, header(""), ...columns.flatMap(() => [header(texts.whole), header(texts.broken)]));
  const one = (which, x) => measured(which, Math.log1p(x) / most, number(x));
  const body = rows.map(({ part, values }) => {
    const cells = values.flatMap(([whole, broken]) => [one("whole", whole), one("broken", broken)]);
    return element("tr", {}, element("th", { scope: "row", text: part }), ...cells);
  });
  return [element("table", { class: "bars lengths" }, element("thead", {}, above, below), element("tbody", {}, ...body))];
}

const KINDS = { shares, heads, writing, lengths, first: () => [] };

// Dots for points, those that are spent at the end.
export const dots = (left, most) => range(most).map((i) => element("i", i < left ? { class: "left" } : {}));
