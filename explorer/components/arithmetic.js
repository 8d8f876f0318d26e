// A matrix whose cells can be lit, and the arithmetic of the lit cell in steps. All numbers were sent with the picture.

const PACE = 2400, TELL = 250;  // ms: a step while playing; how long a cell stays lit before the server is told
const LEVELS = ["words", "numbers", "digits"];
const STAGE = { terms: "terms", sum: "terms", scale: "scores", mask: "mask", softmax: "weights", context: "weights" };
const MOST_ROWS = 12, MOST_TERMS = 16;  // words, and terms of a sum, that are shown one by one where all would be too many

const ARRAYS = { f4: Float32Array, u1: Uint8Array, f8: Float64Array };
const calm = matchMedia("(prefers-reduced-motion: reduce)");

function unpacked({ dtype, bdata, shape }) {
  const bytes = Uint8Array.from(atob(bdata), (letter) => letter.charCodeAt(0));
  const [rows, columns] = shape.split(",").map(Number), values = new ARRAYS[dtype](bytes.buffer);
  return { rows, columns, at: (i, j) => values[i * columns + j], row: (i) => values.subarray(i * columns, (i + 1) * columns) };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const minus = (text) => text.replace("-", "−");

// A number as each level of detail says it; every digit that a 32-bit number has, and no more.
function said(value, level) {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? "NaN" : value < 0 ? "−∞" : "∞";
  if (level !== "digits") return minus(value.toFixed(level === "words" ? 2 : 4));
  const exact = [6, 7, 8, 9].map((digits) => Number(value.toPrecision(digits))).find((short) => Math.fround(short) === Math.fround(value));
  return minus(String(Math.fround(value) === value ? exact ?? value : Number(value.toPrecision(9))));
}

const share = (value, level) => level === "words" ? `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %` : said(value, level);

class Arithmetic {
  constructor(node) {
    this.node = node;
    this.step = null;
    this.level = "words";
    this.whole = calm.matches;
    this.told = [];  // cells that the server was told of and has not answered with yet
    this.build();
    new ResizeObserver(() => { if (this.data && Math.abs(node.clientWidth - this.width) > 1) this.draw(); }).observe(node);
  }

  build() {
    this.axes = element("p", { class: "axes" });
    this.canvas = element("canvas", { "aria-hidden": "true" });
    this.marks = ["row", "column", "over", "lit"].map((name) => element("div", { class: `mark ${name}` }));
    this.sheet = element("div", { class: "sheet", role: "application", tabindex: "0" }, this.canvas, ...this.marks);
    this.readout = element("p", { class: "readout" });
    this.legend = element("p", { class: "legend" });
    this.player = element("div", { class: "player", role: "group" });
    this.heading = element("p", { class: "heading" });
    this.list = element("ol", { class: "steps" });
    this.live = element("p", { class: "aside", "aria-live": "polite" });
    this.story = element("section", { class: "story" }, this.player, this.heading, this.list);
    const picture = element("section", { class: "picture" }, this.axes, element("div", { class: "scroll" }, this.sheet), this.legend, this.readout);
    this.node.replaceChildren(element("div", { class: "sides" }, picture, this.story), this.live);

    this.sheet.onpointermove = (event) => this.hover(this.under(event));
    this.sheet.onpointerleave = () => this.hover(null);
    this.sheet.onclick = (event) => { const cell = this.under(event); if (cell) this.light(cell); };
    this.sheet.onkeydown = (event) => this.walk(event);
    this.story.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (!by || event.target.closest(".scroll")) return;
      event.preventDefault();
      this.turn(by);
    };
  }

  // New data: other numbers, other words, or only another cell that the server wants lit.
  take(data, tell) {
    this.tell = tell;
    if (data !== this.data) {
      const before = this.data;
      this.data = data;
      this.stage = Object.fromEntries(Object.entries(data.stages).map(([name, packed]) => [name, unpacked(packed)]));
      this.stage.allowed = unpacked(data.allowed);
      if (before?.rows.length !== data.rows.length || before?.columns.length !== data.columns.length) this.told = [];
      if (!before) this.labelPlayer();
      if (JSON.stringify(before?.steps) !== JSON.stringify(data.steps)) this.laySteps();
      if (!data.steps.some(({ name }) => name === this.step)) this.step = "softmax";
    }
    // An answer to what was told before the last word does not count: the lit cell must not jump back.
    this.told.splice(0, this.told.findIndex((each) => String(each) === String(data.cell)) + 1);
    if (!this.told.length && !this.waiting) this.cell = data.cell;
    this.draw();
  }

  labelPlayer() {
    const { words } = this.data;
    const button = (name, sign, act) => {
      const made = element("button", { class: name, type: "button", title: words[name], "aria-label": words[name], text: sign });
      made.onclick = act;
      return made;
    };
    this.playing = button("play", "▶", () => this.play(!this.timer));
    this.all = button("whole", words.whole, () => { this.whole = !this.whole; this.play(false); this.tellSteps(); });
    this.levels = LEVELS.map((level) => {
      const made = element("button", { type: "button", text: words.levels[level] });
      made.onclick = () => { this.level = level; this.tellSteps(); };
      return made;
    });
    this.player.setAttribute("aria-label", words.player);
    this.player.replaceChildren(
      element("span", { class: "buttons" }, button("back", "◀", () => this.turn(-1)), this.playing, button("next", "▶▏", () => this.turn(1)), this.all),
      element("span", { class: "buttons", role: "group", "aria-label": words.level }, ...this.levels),
    );
  }

  draw() {
    this.width = this.node.clientWidth;
    if (!this.width) return;
    this.look = lookOf(this.node);
    const { words } = this.data;
    this.axes.textContent = words.axes;
    this.sheet.setAttribute("aria-label", `${words.alt}. ${words.axes}. ${words.use}`);
    this.drawMatrix();
    this.tellSteps();
  }

  drawMatrix() {
    const { data, stage } = this, shown = STAGE[this.step];
    const values = shown === "weights" ? stage.weights : shown === "terms" ? stage.products ?? stage.scores : stage.scores;
    const closed = shown === "mask" || shown === "weights";
    const value = (i, j) => closed && !stage.allowed.at(i, j) ? NaN : values.at(i, j);
    const room = this.sheet.parentElement.clientWidth;
    const scale = shown === "weights" ? { stops: this.colours.probability, low: 0, high: data.top } : this.signed(value, values.rows, values.columns);
    this.cells = heat(this.canvas, {
      value, size: [values.rows, values.columns], rows: data.rows, columns: data.columns, ...scale,
      masked: this.colours.masked, look: this.look, room, cell: [3.5, 46, null], decimals: 2,
    });
    this.legend.replaceChildren(
      element("span", { text: said(scale.low, "words") }),
      element("i", { style: `background: linear-gradient(to right, ${scale.stops.map(([at, colour]) => `${colour} ${100 * at}%`)})` }),
      element("span", { text: said(scale.high, "words") }),
      element("span", { class: "what", text: data.words.colours[shown] }),
    );
    this.drawn = shown;
    this.mark();
  }

  get colours() { return this.data.colours[this.look.name]; }

  // A scale centred on 0 that just holds the numbers.
  signed(value, rows, columns) {
    let most = 0;
    for (let i = 0; i < rows; i++) for (let j = 0; j < columns; j++) { const size = Math.abs(value(i, j)); if (size > most) most = size; }
    return { stops: this.colours.signed, low: -(most || 1), high: most || 1 };
  }

  // --- the lit cell -------------------------------------------------------------------------------------------------

  under({ clientX, clientY }) {
    const box = this.canvas.getBoundingClientRect(), { left, top, w, h } = this.cells;
    const i = Math.floor((clientY - box.top - top) / h), j = Math.floor((clientX - box.left - left) / w);
    return i >= 0 && j >= 0 && i < this.data.rows.length && j < this.data.columns.length ? [i, j] : null;
  }

  hover(cell) {
    this.over = cell;
    this.mark();
  }

  walk(event) {
    const [i, j] = this.cell, { rows, columns } = this.data;
    const to = {
      ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1], Home: [i, 0], End: [i, columns.length - 1],
      PageUp: [0, j], PageDown: [rows.length - 1, j],
    }[event.key];
    if (!to || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    this.light([Math.min(Math.max(to[0], 0), rows.length - 1), Math.min(Math.max(to[1], 0), columns.length - 1)]);
  }

  light(cell) {
    if (String(cell) === String(this.cell)) return;
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
    const { words, rows, columns } = this.data, weight = this.stage.weights.at(i, j);
    return fill(this.stage.allowed.at(i, j) ? words.told : words.closed, { query: rows[i], key: columns[j], weight: said(weight, "numbers") });
  }

  mark() {
    const { left, top, w, h } = this.cells, [row, column, over, lit] = this.marks;
    const put = (node, x, y, width, height) => Object.assign(node.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    const [i, j] = this.cell, place = ([i, j]) => [left + j * w, top + i * h, w - (w >= 8 ? 1 : 0), h - (h >= 8 ? 1 : 0)];
    put(lit, ...place(this.cell));
    put(row, 0, top + i * h, left + this.data.columns.length * w, h);
    put(column, left + j * w, top, w, this.data.rows.length * h);
    over.hidden = !this.over;
    if (this.over) put(over, ...place(this.over));
    this.node.dataset.cell = this.cell;
    this.readout.textContent = this.sentence(this.over ?? this.cell);
  }

  // --- the steps ----------------------------------------------------------------------------------------------------

  get place() { return this.data.steps.findIndex(({ name }) => name === this.step); }

  turn(by) {
    this.play(false);
    this.go(Math.min(Math.max(this.place + by, 0), this.data.steps.length - 1));
  }

  go(place) {
    this.step = this.data.steps[place].name;
    this.tellSteps();
    const words = this.words(place, this.pair(...this.cell));
    this.live.textContent = fill(this.data.words.step, { n: place + 1, all: this.data.steps.length, title: this.data.steps[place].title, words });
  }

  play(on) {
    clearInterval(this.timer);
    this.timer = null;
    if (on) {
      this.whole = false;
      this.timer = setInterval(() => {
        if (!this.node.isConnected || this.place === this.data.steps.length - 1) this.play(false);
        else this.go(this.place + 1);
      }, PACE);
      this.go(this.place === this.data.steps.length - 1 ? 0 : this.place);
    }
    const name = on ? "pause" : "play";
    this.playing.textContent = on ? "❚❚" : "▶";
    this.playing.title = this.data.words[name];
    this.playing.setAttribute("aria-label", this.data.words[name]);
  }

  // One line for every step of this model, which stays: only what it says changes.
  laySteps() {
    this.lines = this.data.steps.map(({ name, title }, at) => {
      const result = element("output"), body = element("div", { class: "body", id: `${this.data.name}-${name}` });
      const button = element("button", { type: "button", "aria-controls": body.id }, element("span", { text: `${at + 1} · ${title}` }), result);
      button.onclick = () => { this.play(false); this.go(at); };
      return { button, result, body, item: element("li", { class: "step", "data-step": name }, button, body) };
    });
    this.list.replaceChildren(...this.lines.map(({ item }) => item));
  }

  // What is said of the lit cell: each step with its result, and the open ones in full.
  tellSteps() {
    const { data } = this, [i, j] = this.cell, words = data.words, pair = this.pair(i, j);
    if (STAGE[this.step] !== this.drawn) this.drawMatrix();
    this.all.setAttribute("aria-pressed", this.whole);
    this.levels.forEach((button, at) => button.setAttribute("aria-pressed", LEVELS[at] === this.level));
    this.heading.textContent = fill(words.cell, pair.names);
    this.list.classList.toggle("moving", Boolean(this.timer));
    data.steps.forEach(({ name }, at) => {
      const { item, button, result, body } = this.lines[at], open = this.whole || name === this.step;
      item.classList.toggle("now", name === this.step);
      button.setAttribute("aria-expanded", open);
      result.textContent = pair.results[name];
      body.hidden = !open;
      body.replaceChildren(...(open ? [element("p", { text: this.words(at, pair) }), ...this[name](pair)] : []));
    });
  }

  words(at, pair) {
    const { name, words } = this.data.steps[at], { open, shut, alone } = this.data.words;
    const template = name === "mask" ? (pair.open ? open : shut) : name === "softmax" && pair.alone ? alone : words;
    return fill(template, pair.said);
  }

  // The numbers of one pair of words.
  pair(i, j) {
    const { data, stage, level } = this;
    const left = stage.left.row(i), right = stage.right.row(j), d = left.length;
    const join = { times: (a, b) => a * b, tanh: (a, b) => Math.tanh(a + b), plus: (a, b) => a + b }[data.join];
    const terms = Array.from(left, (value, n) => join(value, right[n]));
    const open = Boolean(stage.allowed.at(i, j)), score = stage.scores.at(i, j), weight = stage.weights.at(i, j);
    const product = (stage.products ?? stage.scores).at(i, j);
    const keys = data.columns.map((_, at) => at), seen = keys.filter((at) => stage.allowed.at(i, at));
    const names = { query: data.rows[i], key: data.columns[j] };
    return {
      i, j, d, left, right, terms, open, score, weight, product, keys, alone: !seen.length, names,
      top: Math.max(...seen.map((at) => stage.scores.at(i, at))),
      said: { ...names, d, sum: said(product, level), rest: said(data.rest, level), weight: share(weight, level) },
      results: {
        terms: fill(data.words.terms, { d }), sum: said(product, level), scale: said(score, level), mask: open ? said(score, level) : "−∞",
        softmax: share(weight, level), context: fill(data.words.numbers, { d: stage.v.columns }),
      },
    };
  }

  terms({ left, right, terms, d }) {
    const { words } = this.data, rows = [left, right, terms];
    if (this.level === "digits") {
      return [this.table([words.number, ...words.sides], Array.from({ length: d }, (_, n) => [String(n), ...rows.map((row) => said(row[n], "digits"))]))];
    }
    return [this.strip("terms", words.sides, (i, j) => rows[i][j], d)];
  }

  sum({ terms, product }) {
    const { words, rest } = this.data, level = this.level;
    if (level === "words") return [];
    const most = level === "digits" ? terms.length : MOST_TERMS;
    const written = terms.slice(0, most).map((term, n) => (n ? (term < 0 ? " − " : " + ") + said(Math.abs(term), level) : said(term, level))).join("");
    const more = (terms.length > most ? " + …" : "") + (rest ? ` + ${said(rest, level)}` : "");
    const total = sum(terms) + rest;
    const line = this.line(`${written}${more} = ${said(product, level)}`);
    return level === "digits" ? [line, element("p", { text: fill(words.rounding, { sum: said(total, level), recorded: said(product, level) }) })] : [line];
  }

  scale({ product, score }) {
    return this.level === "words" ? [] : [this.line(`${said(product, this.level)} ÷ ${this.data.words.rooted} = ${said(score, this.level)}`)];
  }

  mask({ score, open }) {
    return this.level === "words" ? [] : [this.line(`${said(score, this.level)} ${open ? "+ 0" : "− ∞"} = ${open ? said(score, this.level) : "−∞"}`)];
  }

  softmax({ i, j, keys, top, alone }) {
    const { data, stage, level } = this, words = data.words;
    if (alone) return [];
    const open = (at) => stage.allowed.at(i, at), score = (at) => stage.scores.at(i, at), weight = (at) => stage.weights.at(i, at);
    const power = (at) => open(at) ? Math.fround(Math.exp(score(at) - top)) : 0;
    const powers = element("p", { text: fill(words.powers, { total: said(sum(keys.map(power)), level) }) });
    if (level === "digits") {
      const head = [words.asked, words.score, fill(words.power, { top: said(top, "digits") }), words.share];
      return [powers, this.table(head, keys.map((at) => [
        data.columns[at], ...(open(at) ? [said(score(at), level), said(power(at), level), said(weight(at), level)] : ["−∞", "0", "0"]),
      ]), j)];
    }
    const shown = level === "words" ? this.strongest(i, j) : keys, most = Math.max(...keys.map(weight));
    const bar = (name, part, much, here) => [
      element("span", { class: here ? "here" : "", text: name }),
      element("span", {}, element("i", { style: `width: ${(100 * part / most).toFixed(2)}%` })),
      element("span", { class: "much", text: much }),
    ];
    const rows = shown.map((at) => bar(data.columns[at], weight(at), !open(at) ? `× ${words.masked}`
      : (level === "words" ? "" : `e^${said(score(at) - top, level)} = ${said(power(at), level)} → `) + share(weight(at), level), at === j));
    const rest = sum(keys.filter((at) => !shown.includes(at)).map(weight));
    if (shown.length < keys.length) rows.push(bar(words.others, Math.min(rest, most), share(rest, level)));
    return [...(level === "words" ? [] : [powers]), this.scroll(element("div", { class: "bars" }, ...rows.flat()))];
  }

  context({ i, j, weight, names, d }) {
    const { data, stage, level } = this, words = data.words, width = stage.v.columns;
    const own = stage.v.row(j), answer = stage.context.row(i);
    if (level === "digits") {
      const head = [words.number, fill(words.value, names), words.part, words.total];
      return [this.table(head, Array.from(answer, (total, n) => [String(n), said(own[n], level), said(own[n] * weight, level), said(total, level)]))];
    }
    const shown = this.strongest(i, j, MOST_ROWS), part = (at, n) => stage.weights.at(i, at) * stage.v.at(at, n);
    const rows = shown.map((at) => Array.from({ length: width }, (_, n) => part(at, n))), labels = shown.map((at) => data.columns[at]);
    if (shown.length < data.columns.length) {
      rows.push(Array.from(answer, (total, n) => total - sum(rows.map((row) => row[n]))));
      labels.push(words.others);
    }
    return [this.strip("context", [...labels, words.total], (row, n) => (rows[row] ?? answer)[n], width)];
  }

  // The words that get most, and the lit one, in the order of the sentence; all of them where they are few.
  strongest(i, j, most = 8) {
    const keys = this.data.columns.map((_, at) => at), weight = (at) => this.stage.weights.at(i, at);
    if (keys.length <= most) return keys;
    const seen = keys.filter((at) => at !== j && this.stage.allowed.at(i, at));
    return [...seen.sort((a, b) => weight(b) - weight(a)).slice(0, most - 1), j].sort((a, b) => a - b);
  }

  strip(name, labels, value, columns) {
    const canvas = element("canvas", { role: "img", "aria-label": fill(this.data.words.strip, { name: labels.join(", "), n: labels.length, d: columns }) });
    const digits = this.level === "numbers" && columns <= 64;
    const room = Math.max(160, this.story.clientWidth - 30);
    heat(canvas, {
      value, size: [labels.length, columns], rows: labels, columns: [], ...this.signed(value, labels.length, columns),
      masked: this.colours.masked, look: this.look, room, cell: [digits ? 40 : 1, 46, 24], decimals: digits ? 2 : null,
    });
    return this.scroll(canvas, `strip ${name}`);
  }

  line(text) { return this.scroll(element("p", { class: "digits", text })); }

  table(head, rows, here) {
    return this.scroll(element("table", {},
      element("thead", {}, element("tr", {}, ...head.map((text) => element("th", { scope: "col", text })))),
      element("tbody", {}, ...rows.map(([name, ...rest], at) => element("tr", at === here ? { class: "here" } : {},
        element("th", { scope: "row", text: name }), ...rest.map((text) => element("td", { text })))))));
  }

  // What may be larger than its place; reached by the keyboard where it is.
  scroll(child, name = "") {
    return element("div", { class: `scroll ${name}`, tabindex: "0", role: "group", "aria-label": this.data.steps[this.place].title }, child);
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const node = parentElement.querySelector(".arithmetic");
  node.arithmetic ??= new Arithmetic(node);
  node.arithmetic.take(data, (cell) => setStateValue("cell", cell));
}
