// Attention between two rows of words. What is pointed at is drawn on a layer of its own, once per frame: the lines of all words
// lie beneath it, are drawn only when they change, and are dimmed meanwhile.

const COLUMNS = 280, NARROW = 480, BESIDE = 860;  // px: from here on words stand in columns; with room; with the matrix beside them
const TIGHT = 44;  // letters wide: from here on there is room for two shares at a word
const DASHES = [[], [5, 1.5], [1.5, 1.5], [6, 1.5, 1.5, 1.5]];  // in widths of the line
const PACE = 160;  // ms from one picture of a film to the next
const LEVELS = 24;  // of width and opacity: lines of one level are drawn at one go
const PLAIN = 600;  // lines; of more, the dashes cannot be told apart any more and only take time
const READABLE = 4000, MOST = 33_000;  // lines that are shown at first, and that can be asked for: all of 64 × 64 words in 8 heads

const clamp = (low, value, high) => Math.max(low, Math.min(value, high));
const percent = (share) => `${Math.round(100 * share)}%`;
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const range = (count) => Array.from({ length: count }, (_, i) => i);
const sideOf = { row: "asks", column: "asked" };

// A pen on a canvas of so many CSS pixels, wiped clean.
function penOn(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1, [w, h] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  const pen = canvas.getContext("2d");
  if (canvas.width !== w || canvas.height !== h) {
    [canvas.width, canvas.height] = [w, h];
    [canvas.style.width, canvas.style.height] = [`${width}px`, `${height}px`];
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}

class View {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, {
      root, stage: find(".stage"), figure: find("figure"), cells: find(".cells"), said: find(".said"),
      lines: find(".stage .base"), litLines: find(".stage .lit"), matrix: find(".cells .base"), litMatrix: find(".cells .lit"),
      heads: find(".heads"), pictures: find(".pictures"), slider: find(".weakest input"), output: find(".weakest output"),
      film: find(".film"), player: find(".film button"), scrubber: find(".film input"),
      lists: { asks: find("[data-side=asks] .words"), asked: find("[data-side=asked] .words") },
      hover: null, pin: null, picture: "lines", touched: false,
    });
    this.listen();
    this.sizes = new ResizeObserver(() => { if (root.clientWidth !== this.width) this.layOut(); });
    this.sizes.observe(root);
    document.fonts.ready.then(() => { if (this.data) this.layOut(); });
  }

  end() {
    this.sizes.disconnect();
    clearTimeout(this.telling);
    clearInterval(this.playing);
  }

  // --- What happens: pointing, keys, controls ----------------------------------------------------------------------------

  listen() {
    const { stage, cells } = this;
    const placeOf = (event) => {
      const word = event.target.closest?.(".word");
      return word ? { [word.dataset.axis]: Number(word.dataset.place) } : null;
    };
    stage.onpointermove = (event) => { if (event.pointerType !== "touch") this.point(placeOf(event)); };
    stage.onpointerleave = cells.onpointerleave = () => this.point(null);
    stage.onclick = (event) => {
      const place = placeOf(event);
      if (place) this.hold(place);
      if (event.detail && !this.data.tools) document.activeElement.blur();  // by mouse, in a story: its arrow keys turn the pages
    };
    stage.onkeydown = (event) => this.key(event);
    stage.addEventListener("focusin", (event) => { if (event.target.matches(":focus-visible")) this.point(placeOf(event)); });
    stage.addEventListener("focusout", () => this.point(null));
    cells.onpointermove = (event) => { if (event.pointerType !== "touch") this.point(this.cellAt(event)); };
    cells.onclick = (event) => {
      const cell = this.cellAt(event);
      if (cell) this.hold({ row: cell.row });
    };
    this.player.onclick = () => this.play(!this.playing);
    this.scrubber.oninput = () => {
      this.play(false);
      this.turnTo(Number(this.scrubber.value));
    };
    this.slider.oninput = () => {
      this.touched = true;
      this.drawSoon(true);
    };
  }

  // Plays the film from where it is, or from its beginning where it has ended.
  play(on) {
    clearInterval(this.playing);
    this.playing = undefined;
    if (on) {
      const last = this.data.film.length - 1;
      if (this.at === last) this.turnTo(0);
      this.playing = setInterval(() => {
        this.turnTo(this.at + 1);
        if (this.at === last) this.play(false);
      }, PACE);
    }
    this.player.textContent = this.data.words[this.playing ? "pause" : "play"];
  }

  turnTo(at) {
    this.at = at;
    this.scrubber.value = at;
    this.film.querySelector("output").textContent = this.data.film[at];
    const size = this.data.heads * this.rows * this.columns;
    this.weights = this.numbers.subarray(at * size, (at + 1) * size);
    this.average();
    this.drawMatrix();
    this.drawSoon(true);
  }

  cellAt(event) {
    const { left, top, w, h } = this.grid, box = this.matrix.getBoundingClientRect();
    const column = Math.floor((event.clientX - box.left - left) / w), row = Math.floor((event.clientY - box.top - top) / h);
    return row >= 0 && row < this.rows && column >= 0 && column < this.columns ? { row, column } : null;
  }

  point(place) {
    if (place?.row === this.hover?.row && place?.column === this.hover?.column) return;
    this.hover = place;
    this.drawSoon(false);
  }

  // Holds a word, or lets it go when it is the one that is held.
  hold(place) {
    const [[axis, at]] = Object.entries(place ?? { row: null });
    this.pin = at === null || this.pin?.[axis] === at ? null : { [axis]: at };
    this.markPin();
    this.drawSoon(false);
    this.tell(this.pin && { side: sideOf[axis], place: at });
  }

  key(event) {
    const word = event.target.closest(".word");
    if (event.key === "Escape" && this.pin) {
      event.stopPropagation();
      this.hold(null);
    }
    if (!word || event.ctrlKey || event.metaKey || event.altKey) return;
    const { axis, place } = word.dataset, at = Number(place), [along, across] = this.upright ? ["Vertical", "Horizontal"] : ["Horizontal", "Vertical"];
    const way = { ArrowUp: ["Vertical", -1], ArrowDown: ["Vertical", 1], ArrowLeft: ["Horizontal", -1], ArrowRight: ["Horizontal", 1] }[event.key];
    const list = [...this.lists[sideOf[axis]].children];
    let next;
    if (event.key === "Home") next = list[0];
    if (event.key === "End") next = list.at(-1);
    if (way?.[0] === along) next = list[clamp(0, at + way[1], list.length - 1)];
    if (way?.[0] === across && this.bothSides) {
      const other = [...this.lists[way[1] < 0 ? "asks" : "asked"].children];
      next = other[Math.min(at, other.length - 1)];
    }
    if (!next) return;
    event.preventDefault();
    this.focusable(next);
    next.focus();
  }

  // Of the words of one side, one is reached by Tab; the arrows do the rest.
  focusable(word) {
    for (const each of word.parentElement.children) each.tabIndex = each === word ? 0 : -1;
  }

  // --- What is shown ------------------------------------------------------------------------------------------------------

  show(data, tell) {
    const before = this.data;
    Object.assign(this, { data, rows: data.rows.length, columns: data.columns.length });
    this.numbers = new Float32Array(bytes(data.weights).buffer);
    this.weights = this.numbers.subarray(0, data.heads * this.rows * this.columns);
    this.valid = bytes(data.valid);
    this.tell = tell;
    this.hover = null;
    const start = (given) => JSON.stringify([given?.first, given?.on, given?.heads]);
    if (start(before) !== start(data)) {
      this.on = range(data.heads).map((head) => data.on?.includes(head) ?? true);
      this.pin = data.first && { [data.first.side === "asks" ? "row" : "column"]: data.first.place };
    }
    if ((this.pin?.row ?? 0) >= this.rows || (this.pin?.column ?? 0) >= this.columns) this.pin = null;
    const sorted = this.weights.slice().sort(), least = (count) => (sorted.length > count ? Math.ceil(200 * sorted.at(-count)) / 2 : 0);
    this.slider.min = least(MOST);
    if (!this.touched) this.slider.value = Math.max(0.5, Math.round(100 / this.columns) / 2, least(READABLE));  // half of an even look
    this.film.hidden = !data.film.length;
    this.write(before);
    this.layOut();
    if (data.film.length) this.roll(before);
  }

  // A film begins by itself, unless motion is not wanted: then it shows its end.
  roll(before) {
    const last = this.data.film.length - 1, still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.scrubber.max = last;
    this.scrubber.setAttribute("aria-label", this.data.words.scrub);
    this.turnTo(before ? Math.min(this.at, last) : still ? last : 0);
    this.play(before ? this.playing !== undefined : !still);
  }

  // Words and buttons. They are made anew only where they differ, so that the keyboard's focus is kept.
  write(before) {
    const { data, root, heads, pictures } = this, { words } = data;
    for (const [axis, labels] of [["row", data.rows], ["column", data.columns]]) {
      const list = this.lists[sideOf[axis]], title = axis === "row" ? data.row_title : data.column_title;
      list.previousElementSibling.textContent = title;
      list.setAttribute("aria-label", title);
      if (before && JSON.stringify(before[`${axis}s`]) === JSON.stringify(labels)) continue;
      list.replaceChildren(...labels.map((label, place) => {
        const number = element("small", {}, String(place)), token = element("span", {}, label);
        return element("button", { type: "button", class: "word", tabindex: place ? -1 : 0, title: label, "data-axis": axis, "data-place": place }, number, token);
      }));
    }
    if (before?.heads !== data.heads) {
      const button = (label, colour, press) => {
        const node = element("button", { type: "button" }, label);
        if (colour) node.style.setProperty("--head", colour);
        node.onclick = () => { press(); this.headsChanged(); };
        return node;
      };
      heads.setAttribute("aria-label", words.heads);
      heads.replaceChildren(
        element("span", { class: "name" }, words.heads),
        ...this.on.map((_, head) => button(String(head), this.colour(head), () => { this.on[head] = !this.on[head]; })),
        ...(data.heads > 1 ? [button(words.all, null, () => { const every = this.on.every(Boolean); this.on = this.on.map((_, head) => !every || head === 0); })] : []),
      );
    }
    if (!before) {
      pictures.setAttribute("aria-label", words.view);
      pictures.replaceChildren(...["lines", "text"].map((name) => {
        const node = element("button", { type: "button", "data-picture": name }, words[name]);
        node.onclick = () => { this.picture = name; this.layOut(); };
        return node;
      }));
      this.slider.previousElementSibling.textContent = words.weakest;
    }
    root.classList.toggle("bare", !data.tools);
    root.classList.toggle("one-head", data.heads === 1);
    this.markPin();
    this.average();
  }

  headsChanged() {
    this.average();
    this.layOut();
  }

  // The heads that are on, and the average of their weights, which the matrix and the coloured text show.
  average() {
    const { weights, rows, columns } = this, size = rows * columns;
    this.active = this.on.flatMap((on, head) => (on ? [head] : []));
    this.mean = new Float32Array(size);
    for (const head of this.active) for (let i = 0; i < size; i++) this.mean[i] += weights[head * size + i] / this.active.length;
    [...this.heads.querySelectorAll("button")].forEach((button, head) => button.setAttribute("aria-pressed", this.on[head] ?? this.on.every(Boolean)));
    const average = this.active.length > 1 ? this.data.words.average : "";
    this.figure.lastElementChild.textContent = fill(this.data.words.matrix, { rows: this.data.row_title, columns: this.data.column_title, average });
    this.matrix.setAttribute("aria-label", this.figure.lastElementChild.textContent);
  }

  markPin() {
    for (const [axis, side] of Object.entries(sideOf)) {
      for (const word of this.lists[side].children) word.setAttribute("aria-pressed", this.pin?.[axis] === Number(word.dataset.place));
    }
  }

  // --- Where everything stands --------------------------------------------------------------------------------------------

  layOut() {
    const { root, stage, data } = this, width = (this.width = root.clientWidth);
    if (!width) return;
    this.look = lookOf(root);
    this.letter = parseFloat(getComputedStyle(root).fontSize);
    this.tall = Number(getComputedStyle(root).getPropertyValue("--tall")) || 0.72;  // of the window's height
    const text = this.picture === "text";
    this.upright = width >= COLUMNS && !text;
    this.bothSides = !(text && data.same);
    root.classList.toggle("upright", this.upright);
    root.classList.toggle("narrow", width < NARROW);
    root.classList.toggle("text", text);
    root.classList.toggle("single", !this.bothSides);
    this.chips = this.upright && width >= TIGHT * this.letter ? 2 : 1;
    root.classList.toggle("tight", this.chips === 1 || data.heads === 1);
    root.classList.toggle("beside", data.matrix && width >= BESIDE);
    this.figure.hidden = !data.matrix;
    for (const button of this.pictures.children) button.setAttribute("aria-pressed", button.dataset.picture === this.picture);
    const longest = Math.max(this.rows, this.columns), row = clamp(18, clamp(320, innerHeight * this.tall - this.film.offsetHeight, 900) / longest, 2.9 * this.letter);
    this.row = this.upright ? row : 0;
    root.style.setProperty("--row", `${row}px`);
    root.style.setProperty("--word", `${this.upright ? clamp(11, 0.55 * row, 1.4 * this.letter) : (width < NARROW ? 1.1 : 1.5) * this.letter}px`);
    const from = stage.getBoundingClientRect();
    const measure = (list) => [...list.children].map((word) => {
      const { left, right, top, bottom } = word.getBoundingClientRect();
      return { left: left - from.left, right: right - from.left, top: top - from.top, bottom: bottom - from.top };
    });
    this.boxes = { row: measure(this.lists.asks), column: measure(this.bothSides ? this.lists.asked : this.lists.asks) };
    this.area = [from.width, from.height];
    this.font = (size, weight = 400) => `${weight} ${size}px ${this.look.font}`;
    this.note = clamp(10.5, 0.66 * parseFloat(root.style.getPropertyValue("--word")), 1.2 * this.letter);
    this.drawMatrix();
    this.drawLines();
    this.drawLit();
  }

  colour(head) {
    return this.data.colours[head % this.data.colours.length];
  }

  weight(head, row, column) {
    return this.weights[(head * this.rows + row) * this.columns + column];
  }

  open(row, column) {
    return this.valid[row * this.columns + column] === 1;
  }

  // --- Drawing ------------------------------------------------------------------------------------------------------------

  drawSoon(all) {
    this.all ||= all;
    this.frame ??= requestAnimationFrame(() => {
      this.frame = undefined;
      if (this.all) this.drawLines();
      this.all = false;
      this.drawLit();
    });
  }

  // From a word that asks to one that is asked; several heads run side by side.
  curve(path, rank, row, column) {
    const a = this.boxes.row[row], b = this.boxes.column[column], gap = Math.min(5, 0.6 * (this.row || 30) / this.active.length);
    const shift = (rank - (this.active.length - 1) / 2) * gap;
    if (this.upright) {
      const [x, y, to, end] = [a.right + 4, (a.top + a.bottom) / 2 + shift, b.left - 4, (b.top + b.bottom) / 2 + shift], bend = (to - x) * 0.45;
      path.moveTo(x, y);
      path.bezierCurveTo(x + bend, y, to - bend, end, to, end);
    } else {
      const [x, y, to, end] = [(a.left + a.right) / 2 + shift, a.bottom, (b.left + b.right) / 2 + shift, b.top], bend = (end - y) * 0.5;
      path.moveTo(x, y);
      path.bezierCurveTo(x, y + bend, to, end - bend, to, end);
    }
  }

  // Draws the lines between these words that are strong enough, and counts them. Those of one head and about one share go at one
  // stroke; a line of width 1 is by far the quickest.
  strokeLines(pen, rows, columns, lit) {
    const { active, least } = this, widest = 1.15 * clamp(4, 0.24 * (this.row || 30), 12) / Math.sqrt(active.length), paths = new Map();
    let count = 0;
    active.forEach((head, rank) => {
      for (const row of rows) for (const column of columns) {
        const share = this.weight(head, row, column);
        if (share < least || !this.open(row, column)) continue;
        const level = head * (LEVELS + 1) + Math.ceil(share * LEVELS);
        if (!paths.has(level)) paths.set(level, new Path2D());
        this.curve(paths.get(level), rank, row, column);
        count += 1;
      }
    });
    for (const [level, path] of paths) {
      const head = Math.floor(level / (LEVELS + 1)), share = (level % (LEVELS + 1)) / LEVELS;
      pen.strokeStyle = this.colour(head);
      pen.globalAlpha = lit ? 0.3 + 0.7 * share : share ** 0.8;
      pen.lineWidth = Math.max(1, widest * share);
      const plain = count > PLAIN || active.length === 1;
      pen.setLineDash(plain ? [] : DASHES[(head + (head >> 3)) % DASHES.length].map((part) => part * Math.max(2, pen.lineWidth)));
      pen.stroke(path);
    }
    return count;
  }

  drawLines() {
    this.least = Number(this.slider.value) / 100;
    this.output.textContent = `${this.slider.value}%`;
    const pen = penOn(this.lines, ...this.area);
    this.drawn = this.picture === "lines" ? this.strokeLines(pen, range(this.rows), range(this.columns), false) : 0;
    this.root.dataset.lines = this.drawn;
  }

  // What is pointed at or held: its words, its lines with their shares, and the same cells of the matrix.
  drawLit() {
    let { row = null, column = null } = { ...this.pin, ...this.hover };
    const text = this.picture === "text", pen = penOn(this.litLines, ...this.area);
    if (row === null && column === null && text) row = 0;  // a coloured text needs a word that asks
    const some = row !== null || column !== null, pair = row !== null && column !== null;
    this.root.classList.toggle("some", some);
    this.name(row === null ? null : this.lists.asks.children[row], column === null || !this.bothSides ? null : this.lists.asked.children[column]);
    if (some) {
      const rows = row === null ? range(this.rows) : [row], columns = column === null ? range(this.columns) : [column];
      const each = (draw) => { for (const r of rows) for (const c of columns) draw.call(this, pen, r, c, row !== null); };
      if (text || pair) each(this.tint);
      if (!text) this.strokeLines(pen, rows, columns, true);
      each(this.writeShares);
    }
    this.lightCells(row, column);
    clearTimeout(this.telling);
    this.telling = setTimeout(() => this.say(row, column), 120);
  }

  // Marks the words that are meant, at most one on each side.
  name(...words) {
    for (const word of this.named ?? []) if (!words.includes(word)) word?.classList.remove("named");
    for (const word of words) word?.classList.add("named");
    this.named = words;
  }

  tint(pen, row, column, asked) {
    const box = asked ? this.boxes.column[column] : this.boxes.row[row];
    pen.globalAlpha = 0.5 * this.mean[row * this.columns + column] ** 0.8;
    pen.fillStyle = this.active.length === 1 ? this.colour(this.active[0]) : this.look.primary;
    pen.beginPath();
    pen.roundRect(box.left, box.top, box.right - box.left, box.bottom - box.top, 6);
    pen.fill();
  }

  // The shares at the far end of the lines: outside the columns, or below the word. A head has its number in its colour.
  writeShares(pen, row, column, asked) {
    const box = asked ? this.boxes.column[column] : this.boxes.row[row], { note, look, picture, active } = this;
    const shares = !this.open(row, column) ? [{ text: "×" }]
      : picture === "text" ? [{ text: percent(this.mean[row * this.columns + column]) }]
      : active.map((head) => ({ head: active.length > 1 ? head : undefined, share: this.weight(head, row, column) }))
          .filter(({ share }) => share >= this.least).sort((a, b) => b.share - a.share).slice(0, asked ? this.chips : 1)
          .map(({ head, share }) => ({ head, text: percent(share) }));
    pen.globalAlpha = 1;
    pen.textBaseline = "middle";
    pen.textAlign = "left";
    pen.font = this.font(note, 600);
    const badge = 1.45 * note, wide = ({ head, text }) => (head === undefined ? 0 : badge + 4) + pen.measureText(text).width;
    const total = shares.reduce((sum, each) => sum + wide(each) + 9, -9);
    const y = this.upright ? (box.top + box.bottom) / 2 : box.bottom + 0.75 * note;
    let x = !this.upright ? (box.left + box.right - total) / 2 : asked ? box.right + 8 : box.left - 8 - total;
    for (const each of shares) {
      let from = x;
      if (each.head !== undefined) {
        const colour = this.colour(each.head);
        pen.fillStyle = colour;
        pen.beginPath();
        pen.roundRect(from, y - badge / 2, badge, badge, badge / 4);
        pen.fill();
        pen.fillStyle = luminance(rgb(colour)) > 0.179 ? "#000000" : "#ffffff";
        pen.textAlign = "center";
        pen.fillText(String(each.head), from + badge / 2, y + 0.5);
        pen.textAlign = "left";
        from += badge + 4;
      }
      pen.fillStyle = look.text;
      pen.fillText(each.text, from, y + 0.5);
      x += wide(each) + 9;
    }
  }

  drawMatrix() {
    const { data, rows, columns, mean, look, figure } = this;
    if (!data.matrix) return;
    this.grid = heat(this.matrix, {
      value: (row, column) => (this.open(row, column) ? mean[row * columns + column] : NaN),
      size: [rows, columns], rows: data.rows, columns: data.columns, stops: data.palette[look.name].probability, low: 0, high: 1,
      masked: data.palette[look.name].masked, look, room: figure.clientWidth, cell: [1, 2.4 * this.letter, null], decimals: null,
    });
  }

  lightCells(row, column) {
    if (!this.data.matrix) return;
    const { left, top, w, h } = this.grid, pen = penOn(this.litMatrix, left + this.columns * w + 2, top + this.rows * h + 2);
    if (row === null && column === null) return;
    const [x, y] = [left + (column ?? 0) * w, top + (row ?? 0) * h];
    pen.strokeStyle = this.look.text;
    pen.lineWidth = row !== null && column !== null ? 3 : 2;
    pen.strokeRect(x - 0.5, y - 0.5, (column === null ? this.columns : 1) * w, (row === null ? this.rows : 1) * h);
  }

  // The strongest links in words, for the eye and for those who listen.
  say(row, column) {
    const { data: { words, rows, columns }, active } = this, at = (r, c) => this.mean[r * this.columns + c];
    const sentence = () => {
      if (!active.length) return words.no_head;
      if (row === null && column === null) {
        return this.drawn || this.picture === "text" ? words.hint : fill(words.none_shown, { share: `${this.slider.value}%` });
      }
      if (row !== null && column !== null) {
        const pair = { asks: rows[row], asked: columns[column], share: percent(at(row, column)) };
        return fill(this.open(row, column) ? words.pair : words.hidden, pair);
      }
      const asks = row !== null, word = asks ? rows[row] : columns[column];
      const shares = (asks ? columns : rows).map((other, i) => ({ other, share: asks ? at(row, i) : at(i, column), open: asks ? this.open(row, i) : this.open(i, column) }));
      const strongest = shares.filter(({ open }) => open).sort((a, b) => b.share - a.share).filter(({ share }, i) => !i || share >= 0.005).slice(0, 3);
      if (!strongest.length) return fill(asks ? words.blind : words.unseen, { word });
      const links = strongest.map(({ other, share }) => fill(asks ? words.from : words.by, { word: other, share: percent(share), own: word }));
      return fill(asks ? words.takes : words.given, { word, links: links.join(", ") });
    };
    const links = sentence(), weighed = active.length && (row !== null || column !== null) && this.data.heads > 1 && links !== words.hint;
    this.said.textContent = weighed ? fill(active.length > 1 ? words.some_heads : words.one_head, { heads: active.join(", "), links }) : links;
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".attention-view");
  root.view ??= new View(root);
  root.view.show(data, (pin) => setStateValue("pin", pin));
  return () => { if (!root.isConnected) root.view.end(); };
}
