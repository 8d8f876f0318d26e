// One matrix, or several of one shape side by side, each on a canvas, with a scale of colours below.

import { layout, short } from "./layout.js";
import { unpack } from "../shared/arrays.js";
import { lookOf } from "../shared/colour.js";
import { element, fill, penOf, range } from "../shared/dom.js";
import { canFillScreen, fillsScreen } from "../shared/full_screen.js";
import { cellUnder, heatmap, labelRoom } from "../shared/heatmap.js";
import { follow } from "../shared/live.js";
import { canBeTakenHome } from "../shared/take_home.js";

const FULL = 0.8; // share of the screen that the cells may fill
const TYPE = 13; // px of letters of the usual size

class Matrices {
  constructor(node) {
    this.node = node;
    this.ruler = document.createElement("canvas").getContext("2d"); // measures labels
    this.axes = element("p", { class: "axes" });
    this.panels = element("div", { class: "panels" });
    this.legend = element("p", { class: "legend" });
    this.tip = element("p", { class: "tip", hidden: "" });
    node.replaceChildren(this.axes, this.panels, this.legend, this.tip);
    this.sizes = new ResizeObserver(() => {
      if (this.data && Math.abs(node.clientWidth - this.width) > 1) this.draw();
    });
    this.sizes.observe(node);
  }

  // isLive: see `follow`.
  take(data, isLive) {
    this.data = data;
    for (const name of ["values", "valid", "ends"]) this[name] = unpack(data[name]);
    this.noteNumbers = data.note_numbers && unpack(data.note_numbers);
    this.draw(isLive);
  }

  draw(isLive) {
    const { node, data, values, panels } = this;
    if (!isLive || !this.width) {
      this.width = node.clientWidth;
      this.look = lookOf(node);
      this.type = Number.parseFloat(getComputedStyle(node).fontSize) / TYPE;
      this.cutColour = getComputedStyle(node).getPropertyValue("--theme-pink");
    }
    if (!this.width) return;
    const [count, rows, columns] = values.shape;
    const labels = labelRoom(this.ruler, { ...data, look: this.look, room: this.width, type: this.type });
    const full = fillsScreen(node) ? FULL * innerHeight : null;
    const { wide, cell, narrowest, square } = data;
    this.plan = layout({ count, rows, columns, wide, cell, narrowest, square }, labels, this.width, full);
    node.setAttribute("aria-label", data.alt);
    node.classList.toggle("clickable", data.clickable);
    this.axes.textContent = data.axes;
    while (panels.childElementCount > count) panels.lastChild.remove();
    while (panels.childElementCount < count) panels.append(this.panel(panels.childElementCount));
    Object.assign(panels.style, {
      gap: `8px ${this.plan.gap}px`,
      gridTemplateColumns: `repeat(${this.plan.across}, max-content)`,
    });
    this.grids = range(count).map((i) => this.drawPanel(i, labels.left));
    if (narrowest) panels.tabIndex = 0;
    else panels.removeAttribute("tabindex");
    this.drawLegend();
    node.dataset.drawn = Number(node.dataset.drawn ?? 0) + 1;
  }

