// Attention between two rows of words. The highlight is drawn on its own layer, once per frame: the lines of all words are
// below it, are redrawn only when they change, and are dimmed meanwhile.

import { unpack } from "../shared/arrays.js";
import { lookOf } from "../shared/colour.js";
import { Ahead } from "../shared/cut.js";
import { penOn, range } from "../shared/dom.js";
import { canFillScreen } from "../shared/full_screen.js";
import { follow } from "../shared/live.js";
import { PAGE } from "../shared/streamlit_dom.js";
import { canBeTakenHome } from "../shared/take_home.js";
import { Attention } from "./attention.js";
import { changed, crossOut, markCuts, pressHeads, writeHeads, writeViews, writeWords } from "./controls.js";
import { LOOK, pressCell, pressHead, pressStage, undoByKey, writeModes } from "./cutting.js";
import { Film } from "./film.js";
import { focusByKey } from "./keys.js";
import { aroundWords, boxesOf, classesAt, longestOf, roomFor, sizesOf, topOf } from "./layout.js";
import { MEAN, strokeLines, tint, writeWeights } from "./lines.js";
import { Matrix } from "./matrix.js";
import { sentence } from "./sentence.js";

const READABLE = 4000; // lines shown at first, ...
const MOST = 33_000; // ... and at most: all of 64 × 64 words in 8 heads

