// The numbers of each kind of picture in long form, a row for each: { columns: [names], rows: [[cells], ...] }. A column that says
// nothing in any row is left out.

import { fill } from "../shared/dom.js";
import { reader, unmarked } from "./text.js";

function table(columns, rows) {
  const said = columns.map((_, at) => rows.some((row) => ![null, undefined, ""].includes(row[at])));
  const only = (row) => row.filter((_, at) => said[at]);
  return { columns: only(columns), rows: rows.map(only) };
}

// What a cell is called: names that begin with the number of their place say that once more than is needed, but as on the screen.
const place = (names, at) => [at, names[at] ?? null];

// data, values, valid, noteNumbers: those of the view of matrices.
export function tableOfMatrices({ data, values, valid, noteNumbers }) {
  const [count, rows, columns] = values.shape;
  const [value, n] = [reader(values.values), noteNumbers && reader(noteNumbers.values)];
  const named = (i) => (typeof data.names === "string" ? fill(data.names, { i }) : data.names[i]);
  const said = [];
  for (let i = 0; i < count; i++) {
    for (let row = 0; row < rows; row++) {
      for (let column = 0; column < columns; column++) {
        const at = (i * rows + row) * columns + column;
        const open = valid.values[at % valid.values.length] === 1;
        const words = data.marks?.[row][column].replaceAll("\n", " ") ?? (n && open ? data.note_labels[value(at)] : null);
        said.push([
          ...(count > 1 ? [i, named(i)] : [null, named(i)]),
          ...place(data.rows, row),
          ...place(data.columns, column),
          open ? value(at) : null,
          open ? null : data.masked,
          words,
          n ? n(row * columns + column) : null,
          data.axes,
        ]);
      }
    }
  }
  return table(["panel", "name", "row", "row_name", "column", "column_name", "value", "masked", "label", "n", "axes"], said);
}

// data, attention: those of the attention view.
export function tableOfAttention({ data, attention }) {
  const { heads, queries, keys, all } = attention;
  const weight = reader(all);
  const frames = all.length / (heads * queries * keys);
  const said = [];
  for (let frame = 0; frame < frames; frame++) {
    for (let head = 0; head < heads; head++) {
      for (let query = 0; query < queries; query++) {
        for (let key = 0; key < keys; key++) {
          const open = attention.open(query, key);
          said.push([
            data.film[frame],
            head,
            ...place(data.rows, query),
            ...place(data.columns, key),
            weight(((frame * heads + head) * queries + query) * keys + key),
            open ? 1 : 0,
          ]);
        }
      }
    }
  }
  return table(["picture", "head", "query", "query_word", "key", "key_word", "weight", "may_attend"], said);
}

// The axes of the stages of the arithmetic: words, or the numbers of a vector.
const STAGES = { v: ["columns", null], context: ["rows", null], left: ["rows", null], right: ["columns", null] };

// data, stage: those of the arithmetic.
export function tableOfArithmetic({ data, stage }) {
  const said = [];
  for (const [name, { values, rows, columns }] of Object.entries(stage)) {
    const [down, across] = STAGES[name] ?? ["rows", "columns"];
    const value = reader(values);
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) {
        const at = value(i * columns + j);
        const masked = at === null ? "−∞" : null;
        said.push([name, ...place(data[down], i), ...place(data[across] ?? [], j), at, masked, data.axes]);
      }
    }
  }
  return table(["stage", "row", "row_name", "column", "column_name", "value", "masked", "axes"], said);
}

// data: what the map of shapes was sent.
export function tableOfShapes({ columns, selected, texts }) {
  const said = [];
  const tell = (stack, part, tensor, name, value) => said.push([stack, part, tensor, name, value]);
  for (const { stack, groups } of columns) {
    for (const { id, blocks, cost, in_all: inAll } of groups) {
      for (const block of blocks) for (const [axis, size] of block.axes) tell(stack, id, block.id, axis, size);
      for (const name of Object.keys(texts.totals)) tell(stack, id, null, name, cost[name]);
      for (const name of Object.keys(texts.totals)) tell(stack, id, null, `${name}, all layers`, inAll[name]);
    }
  }
  const rows = said.map((row) => [...row, null, null, null, null, null]);
  if (selected) rows.push(...numbersOf(selected));
  return table(["stack", "part", "tensor", "name", "value", "sheet", "row", "row_name", "column", "column_name"], rows);
}

// Returns the rows of the numbers of the tensor that is selected: `values` are unpacked.
function numbersOf({ id, values: { values, shape }, rows, columns, sheets }) {
  const [count, down, across] = shape;
  const value = reader(values);
  return Array.from(values, (_, at) => {
    const [sheet, row, column] = [Math.floor(at / (down * across)), Math.floor(at / across) % down, at % across];
    const named = [count > 1 ? (sheets[sheet] ?? sheet) : null, ...place(rows, row), ...place(columns, column)];
    return [null, null, id, null, value(at), ...named];
  });
}