  panel(i) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    canvas.onpointermove = canvas.onpointerdown = (event) => this.tell(i, event);
    canvas.onpointerleave = () => this.hush();
    canvas.onclick = (event) => {
      const cell = cellUnder(event, canvas, this.grids[i]);
      if (cell && this.data.clickable) this.click({ x: cell.column, y: cell.row, panel: i });
    };
    return element("figure", {}, element("figcaption"), canvas);
  }

  name(i) {
    const { names } = this.data;
    return typeof names === "string" ? fill(names, { i }) : (names[i] ?? "");
  }

  // Row labels are beside the first panel of a line, column labels above the first line.
  drawPanel(i, left) {
    const { data, values, valid, ends, plan, look, type } = this;
    const [, rows, columns] = values.shape;
    const [caption, canvas] = this.panels.children[i].children;
    const at = (row, column) => (i * rows + row) * columns + column;
    const first = i % plan.across === 0;
    const { stops, masked } = data.colours[look.name];
    const grid = heatmap(canvas, {
      value: (row, column) => (valid.values[at(row, column)] ? values.values[at(row, column)] : NaN),
      mark: data.marks && ((row, column) => data.marks[row][column]),
      size: [rows, columns],
      rows: first ? data.rows : [],
      columns: i < plan.across ? data.columns : [],
      low: ends.at(i, 0),
      high: ends.at(i, 1),
      room: this.width,
      cell: [plan.w, plan.w, plan.h],
      decimals: data.decimals,
      ...{ stops, masked, look, type },
    });
    this.cut(penOf(canvas), grid);
    caption.textContent = this.name(i);
    caption.hidden = !caption.textContent;
    caption.style.marginLeft = `${grid.left}px`;
    // Slanted labels may reach over the next panel.
    this.panels.children[i].style.width = `${(first ? left : 0) + plan.w * columns}px`;
    return grid;
  }

  cut(pen, { left, top, w, h, down, across }) {
    pen.fillStyle = this.cutColour;
    for (const row of this.data.cut_rows) pen.fillRect(left, top + row * h - 2, across * w, 3);
    for (const column of this.data.cut_columns) pen.fillRect(left + column * w - 2, top, 3, down * h);
  }

  drawLegend() {
    const { data, valid, ends, legend } = this;
    const { stops, masked } = data.colours[this.look.name];
    const parts = [];
    if (data.scale) {
      const bar = element("i", { class: "bar" });
      bar.style.background = `linear-gradient(to right, ${stops.map(([at, colour]) => `${colour} ${100 * at}%`).join()})`;
      parts.push(element("span", { text: short(ends.at(0, 0)) }), bar, element("span", { text: short(ends.at(0, 1)) }));
      if (data.title) parts.push(element("span", { text: data.title }));
    }
    if (valid.values.includes(0)) {
      const sample = element("i", { class: "sample", text: "×" });
      Object.assign(sample.style, { background: masked.cell, color: masked.mark });
      parts.push(sample, element("span", { text: data.masked }));
    }
    legend.replaceChildren(...parts);
    legend.hidden = !parts.length;
  }

  // --- what a cell says ---

  tell(i, event) {
    const { data, values, valid, tip, node } = this;
    const cell = cellUnder(event, event.currentTarget, this.grids[i]);
    if (!cell) return this.hush();
    const { row, column } = cell;
    const [, rows, columns] = values.shape;
    const place = (i * rows + row) * columns + column;
    const number = valid.values[place] ? values.values[place].toFixed(4).replace("-", "−") : data.masked;
    const said =
      this.note(row, column, place) ?? data.notes?.[row][column] ?? `${data.rows[row]} · ${data.columns[column]}: ${number}`;
    tip.replaceChildren(...[this.name(i), said].filter(Boolean).map((text) => element("span", { text })));
    tip.hidden = false;
    const box = node.getBoundingClientRect();
    const left = Math.min(event.clientX - box.left + 14, box.width - tip.offsetWidth);
    Object.assign(tip.style, { left: `${Math.max(0, left)}px`, top: `${event.clientY - box.top - tip.offsetHeight - 10}px` });
  }

  note(row, column, place) {
    const { data, values, noteNumbers } = this;
    if (!noteNumbers) return null;
    return fill(data.note, {
      row: data.rows[row],
      label: data.note_labels[values.values[place]],
      n: noteNumbers.at(row, column),
    });
  }

  hush() {
    this.tip.hidden = true;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const node = parentElement.querySelector(".matrices");
  node.matrices ??= new Matrices(node);
  node.matrices.click = (place) => setTriggerValue("click", place);
  canBeTakenHome(parentElement);
  canFillScreen(parentElement);
  follow(node, data.live, (numbers, isLive) => node.matrices.take({ ...data, ...numbers }, isLive));
  return () => {
    if (!node.isConnected) node.matrices.sizes.disconnect();
  };
}
