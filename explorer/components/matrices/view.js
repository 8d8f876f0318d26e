// One matrix, or several of one shape side by side, each on a canvas, with a scale of colours below.

import { layout, short } from "./layout.js";
import { drawOverview } from "./overview.js";
import { unpack } from "../shared/arrays.js";
import { lookOf } from "../shared/colour.js";
import { element, fill, penOf, range } from "../shared/dom.js";
import { canFillScreen, fillsScreen } from "../shared/full_screen.js";
import { cellUnder, heatmap, labelRoom } from "../shared/heatmap.js";
import { follow } from "../shared/live.js";
import { keyed } from "../shared/streamlit_dom.js";
import { canBeTakenHome } from "../shared/take_home.js";

const FULL = 0.8; // share of the screen that the cells may fill
const SEEN = 0.8; // share of the screen down to which the beginning of a box is seen
const FRAME = 3; // px around a cell
const TYPE = 13; // px of letters of the usual size
const WORD = 14; // px of a cell from which on each label of an overview has room

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
    const before = this.data;
    this.data = data;
    for (const name of ["values", "valid", "ends"]) if (data[name] !== before?.[name]) this[name] = unpack(data[name]);
    this.cutCells = data.cut_cells && unpack(data.cut_cells).values;
    this.noteNumbers = data.note_numbers && unpack(data.note_numbers);
    this.draw(isLive);
  }

  draw(isLive) {
    const { node, data, panels } = this;
    if (!isLive || !this.width) {
      this.width = node.clientWidth;
      this.look = lookOf(node);
      this.type = Number.parseFloat(getComputedStyle(node).fontSize) / TYPE;
      this.cutColour = getComputedStyle(node).getPropertyValue("--theme-pink").trim();
    }
    if (!this.width) return;
    this.labels = { rows: data.rows, columns: data.columns };
    let room = this.layOut();
    if (data.overview && this.plan.w < WORD * this.type) {
      this.labels = { rows: [], columns: [] };
      room = this.layOut();
    }
    node.setAttribute("aria-label", data.alt);
    node.classList.toggle("clickable", data.clickable);
    if (this.axes.textContent !== data.axes) this.axes.textContent = data.axes;
    this.grids = data.overview ? this.drawTogether(room) : this.drawPanels(room);
    if (data.narrowest) panels.tabIndex = 0;
    else panels.removeAttribute("tabindex");
    this.drawLegend();
    node.dataset.drawn = Number(node.dataset.drawn ?? 0) + 1;
  }

  // Finds the size of a cell beside the labels; returns the room that these take.
  layOut() {
    const { data, node, labels, look, width, type } = this;
    const [count, rows, columns] = this.values.shape;
    const room = labelRoom(this.ruler, { ...labels, look, room: width, type });
    this.plan = layout({ ...data, count, rows, columns }, room, width, fillsScreen(node) ? FULL * innerHeight : null);
    return room;
  }

  drawTogether(room) {
    const { data, values, panels, plan, labels, look, type } = this;
    const [count, ...size] = values.shape;
    if (!panels.childElementCount) panels.append(this.canvas());
    const panelOf = (i) => {
      const name = this.name(i);
      return { name, table: this.table(i), isChosen: name === data.chosen, isCrossed: data.crossed.includes(i) };
    };
    const colours = { chosen: look.primary, crossed: this.cutColour };
    return drawOverview(panels.firstChild, { count, size, plan, labels, room, panelOf, look, type, colours });
  }

  drawPanels({ left }) {
    const { values, panels, plan } = this;
    const [count] = values.shape;
    while (panels.childElementCount > count) panels.lastChild.remove();
    while (panels.childElementCount < count) {
      const canvas = this.canvas(panels.childElementCount);
      panels.append(element("figure", {}, element("figcaption"), canvas));
    }
    Object.assign(panels.style, { gap: `8px ${plan.gap}px`, gridTemplateColumns: `repeat(${plan.across}, max-content)` });
    return range(count).map((i) => this.drawPanel(i, left));
  }

  // Returns a canvas for one panel, or for all of them.
  canvas(only) {
    const canvas = element("canvas", { "aria-hidden": "true" });
    const under = (event) => {
      for (const panel of only === undefined ? this.grids.keys() : [only]) {
        const cell = cellUnder(event, canvas, this.grids[panel]);
        if (cell) return { ...cell, panel };
      }
      return null;
    };
    canvas.onpointermove = canvas.onpointerdown = (event) => this.tell(under(event), event);
    canvas.onpointerleave = () => this.hush();
    canvas.onclick = (event) => {
      const cell = under(event);
      if (cell && this.data.clickable) this.click({ x: cell.column, y: cell.row, panel: cell.panel });
    };
    return canvas;
  }

  name(i) {
    const { names } = this.data;
    return typeof names === "string" ? fill(names, { i }) : (names[i] ?? "");
  }

  // Row labels are beside the first panel of a line, column labels above the first line.
  drawPanel(i, left) {
    const { data, values, plan } = this;
    const [, rows, columns] = values.shape;
    const [caption, canvas] = this.panels.children[i].children;
    const first = i % plan.across === 0;
    const grid = heatmap(canvas, {
      ...this.table(i),
      mark: data.marks && ((row, column) => data.marks[row][column]),
      size: [rows, columns],
      rows: first ? data.rows : [],
      columns: i < plan.across ? data.columns : [],
      room: this.width,
      cell: [plan.w, plan.w, plan.h],
    });
    this.cut(penOf(canvas), grid);
    if (data.framed && i === 0) this.frame(penOf(canvas), grid, data.framed);
    caption.textContent = this.name(i);
    caption.hidden = !caption.textContent;
    caption.style.marginLeft = `${grid.left}px`;
    // Slanted labels may reach over the next panel.
    this.panels.children[i].style.width = `${(first ? left : 0) + plan.w * columns}px`;
    return grid;
  }

  // Returns the numbers and the colours of a panel, as `heatmap` takes them.
  table(i) {
    const { data, values, valid, ends, look, type, cutCells } = this;
    const [, rows, columns] = values.shape;
    const numbers = values.values.subarray(i * rows * columns);
    const open = valid.shape[0] > 1 ? valid.values.subarray(i * rows * columns) : valid.values;
    const cells = cutCells?.subarray(i * rows * columns);
    const { stops, masked } = data.colours[look.name];
    return {
      value: (row, column) => (open[row * columns + column] ? numbers[row * columns + column] : NaN),
      own: cells && ((row, column) => (cells[row * columns + column] ? this.cutColour : undefined)),
      low: ends.at(i, 0),
      high: ends.at(i, 1),
      decimals: data.decimals,
      ...{ stops, masked, look, type },
    };
  }

  cut(pen, { left, top, w, h, down, across }) {
    pen.fillStyle = this.cutColour;
    for (const row of this.data.cut_rows) pen.fillRect(left, top + row * h - 2, across * w, 3);
    for (const column of this.data.cut_columns) pen.fillRect(left + column * w - 2, top, 3, down * h);
  }

  frame(pen, { left, top, w, h }, [row, column]) {
    const [x, y] = [left + column * w - FRAME, top + row * h - FRAME];
    const [wide, high] = [w + 2 * FRAME - 1, h + 2 * FRAME - 1];
    pen.fillStyle = this.cutColour;
    for (const at of [y, y + high - FRAME]) pen.fillRect(x, at, wide, FRAME);
    for (const at of [x, x + wide - FRAME]) pen.fillRect(at, y, FRAME, high);
  }

  // Draws the scale and the kinds of cells, if they say anything new: the browser would lay the page out anew.
  drawLegend() {
    const { data, valid, ends, legend, look, cutCells, cutColour } = this;
    const { stops, masked } = data.colours[look.name];
    const scale = data.scale ? [short(ends.at(0, 0)), short(ends.at(0, 1)), data.title] : null;
    const kinds = [
      ...(valid.values.some((open, at) => !open && !cutCells?.[at]) ? [[masked.cell, data.masked]] : []),
      ...(cutCells ? [[cutColour, data.cut]] : []),
    ];
    const said = JSON.stringify([look.name, scale, kinds]);
    if (said === this.legendSaid) return;
    this.legendSaid = said;
    const parts = [];
    if (scale) {
      const bar = element("i", { class: "bar" });
      bar.style.background = `linear-gradient(to right, ${stops.map(([at, colour]) => `${colour} ${100 * at}%`).join()})`;
      const [low, high, title] = scale.map((text) => element("span", { text }));
      parts.push(low, bar, high, ...(data.title ? [title] : []));
    }
    for (const [background, text] of kinds) {
      const sample = element("i", { class: "sample", text: "×" });
      Object.assign(sample.style, { background, color: masked.mark });
      parts.push(sample, element("span", { text }));
    }
    legend.replaceChildren(...parts);
    legend.hidden = !parts.length;
  }

  // --- what a cell says ---

  tell(cell, event) {
    const { data, values, valid, tip, node } = this;
    if (!cell) return this.hush();
    const { row, column, panel } = cell;
    const [, rows, columns] = values.shape;
    const place = (panel * rows + row) * columns + column;
    const isOpen = valid.values[place % valid.values.length];
    const closed = this.cutCells?.[place] ? data.cut : data.masked;
    const number = isOpen ? values.values[place].toFixed(4).replace("-", "−") : closed;
    const said =
      this.note(row, column, place) ?? data.notes?.[row][column] ?? `${data.rows[row]} · ${data.columns[column]}: ${number}`;
    tip.replaceChildren(...[this.name(panel), said].filter(Boolean).map((text) => element("span", { text })));
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
  node.matrices.click = (place) => {
    setTriggerValue("click", place);
    const opened = data.opens ? document.querySelector(keyed(data.opens)) : null;
    if (opened?.getBoundingClientRect().top > SEEN * innerHeight) opened.scrollIntoView({ block: "start" });
  };
  canBeTakenHome(parentElement);
  canFillScreen(parentElement);
  follow(node, data.live, (numbers, isLive) => node.matrices.take({ ...data, ...numbers }, isLive));
  return () => {
    if (!node.isConnected) node.matrices.sizes.disconnect();
  };
}