class View {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, stage: find(".stage"), said: find(".said"), heads: find(".heads") });
    Object.assign(this, { lines: find(".stage .base"), litLines: find(".stage .lit") });
    Object.assign(this, { pictures: find(".pictures"), slider: find(".weakest input"), output: find(".weakest output") });
    this.matrix = new Matrix(find("figure"));
    this.film = new Film(find(".film"), (at) => this.turnTo(at));
    this.ahead = new Ahead();
    this.lists = { query: find("[data-side=query] .words"), key: find("[data-side=key] .words") };
    Object.assign(this, { hover: null, selected: null, picture: "lines", mode: LOOK, touched: false });
    this.listen();
    this.sizes = new ResizeObserver(() => {
      if (!this.data || !root.clientWidth) return;
      if (root.clientWidth !== this.width || topOf(this.stage) !== this.top) this.layOut();
    });
    this.sizes.observe(root);
    const page = root.closest(`${PAGE} > *`); // grows when words above the picture come after it
    if (page) this.sizes.observe(page);
    document.fonts.ready.then(() => {
      if (this.data) this.layOut();
    });
  }

  end() {
    this.sizes.disconnect();
    clearTimeout(this.telling);
    this.film.stop();
  }

  // --- What happens: pointing, keys, controls ---

  listen() {
    const { stage, matrix } = this;
    const placeOf = (event) => {
      const word = event.target.closest?.(".word");
      return word ? { [word.dataset.axis]: Number(word.dataset.place) } : null;
    };
    const touch = (event) => event.pointerType === "touch";
    stage.onpointermove = (event) => touch(event) || this.point(placeOf(event));
    stage.onpointerleave = matrix.cells.onpointerleave = () => this.point(null);
    stage.onclick = (event) => pressStage(this, event, placeOf(event));
    stage.onkeydown = (event) => this.key(event);
    stage.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && this.point(placeOf(event)));
    stage.addEventListener("focusout", () => this.point(null));
    matrix.cells.onpointermove = (event) => touch(event) || this.point(matrix.under(event));
    matrix.cells.onclick = (event) => pressCell(this, matrix.under(event));
    this.root.onkeydown = (event) => undoByKey(this, event);
    this.slider.oninput = () => {
      this.touched = true;
      this.drawSoon(true);
    };
  }

  point(place) {
    if (place?.query === this.hover?.query && place?.key === this.hover?.key) return;
    this.hover = place;
    this.drawSoon(false);
  }

  // Selects a word, { query } or { key }; deselects it if it is selected already, and any word for null.
  select(place) {
    const [[side, at]] = Object.entries(place ?? { query: null });
    this.selected = at === null || this.selected?.[side] === at ? null : { [side]: at };
    this.markSelected();
    this.drawSoon(false);
    this.tell(this.selected && { side, place: at });
  }

  key(event) {
    if (event.key === "Escape" && this.selected) {
      event.stopPropagation();
      this.select(null);
    }
    focusByKey(this, event);
  }

  // --- What is shown ---

  // isLive: see `follow`.
  show(data, tell, tellCut, isLive = false) {
    const before = this.data;
    const heads = this.attention?.heads;
    Object.assign(this, { data, tell, tellCut, hover: null });
    this.attention = new Attention(unpack(data.weights), unpack(data.valid));
    const { attention } = this;
    const start = ({ first, on }, count) => JSON.stringify([first, on, count]);
    if (!before || start(before, heads) !== start(data, attention.heads)) {
      this.on = range(attention.heads).map((head) => data.on?.includes(head) ?? true);
      this.merged = Boolean(data.mean) && attention.heads > 1;
      this.selected = data.first && { [data.first.side]: data.first.place };
    }
    const { query = 0, key = 0 } = this.selected ?? {};
    if (query >= attention.queries || key >= attention.keys) this.selected = null;
    this.slider.min = attention.threshold(MOST);
    const even = Math.round(100 / attention.keys) / 2; // half of the weight of even attention
    if (!this.touched) this.slider.value = Math.max(0.5, even, attention.threshold(READABLE));
    this.film.name(data.film, data.texts);
    this.write(before, heads);
    const words = ({ rows, columns }) => [rows, columns];
    if (isLive && this.width && heads === attention.heads && !changed(words(before), words(data))) this.redraw();
    else this.layOut();
    this.film.roll();
  }

  // Shows one picture of a film.
  turnTo(at) {
    this.attention.show(at);
    this.average();
    this.matrix.draw(this);
    this.drawSoon(true);
  }

  write(before, heads) {
    const { data, root, attention } = this;
    writeWords(this.lists, data, before);
    const reworded = changed(before?.texts, data.texts); // as in another language
    if (heads !== attention.heads || reworded)
      writeHeads(
        this.heads,
        data,
        this.on,
        (head) => this.colour(head),
        (turned, head) => pressHead(this, turned, head),
      );
    if (reworded) {
      writeModes(this, root.querySelector(".modes"), data);
      writeViews(this.pictures, data, (name) => {
        this.picture = name;
        this.layOut();
      });
    }
    this.slider.previousElementSibling.textContent = data.texts.weakest;
    markCuts(this.heads, this.lists, data.without);
    root.classList.toggle("bare", !data.tools);
    root.classList.toggle("one-head", attention.heads === 1);
    this.markSelected();
    this.average();
  }

  // A head pressed beside the mean is shown alone.
  turnHeads(turned, head) {
    const alone = this.merged && head !== undefined && head !== MEAN;
    this.on = alone ? this.on.map((_, each) => each === head) : turned(this.merged ? this.on.map(() => false) : this.on);
    this.merged = head === MEAN;
    this.average();
    this.layOut();
  }

  // Averages the heads that are on.
  average() {
    this.active = this.on.flatMap((on, head) => (on ? [head] : []));
    this.mean = this.attention.mean(this.active);
    this.strands = this.merged ? [MEAN] : this.active; // what has lines of its own
    pressHeads(this.heads, this.on, this.merged);
    this.matrix.name(this.data, this.attention, this.active);
  }

  markSelected() {
    for (const [side, list] of Object.entries(this.lists)) {
      for (const word of list.children) word.setAttribute("aria-pressed", this.selected?.[side] === Number(word.dataset.place));
    }
  }

  // --- Where everything stands ---

  layOut() {
    const { root, data, attention } = this;
    this.width = root.clientWidth;
    if (!this.width) return;
    const css = getComputedStyle(root);
    this.look = lookOf(root);
    const [letter, tall] = [parseFloat(css.fontSize), Number(css.getPropertyValue("--tall")) || 0.72]; // of the window's height
    const text = this.picture === "text";
    const classes = classesAt(this.width, { letter, text, same: data.same, matrix: data.matrix, heads: attention.heads });
    for (const [name, on] of Object.entries(classes)) root.classList.toggle(name, on);
    Object.assign(this, { letter, upright: classes.upright, bothSides: !classes.single, chips: classes.tight ? 1 : 2 });
    for (const button of this.pictures.children) button.setAttribute("aria-pressed", button.dataset.picture === this.picture);
    const share = innerHeight * tall - this.film.node.offsetHeight;
    this.top = topOf(this.stage);
    const room = roomFor(this.top, share, innerHeight, aroundWords(this.stage, this.said));
    const [words, longest] = [Math.max(attention.queries, attention.keys), longestOf(data.rows, data.columns)];
    const { row, word, note } = sizesOf(classes, { letter, room, words, longest });
    Object.assign(this, { row: this.upright ? row : 0, besideRow: this.upright && classes.beside ? row : 0, note });
    root.style.setProperty("--row", `${row}px`);
    root.style.setProperty("--word", `${word}px`);
    this.measure();
    this.redraw();
  }

  // Draws other numbers of the same words.
  redraw() {
    this.matrix.draw(this);
    this.drawLines();
    this.drawLit();
  }

  measure() {
    this.matrix.measure(this.data);
    const from = this.stage.getBoundingClientRect();
    const { query, key } = this.lists;
    this.boxes = { query: boxesOf(query, from), key: boxesOf(this.bothSides ? key : query, from) };
    this.area = [from.width, from.height];
  }

  weight(head, query, key) {
    return head === MEAN ? this.mean[query * this.attention.keys + key] : this.attention.weight(head, query, key);
  }

  colour(head) {
    if (head === MEAN) return this.look.primary;
    return this.data.colours[head % this.data.colours.length];
  }

  // --- Drawing ---

  drawSoon(all) {
    this.all ||= all;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      if (this.all) this.drawLines();
      this.all = false;
      this.drawLit();
    });
  }

  drawLines() {
    this.least = Number(this.slider.value) / 100;
    this.output.textContent = `${this.slider.value}%`;
    const pen = penOn(this.lines, ...this.area);
    const { queries, keys } = this.attention;
    this.drawn = this.picture === "lines" ? strokeLines(pen, this, range(queries), range(keys), false) : 0;
    this.root.dataset.lines = this.drawn;
  }

  // Draws what is pointed at or selected: its words, its lines with their weights, and the same cells of the matrix.
  drawLit() {
    let { query = null, key = null } = { ...this.selected, ...this.hover };
    const { attention, lists } = this;
    const text = this.picture === "text";
    const pen = penOn(this.litLines, ...this.area);
    if (query === null && key === null && text) query = 0; // a coloured text always shows one query
    const some = query !== null || key !== null;
    const pair = query !== null && key !== null;
    this.root.classList.toggle("some", some);
    this.name(lists.query.children[query ?? -1], this.bothSides ? lists.key.children[key ?? -1] : undefined);
    crossOut(this, query, key);
    if (some) {
      const queries = query === null ? range(attention.queries) : [query];
      const keys = key === null ? range(attention.keys) : [key];
      const each = (draw) => {
        for (const q of queries) for (const k of keys) draw(pen, this, q, k, query !== null);
      };
      if (text || pair) each(tint);
      if (!text) strokeLines(pen, this, queries, keys, true);
      each(writeWeights);
    }
    this.matrix.outline(query, key, this.look.text);
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.say(query, key), 120);
  }

  // Marks at most one word on each side.
  name(...words) {
    for (const word of this.named ?? []) if (!words.includes(word)) word?.classList.remove("named");
    for (const word of words) word?.classList.add("named");
    this.named = words;
  }

  say(query, key) {
    const { data, attention, active, mean } = this;
    this.telling = undefined;
    this.said.textContent = sentence({
      data,
      attention,
      active,
      mean,
      query,
      key,
      shown: this.drawn > 0 || this.picture === "text",
      least: `${this.slider.value}%`,
      mode: this.mode,
      touch: matchMedia("(hover: none)").matches,
    });
  }
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".attention-view");
  canBeTakenHome(parentElement);
  canFillScreen(parentElement);
  root.view ??= new View(root);
  root.view.ahead.update(data.cuts);
  const tell = (selection) => setStateValue("selection", selection);
  const tellCut = (what) => setTriggerValue("cut", what);
  follow(root, data.live, (numbers, isLive) => root.view.show(numbers ? { ...data, ...numbers } : data, tell, tellCut, isLive));
  return () => {
    if (!root.isConnected) root.view.end();
  };
}
