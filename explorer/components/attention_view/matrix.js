// The matrix beside the words: the mean of the heads that are on, and an outline of what is selected or pointed at.

import { penOn } from "../shared/dom.js";
import { cellUnder, heatmap } from "../shared/heatmap.js";
import { caption } from "./sentence.js";

const LETTER = 16; // px, of letters of the usual size

export class Matrix {
  constructor(figure) {
    const find = (selector) => figure.querySelector(selector);
    Object.assign(this, { figure, cells: find(".cells"), base: find(".base"), lit: find(".lit") });
  }

  name(data, attention, active) {
    const words = caption(data, attention, active);
    this.figure.lastElementChild.textContent = words;
    this.base.setAttribute("aria-label", words);
  }

  // Shows the matrix or hides it, and measures the room that it has.
  measure({ matrix }) {
    this.figure.hidden = !matrix;
    this.below = this.figure.lastElementChild.offsetHeight;
    this.room = this.figure.clientWidth;
  }

  // Draws the matrix. besideRow: the row height of the words beside it, so that both end at the same height, with the caption.
  draw({ data, attention, mean, look, letter, besideRow }) {
    if (!data.matrix) return;
    const { probability: stops, masked } = data.palette[look.name];
    this.grid = heatmap(this.base, {
      value: (query, key) => (attention.open(query, key) ? mean[query * attention.keys + key] : NaN),
      size: [attention.queries, attention.keys],
      rows: data.rows,
      columns: data.columns,
      room: this.room,
      cell: [1, besideRow ? Math.min(2.4 * letter, besideRow - this.below / attention.queries) : 2.4 * letter, null],
      decimals: null,
      type: letter / LETTER,
      ...{ stops, low: 0, high: 1, masked, look },
    });
  }

  // Outlines a row, a column or their cell; nothing if both are null.
  outline(query, key, colour) {
    if (this.figure.hidden) return;
    const { left, top, w, h, down, across } = this.grid;
    const pen = penOn(this.lit, left + across * w + 2, top + down * h + 2);
    if (query === null && key === null) return;
    const [x, y] = [left + (key ?? 0) * w, top + (query ?? 0) * h];
    pen.strokeStyle = colour;
    pen.lineWidth = query !== null && key !== null ? 3 : 2;
    pen.strokeRect(x - 0.5, y - 0.5, (key === null ? across : 1) * w, (query === null ? down : 1) * h);
  }

  under(event) {
    const cell = cellUnder(event, this.base, this.grid);
    return cell && { query: cell.row, key: cell.column };
  }
}
