// The details of the selected block: its numbers, its axes, its code, its costs.

import { unpack } from "../shared/arrays.js";
import { lookOf } from "../shared/colour.js";
import { element, fill } from "../shared/dom.js";
import { heatmap, signedScale } from "../shared/heatmap.js";

const SMALL = 150; // px of one of several sheets at least
const GAP = 14; // px between them

export class Details {
  // close: called when the visitor deselects the block.
  constructor(node, close) {
    Object.assign(this, { node, close });
  }

  // block: the selected one, or undefined; numbers: its details from the server, or null until they come.
  show(block, numbers, { texts, palette }) {
    Object.assign(this, { numbers, palette });
    if (!block) return this.node.replaceChildren(element("p", { class: "hint", text: texts.hint }));
    const close = element("button", { type: "button", class: "close", text: "×", "aria-label": texts.close });
    close.onclick = () => this.close();
    const shape = `(${block.axes.map(([, size]) => size).join(", ")})`;
    const head = element("p", { class: "head" }, element("code", { text: block.id }), ` ${shape}`, close);
    const axes = element("dl", { class: "axes" });
    for (const [name, size] of block.axes) {
      axes.append(element("dt", { text: fill(texts.axis, { name, size }) }), element("dd", { text: texts.axes[name] }));
    }
    if (!numbers) return this.node.replaceChildren(head, axes, element("p", { class: "hint", text: texts.loading }));
    this.sheets = element("div", { class: "sheets", role: "img", "aria-label": numbers.alt, tabindex: 0 });
    const code = element("pre", { tabindex: 0 }, element("code", { text: numbers.code }));
    const made = numbers.code ? [code, element("p", { class: "place", text: numbers.place })] : [];
    const note = numbers.note ? [element("p", { class: "note", text: numbers.note })] : [];
    const cost = element("ul", { class: "cost" }, ...numbers.cost.map((text) => element("li", { text })));
    this.node.replaceChildren(head, this.sheets, ...note, axes, ...made, cost);
    this.draw();
  }

  // Draws the tensor's numbers as coloured cells; several sheets side by side, on one scale.
  draw() {
    const { numbers, sheets } = this;
    if (!numbers || !sheets?.isConnected || !sheets.clientWidth) return;
    const look = lookOf(this.node);
    const { probability, signed, masked } = this.palette[look.name];
    const { values, shape } = unpack(numbers.values);
    const [count, rows, columns] = shape;
    const at = (sheet) => (i, j) => cellOf(values[(sheet * rows + i) * columns + j]);
    const scale = numbers.is_share ? { low: 0, high: 1, stops: probability } : { ...limits(values), stops: signed };
    const across = Math.max(1, Math.min(count, Math.floor((sheets.clientWidth + GAP) / (SMALL + GAP))));
    const room = Math.floor((sheets.clientWidth - (across - 1) * GAP) / across) - 2;
    let widest = 34; // px of a cell; those of the first sheet leave space for its labels, and all others are as wide
    const figures = Array.from({ length: count }, (_, sheet) => {
      const canvas = element("canvas");
      const grid = heatmap(canvas, {
        value: at(sheet),
        size: [rows, columns],
        rows: numbers.rows,
        columns: numbers.columns,
        ...scale,
        masked,
        look,
        room,
        cell: [0.5, widest, rows > 40 ? 2.5 : Math.max(11, Math.min(18, 220 / rows))],
        decimals: rows * columns <= 600 ? 2 : null,
      });
      widest = grid.w;
      const name = numbers.sheets.length ? [element("figcaption", { text: numbers.sheets[sheet] })] : [];
      return element("figure", {}, canvas, ...name);
    });
    sheets.replaceChildren(...figures);
  }
}

const cellOf = (value) => (Number.isFinite(value) ? value : Number.NaN);

// Returns a scale centred on 0 that holds all sheets.
const limits = (values) => signedScale((_, j) => cellOf(values[j]), [1, values.length]);
