// A matrix with one cell selected, and the arithmetic of that cell in steps. All numbers were sent with the picture.

import { unpack } from "../shared/arrays.js";
import { lookOf } from "../shared/colour.js";
import { clamp, element, fill, put } from "../shared/dom.js";
import { canFillScreen } from "../shared/full_screen.js";
import { cellUnder, heatmap, signedScale } from "../shared/heatmap.js";
import { follow } from "../shared/live.js";
import { canBeTakenHome } from "../shared/take_home.js";
import { cellAt } from "./keys.js";
import { isOpen, numberText, pairOf } from "./numbers.js";
import { Player } from "./player.js";
import { bodies, resultsOf, textOf } from "./steps.js";

const PACE = 2400; // ms per step while playing
const TYPE = 14; // px of letters of the usual size
const TELL = 250; // ms that a cell stays selected before the server is told
const COLOURED = {
  terms: "terms",
  sum: "terms",
  scale: "compared",
  distance: "scores",
  mask: "mask",
  softmax: "weights",
  context: "weights",
};

class Arithmetic {
  constructor(node) {
    this.node = node;
    this.step = null;
    this.level = "words";
    this.whole = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.told = []; // cells sent to the server that it has not answered yet
    this.build();
    new ResizeObserver(() => {
      if (this.data && Math.abs(node.clientWidth - this.width) > 1) this.draw();
    }).observe(node);
  }

  build() {
    this.axes = element("p", { class: "axes" });
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.marks = ["row", "column", "over", "selected"].map((name) => element("div", { class: `mark ${name}` }));
    this.sheet = element("div", { class: "sheet", role: "application", tabindex: "0" }, this.canvas, ...this.marks);
    this.readout = element("p", { class: "readout" });
    this.legend = element("p", { class: "legend" });
    this.controls = element("div", { class: "player", role: "group" });
    this.heading = element("p", { class: "heading" });
    this.list = element("ol", { class: "steps" });
    this.live = element("p", { class: "aside", "aria-live": "polite" });
    this.story = element("section", { class: "story" }, this.controls, this.heading, this.list);
    const matrix = element("div", { class: "scroll" }, this.sheet);
    const picture = element("section", { class: "picture" }, this.axes, matrix, this.legend, this.readout);
    this.node.replaceChildren(element("div", { class: "sides" }, picture, this.story), this.live);
    this.listen();
  }