// data: what the film of one step was sent. A row for each right word, and one for each part that has weights.
export function tableOfOneStep({ words, before, after, map }) {
  const said = words.map((_, at) => [...place(words, at), before[at], after[at], null, null, null, null]);
  for (const { name, gradient, nudge, weights } of map.boxes)
    if (gradient !== undefined) said.push([null, null, null, null, name, gradient, nudge, weights]);
  return table(["place", "word", "before", "after", "part", "gradient", "nudge", "weights"], said);
}

// data, source, frames: those of the map of words. A row for each word of both languages: its places, before the turn and after it, its
// translation, and the nearest word of the other language, likewise.
export function tableOfWordMap({ data: { words, kinds, titles, across, turned }, source, frames }) {
  const at = (places, word) => [0, 1].map((axis) => reader(places)(2 * word + axis));
  const said = words.flatMap(([english, other, kind], i) => {
    const used = i % 2 ? 0 : 1;
    const [found, then] = [across, turned].map((nearest) => words[nearest[i][0]][1]);
    return [
      [titles[0], english, other, kinds[kind], used, ...at(source, i), ...at(source, i), found, then],
      [titles[1], other, english, kinds[kind], used, ...at(frames[0], i), ...at(frames.at(-1), i), null, null],
    ];
  });
  const places = ["x", "y", "x_turned", "y_turned", "nearest", "nearest_turned"];
  return table(["map", "word", "translation", "kind", "gave_the_rotation", ...places], said);
}

// opening, data: those of the first screen. A row for each link of each kept step, and what is written where it is cut, if that came
// with the page.
export function tableOfStart({ opening: { source, steps }, data: { cuts, between } }) {
  const said = steps.flatMap(({ step, words, weights }) =>
    weights.flatMap((row, i) =>
      row.map((weight, key) => {
        const without = step === cuts?.after ? cuts.links[`${i}-${key}`] : undefined;
        return [step, ...place(words, i), ...place(source, key), weight, without?.words.join(between)];
      }),
    ),
  );
  return table(["step", "query", "query_word", "key", "key_word", "weight", "without_it_writes"], said);
}

// The drawing of the whole model: its parts with what stands in them, and the shapes on its lines.
export function tableOfModel({ boxes, shapes, frames }) {
  return table(
    ["kind", "part", "label", "note", "x", "y", "width", "height"],
    [
      ...frames.map(({ label, x, y, w, h }) => ["stack", null, label, null, x, y, w, h]),
      ...boxes.map(({ part, label, note, x, y, w, h }) => ["part", part, label, note, x, y, w, h]),
      ...shapes.map(({ text, x, y }) => ["shape", null, text, null, x, y, null, null]),
    ],
  );
}

// traces: as Plotly has them, with their arrays unpacked; layout: that of the figure. The words that stand over a row of bars or dots
// are its name; all other words in the figure are rows of their own.
export function tableOfPlot(traces, layout) {
  const titleOf = (kind, name) => unmarked(layout[`${kind}axis${(name ?? "").slice(1)}`]?.title?.text);
  const written = (layout.annotations ?? []).map((each) => ({ ...each, text: unmarked(each.text) }));
  const overRows = written.filter(({ xref, yref, y }) => xref === "paper" && /^y\d*$/.test(yref) && typeof y === "number");
  const names = new Set();
  const nameOf = (axis, y) => {
    if (typeof y !== "number") return null;
    const near = overRows.filter((each) => each.yref === (axis ?? "y") && Math.abs(each.y - y) < 0.5);
    const [name] = near.sort((a, b) => Math.abs(a.y - y) - Math.abs(b.y - y));
    if (name) names.add(name);
    return name?.text ?? null;
  };
  const said = traces.flatMap((trace, i) => {
    const [xs, ys] = [trace.x ?? [], trace.y ?? []];
    const [x, y, text, more] = [xs, ys, trace.text, trace.hovertext].map(listOf);
    const axes = [titleOf("x", trace.xaxis), titleOf("y", trace.yaxis)];
    return Array.from({ length: Math.max(xs.length, ys.length) }, (_, n) => [
      ...[i, unmarked(trace.name), ...axes, n],
      ...[nameOf(trace.yaxis, y(n)), x(n), y(n), text(n), more(n)],
    ]);
  });
  const others = written.filter((each) => each.text && !names.has(each));
  const notes = others.map(({ x, y, text }) => [null, null, null, null, null, null, x, y, text, null]);
  return table(["trace", "name", "x_axis", "y_axis", "point", "row_name", "x", "y", "text", "says"], [...said, ...notes]);
}

// Reads a list of one value for each point, or one value for all of them; words without their marks.
function listOf(values) {
  const read = typeof values === "object" && values !== null ? reader(values) : () => values ?? null;
  return (n) => {
    const value = read(n);
    return typeof value === "string" ? unmarked(value) : value;
  };
}