  listen() {
    this.sheet.onpointermove = (event) => this.hover(this.under(event));
    this.sheet.onpointerleave = () => this.hover(null);
    this.sheet.onclick = (event) => this.select(this.under(event));
    this.sheet.onkeydown = (event) => this.walk(event);
    this.story.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by || event.target.closest(".scroll")) return;
      event.preventDefault();
      this.turn(by);
    };
  }

  // Takes new data: other numbers, other words, or only another cell selected by the server. isLive: see `follow`.
  take(data, tell, isLive) {
    this.tell = tell;
    if (data !== this.data) this.read(data);
    // An answer to an earlier message does not count: the selected cell must not jump back.
    this.told.splice(0, this.told.findIndex((each) => String(each) === String(data.cell)) + 1);
    if (!this.told.length && !this.waiting) this.cell = data.cell;
    // While a knob is dragged there may be fewer words than on the page.
    if (this.cell[0] >= data.rows.length || this.cell[1] >= data.columns.length) this.cell = data.first;
    this.draw(isLive);
  }

  read(data) {
    const before = this.data;
    this.data = data;
    this.stage = Object.fromEntries(Object.entries(data.stages).map(([name, packed]) => [name, unpack(packed)]));
    if (before?.rows.length !== data.rows.length || before?.columns.length !== data.columns.length) this.told = [];
    if (JSON.stringify(before?.texts) !== JSON.stringify(data.texts)) this.addPlayer(); // also in another language
    if (JSON.stringify(before?.steps) !== JSON.stringify(data.steps)) this.laySteps();
    if (!data.steps.some(({ name }) => name === this.step)) this.step = "softmax";
  }

  addPlayer() {
    const { texts } = this.data;
    const whole = () => {
      this.whole = !this.whole;
      this.play(false);
      this.tellSteps();
    };
    const acts = { back: () => this.turn(-1), play: () => this.play(!this.timer), next: () => this.turn(1), whole };
    this.player = new Player(texts, acts, (level) => {
      this.level = level;
      this.tellSteps();
    });
    this.controls.setAttribute("aria-label", texts.player);
    this.player.play(Boolean(this.timer));
    this.controls.replaceChildren(...this.player.groups);
  }

  draw(isLive) {
    if (!isLive || !this.width) {
      this.width = this.node.clientWidth;
      this.room = { matrix: this.sheet.parentElement.clientWidth, story: this.story.clientWidth };
      this.look = lookOf(this.node);
      this.type = Number.parseFloat(getComputedStyle(this.node).fontSize) / TYPE;
    }
    if (!this.width) return;
    const { texts, alt, axes } = this.data;
    this.axes.textContent = axes;
    this.sheet.setAttribute("aria-label", fill(texts.sheet, { alt, axes }));
    this.drawMatrix();
    this.tellSteps();
  }

  // --- the matrix ---

  get colours() {
    return this.data.colours[this.look.name];
  }

  // Draws numbers, on a scale centred on 0 unless another one is given.
  paint(canvas, table) {
    const scale = table.stops ? {} : { stops: this.colours.signed, ...signedScale(table.value, table.size) };
    const drawn = { ...scale, ...table, masked: this.colours.masked, look: this.look, type: this.type };
    return { ...drawn, grid: heatmap(canvas, drawn) };
  }

  drawMatrix() {
    const { data, stage } = this;
    const shown = COLOURED[this.step];
    const { products = stage.scores, compared = stage.scores, scores, masked, weights } = stage;
    const values = { terms: products, compared, scores, mask: masked, weights }[shown];
    const closed = shown === "mask" || shown === "weights";
    const { low, high, stops, grid } = this.paint(this.canvas, {
      value: (i, j) => (closed && !isOpen(stage, i, j) ? NaN : values.at(i, j)),
      size: [values.rows, values.columns],
      rows: data.rows,
      columns: data.columns,
      room: this.room.matrix,
      cell: [3.5, 46 * this.type, null],
      decimals: 2,
      ...(shown === "weights" ? { stops: this.colours.probability, low: 0, high: data.top } : {}),
    });
    const ramp = `background: linear-gradient(to right, ${stops.map(([at, colour]) => `${colour} ${100 * at}%`)})`;
    this.legend.replaceChildren(
      element("span", { text: numberText(low, "words") }),
      element("i", { style: ramp }),
      element("span", { text: numberText(high, "words") }),
      element("span", { class: "what", text: data.texts.colours[shown] }),
    );
    this.cells = grid;
    this.drawn = shown;
    this.mark();
  }

  under(event) {
    const cell = cellUnder(event, this.canvas, this.cells);
    return cell && [cell.row, cell.column];
  }

  hover(cell) {
    this.over = cell;
    this.mark();
  }

  walk(event) {
    const { rows, columns } = this.data;
    const to = cellAt(event.key, this.cell, [rows.length, columns.length]);
    if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.select(to);
  }

  select(cell) {
    if (!cell || String(cell) === String(this.cell)) return;
    this.cell = cell;
    this.mark();
    this.tellSteps();
    this.live.textContent = this.sentence(cell);
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      this.waiting = null;
      this.told.push(this.cell);
      this.tell(this.cell);
    }, TELL);
  }

  sentence([i, j]) {
    const { texts, rows, columns } = this.data;
    const weight = numberText(this.stage.weights.at(i, j), "numbers");
    return fill(isOpen(this.stage, i, j) ? texts.told : texts.closed, { query: rows[i], key: columns[j], weight });
  }

  mark() {
    const { left, top, w, h, gap } = this.cells;
    const [row, column, over, selected] = this.marks;
    const place = ([i, j]) => [left + j * w, top + i * h, w - gap, h - gap];
    const [i, j] = this.cell;
    put(selected, ...place(this.cell));
    put(row, 0, top + i * h, left + this.data.columns.length * w, h);
    put(column, left + j * w, top, w, this.data.rows.length * h);
    over.hidden = !this.over;
    if (this.over) put(over, ...place(this.over));
    this.node.dataset.cell = this.cell;
    this.readout.textContent = this.sentence(this.over ?? this.cell);
  }

  // --- the steps ---

  get place() {
    return this.data.steps.findIndex(({ name }) => name === this.step);
  }

  get pair() {
    return pairOf(this.stage, this.data.join, this.data, this.cell);
  }

  turn(by) {
    this.play(false);
    this.go(clamp(0, this.place + by, this.data.steps.length - 1));
  }

  go(place) {
    const { steps, texts } = this.data;
    const { name, title } = steps[place];
    this.step = name;
    this.tellSteps();
    const text = textOf(steps[place], this.pair, this);
    this.live.textContent = fill(texts.step, { n: place + 1, all: steps.length, title, text });
  }

  play(on) {
    const last = this.data.steps.length - 1;
    clearInterval(this.timer);
    this.timer = null;
    if (on) {
      this.whole = false;
      this.timer = setInterval(() => {
        if (!this.node.isConnected || this.place === last) this.play(false);
        else this.go(this.place + 1);
      }, PACE);
      this.go(this.place === last ? 0 : this.place);
    }
    this.player.play(on);
  }

  // Lays out one line per step of this model; the lines are kept, and only their content changes.
  laySteps() {
    this.lines = this.data.steps.map(({ name, title }, at) => {
      const result = element("output");
      const body = element("div", { class: "body", id: `${this.data.name}-${name}` });
      const label = element("span", { text: `${at + 1} · ${title}` });
      const button = element("button", { type: "button", "aria-controls": body.id }, label, result);
      button.onclick = () => {
        this.play(false);
        this.go(at);
      };
      return { button, result, body, item: element("li", { class: "step", "data-step": name }, button, body) };
    });
    this.list.replaceChildren(...this.lines.map(({ item }) => item));
  }

  // Writes the steps of the selected cell: each with its result, and the open ones in full.
  tellSteps() {
    const { data, pair } = this;
    const results = resultsOf(pair, this);
    if (COLOURED[this.step] !== this.drawn) this.drawMatrix();
    this.player.show(this.whole, this.level);
    this.heading.textContent = fill(data.texts.cell, pair.names);
    this.list.classList.toggle("moving", Boolean(this.timer));
    data.steps.forEach((step, at) => {
      const { item, button, result, body } = this.lines[at];
      const open = this.whole || step.name === this.step;
      item.classList.toggle("now", step.name === this.step);
      button.setAttribute("aria-expanded", open);
      result.textContent = results[step.name];
      body.hidden = !open;
      const nodes = open ? [element("p", { text: textOf(step, pair, this) }), ...bodies[step.name](pair, this)] : [];
      body.replaceChildren(...nodes);
    });
  }

  // Wraps what may be larger than its place, so that the keyboard can scroll it.
  scroll(child, name = "") {
    const label = this.data.steps[this.place].title;
    return element("div", { class: `scroll ${name}`, tabindex: "0", role: "group", "aria-label": label }, child);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const node = parentElement.querySelector(".arithmetic");
  canBeTakenHome(parentElement);
  canFillScreen(parentElement);
  node.arithmetic ??= new Arithmetic(node);
  const tell = (cell) => setStateValue("cell", cell);
  follow(node, data.live, (numbers, isLive) => node.arithmetic.take(numbers ? { ...data, ...numbers } : data, tell, isLive));
}
