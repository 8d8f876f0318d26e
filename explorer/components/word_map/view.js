// Two maps of words side by side: dots of one language, diamonds of the other. The second is turned onto the first.

import { between, boxOf, diamonds, dots, labelled, nearestTo, orderOf, phases, placed, segments } from "./layout.js";
import { written } from "../closer/caption.js";
import { unpack } from "../shared/arrays.js";
import { clamp, element, range, svgElement } from "../shared/dom.js";
import { Place } from "../shared/place.js";
import { canBeTakenHome } from "../shared/take_home.js";

const LASTS = 4000; // ms of the whole way
const LINES = 0.86; // share of the way from which lines between pairs appear
const WITHIN = 26; // px from a word at which it is pressed
const MARGIN = [46, 40]; // px beside and above the words, for labels and titles
const FEWER = [14, 34]; // likewise on a phone
const BESIDE = [11, 0]; // px from a word to a label that has no room
const DOT = 4.5; // px from the middle of a dot to its edge
const SCENES = 60; // of a film

class WordMap {
  constructor(root, tell) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, find, stage: find(".stage"), svg: find("svg"), hand: find(".by-hand") });
    Object.assign(this, { isMoving: false, way: 0, goal: 0, chosen: -1, over: -1, kind: -1, texts: {} });
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    this.pen = document.createElement("canvas").getContext("2d");
    this.followed = new Place(
      () => this.place,
      (place) => tell("place", place),
    );
    find(".turn").onclick = () => this.turn(!this.goal);
    this.hand.oninput = () => this.byHand(Number(this.hand.value) / 1000);
    find(".pick").onchange = ({ target }) => this.choose(Number(target.value));
    this.stage.onclick = (event) => this.choose(this.wordAt(event));
    this.stage.onpointermove = (event) => event.pointerType === "mouse" && this.hover(this.wordAt(event));
    this.stage.onpointerleave = () => this.hover(-1);
    this.stage.onkeydown = (event) => this.key(event);
    this.sizes = new ResizeObserver(() => this.data && this.draw());
    this.sizes.observe(this.stage);
  }

  end() {
    this.sizes.disconnect();
    this.followed.stop();
    cancelAnimationFrame(this.moving);
  }

  // Takes the page's data. What somebody does here is newer than what the page says of it.
  update(data) {
    const goes = !this.data || !this.followed.isEcho(data.place);
    if (!this.data) this.followed.open(data.place);
    const isFirst = !this.data;
    const isSame = !isFirst && ["words", "language", "kinds"].every((name) => `${data[name]}` === `${this.data[name]}`);
    const { word, turned } = goes ? data.place : this.place;
    this.data = data;
    const target = unpack(data.target);
    const n = data.words.length;
    this.source = unpack(data.source).values;
    this.frames = range(target.shape[0]).map((at) => target.values.subarray(2 * n * at, 2 * n * (at + 1)));
    this.box = boxOf([this.source, this.frames[0], this.frames.at(-1)]);
    if (!isSame) this.build();
    this.chosen = data.words.findIndex(([each]) => each === word);
    if (isFirst) this.way = this.goal = Number(turned);
    else if (Number(turned) !== this.goal) this.turn(turned, false);
    this.draw();
  }

  get place() {
    return { word: this.chosen < 0 ? "" : this.data.words[this.chosen][0], turned: Boolean(this.goal) };
  }

  // --- What somebody does ---

  turn(turned, tells = true) {
    this.goal = Number(turned);
    cancelAnimationFrame(this.moving);
    this.isMoving = false;
    if (tells) this.followed.follow();
    if (this.still.matches) {
      this.way = this.goal;
      this.draw();
      return;
    }
    let before = performance.now();
    this.setOut();
    const step = (now) => {
      this.way = clamp(0, this.way + ((this.goal ? 1 : -1) * (now - before)) / LASTS, 1);
      before = now;
      this.isMoving = this.way !== this.goal;
      if (!this.isMoving) this.draw();
      else {
        this.move();
        this.moving = requestAnimationFrame(step);
      }
    };
    this.drawWays();
    this.moving = requestAnimationFrame(step);
  }

  // Leaves to a few words the labels that they keep on the way.
  setOut() {
    this.isMoving = true;
    this.stage.classList.add("moving");
    for (const at of this.starts ? this.guides : []) {
      this.starts[at] ??= BESIDE;
      this.labels[at].classList.add("shown");
    }
  }

  // The turn as the scenes of a film: how many; show(at) draws one, back() what was there before.
  scenes() {
    const { way, isMoving } = this;
    const stand = (at, moves) => {
      Object.assign(this, { way: at, isMoving: false });
      if (moves) this.setOut();
      this.draw();
    };
    const show = (at) => {
      stand(0, false); // labels go along from the beginning, wherever the page's map stands
      if (at) stand(at / (SCENES - 1), at < SCENES - 1);
    };
    return { count: SCENES, show, back: () => stand(way, isMoving) };
  }

  byHand(way) {
    cancelAnimationFrame(this.moving);
    this.isMoving = false;
    this.way = way;
    this.goal = Number(way > 0.5);
    this.draw();
    this.followed.follow();
  }

  choose(word) {
    this.chosen = word === this.chosen ? -1 : word;
    this.followed.follow();
    this.draw();
  }

  hover(word) {
    if (word === this.over) return;
    this.over = word;
    this.stage.style.cursor = word < 0 ? "" : "pointer";
    this.drawSpots();
    if (!this.isMoving) this.drawLabels();
  }

  key(event) {
    const { length } = this.data.words;
    const by = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (by) this.choose(this.chosen < 0 ? 0 : (this.chosen + by + length) % length);
    else if (event.key === "Escape") this.choose(this.chosen);
    else return;
    event.preventDefault();
  }

  // The word, of either language, near which a pointer is.
  wordAt({ clientX, clientY }) {
    const { left, top } = this.svg.getBoundingClientRect();
    const found = nearestTo([clientX - left, clientY - top], this.points, WITHIN);
    return found < 0 ? -1 : found % this.data.words.length;
  }

  // --- Drawing ---

  build() {
    const { words, kinds, texts, titles, textLanguage, language } = this.data;
    const n = words.length;
    this.order = orderOf(words.map(([, , kind]) => kind));
    const both = [0, 1].flatMap((of) => words.map((word) => ({ of, text: word[of] })));
    this.spots = kinds.flatMap((_, kind) =>
      [0, 1].flatMap((of) =>
        [0, 1].map((judged) => ({
          kind,
          shape: of ? diamonds : dots,
          places: range(n).flatMap((at) => (words[at][2] === kind && at % 2 === judged ? [of * n + at] : [])),
          path: svgElement("path", { class: judged ? "spot" : "spot used", style: `--kind: var(--kind-${kind})` }),
        })),
      ),
    );
    this.labels = both.map(({ of, text }) =>
      svgElement("text", { text, lang: of ? textLanguage : "en", class: of ? "other" : "" }),
    );
    this.guides = this.order.slice(0, kinds.length).flatMap((at) => [at, n + at]); // their labels are seen on the way
    for (const at of this.guides) this.labels[at].classList.add("guide");
    this.find(".spots").replaceChildren(...this.spots.map(({ path }) => path));
    this.find(".labels").replaceChildren(...this.labels);
    for (const [name, title, mark] of [
      [".of-source", titles[0], dots],
      [".of-target", titles[1], diamonds],
    ]) {
      const sign = svgElement("svg", { width: 14, height: 14 }, svgElement("path", { d: mark([[7, 7]], DOT + 1.5) }));
      this.find(name).replaceChildren(sign, title);
    }
    this.find(".kinds").setAttribute("aria-label", texts.kinds);
    this.find(".kinds").replaceChildren(
      ...kinds.map((title, at) => {
        const chip = element("button", {
          type: "button",
          style: `--kind: var(--kind-${at})`,
          "aria-pressed": "false",
          text: title,
        });
        chip.prepend(element("i"));
        chip.onclick = () => {
          this.kind = this.kind === at ? -1 : at;
          this.draw();
        };
        return chip;
      }),
    );
    const options = (kind) =>
      this.order
        .filter((at) => words[at][2] === kind)
        .map((at) => element("option", { value: at, text: words[at][0], lang: "en" }));
    this.find(".pick").replaceChildren(
      element("option", { value: -1, text: texts.pick }),
      ...kinds.map((label, kind) => element("optgroup", { label }, ...options(kind))),
    );
    this.find(".pick").setAttribute("aria-label", texts.pick);
    this.stage.setAttribute("aria-label", texts.map);
    this.hand.setAttribute("aria-label", texts.byHand);
    this.root.lang = language;
    const { fontFamily, fontSize } = getComputedStyle(this.labels[0]);
    this.pen.font = `600 ${fontSize} ${fontFamily}`;
    this.widths = this.labels.map((label) => this.pen.measureText(label.textContent).width);
  }

  draw() {
    this.size = [this.stage.clientWidth, this.stage.clientHeight];
    if (!this.size[0]) return; // it is not on screen
    this.move();
    this.stage.classList.toggle("moving", this.isMoving);
    if (!this.isMoving) this.drawLabels(); // on the way, a few of them stay with their words
    this.drawWays();
    this.drawWords();
  }

  // Puts all words where they are now.
  move() {
    const [width, height] = this.size;
    const { turn, slide } = phases(this.way);
    const margin = width < 640 ? FEWER : MARGIN;
    const { source, target, scale } = placed(width, height, this.box, margin, slide);
    const n = this.data.words.length;
    this.points = range(2 * n).map((at) => {
      const isSource = at < n;
      const middle = isSource ? source : target;
      const [x, y] = isSource ? this.source.subarray(2 * at, 2 * at + 2) : between(this.frames, turn, at - n);
      return [middle[0] + scale[0] * x, middle[1] + scale[1] * y];
    });
    this.find(".of-target").style.setProperty("--slide", slide.toFixed(3));
    this.hand.value = String(Math.round(1000 * this.way));
    this.drawSpots();
    this.drawLines();
    for (const at of range(2 * n)) this.putLabel(at);
  }

  drawSpots() {
    const n = this.data.words.length;
    for (const { shape, places, path } of this.spots) {
      path.setAttribute(
        "d",
        shape(
          places.map((at) => this.points[at]),
          shape === dots ? DOT : DOT + 1,
        ),
      );
    }
    const named = [this.chosen, this.over].filter((at) => at >= 0);
    const marks =
      dots(
        named.map((at) => this.points[at]),
        DOT + 2,
      ) +
      diamonds(
        named.map((at) => this.points[n + at]),
        DOT + 4,
      );
    this.find("path.chosen").setAttribute("d", marks);
  }

  // Lines between judged words and their translations, and from the chosen word to the nearest of its language, in both maps.
  drawLines() {
    const { nearSource, nearTarget, turned, words } = this.data;
    const n = words.length;
    const at = this.chosen;
    const shown = clamp(0, (this.way - LINES) / (1 - LINES), 1);
    const judged = range(n).filter((word) => shown && word % 2 && (this.kind < 0 || words[word][2] === this.kind));
    const near = at < 0 ? [] : [...nearSource[at].map((to) => [at, to]), ...nearTarget[at].map((to) => [n + at, n + to])];
    for (const [name, ends] of [
      ["met", judged.filter((word) => turned[word][0] === word).map((word) => [word, n + word])],
      ["missed", judged.filter((word) => turned[word][0] !== word).map((word) => [word, n + word])],
      ["near", near],
    ]) {
      const path = this.find(`path.${name}`);
      path.setAttribute("d", segments(ends.map((pair) => pair.map((end) => this.points[end]))));
      path.style.opacity = name === "near" ? 1 : shown.toFixed(2);
    }
  }

  // Puts a label where its word is now.
  putLabel(at) {
    if (!this.starts?.[at]) return;
    const [[x, y], [dx, dy]] = [this.points[at], this.starts[at]];
    this.labels[at].setAttribute("transform", `translate(${(x + dx).toFixed(1)},${(y + dy + 5).toFixed(1)})`);
  }

  drawLabels() {
    const { words, nearSource, nearTarget } = this.data;
    const n = words.length;
    const isShown = (at) => this.kind < 0 || words[at % n][2] === this.kind;
    const { chosen, over } = this;
    const first = chosen < 0 ? [] : [chosen, n + chosen, ...nearSource[chosen], ...nearTarget[chosen].map((at) => n + at)];
    if (over >= 0) first.unshift(over, n + over);
    const others = this.order.filter(isShown).flatMap((at) => [at, n + at]);
    this.starts = labelled(this.points, this.widths, this.size, [...first, ...others], new Set(first));
    for (const at of range(2 * n)) {
      const isNamed = at % n === chosen || at % n === over;
      if (isNamed) this.starts[at] ??= BESIDE; // even where it has no room
      this.labels[at].classList.toggle("shown", Boolean(this.starts[at]));
      this.labels[at].classList.toggle("named", isNamed);
      this.labels[at].classList.toggle("dim", !isShown(at) && !first.includes(at));
      this.putLabel(at);
    }
    for (const { kind, path } of this.spots) path.classList.toggle("dim", this.kind >= 0 && kind !== this.kind);
  }

  drawWays() {
    const { texts } = this.data;
    this.find(".turn").textContent = this.goal ? texts.back : texts.turn;
    this.find(".pick").value = String(this.chosen);
    for (const [at, chip] of [...this.find(".kinds").children].entries()) chip.setAttribute("aria-pressed", at === this.kind);
  }

  drawWords() {
    const { said } = this.data;
    this.find(".said").replaceChildren(...(this.chosen < 0 ? [said[Number(this.way === 1)]] : this.ofWord()));
  }

  // What is said of the chosen word.
  ofWord() {
    const { words, nearSource, nearTarget, across, turned, texts, textLanguage } = this.data;
    const at = this.chosen;
    const list = (found, of) => found.map((each) => words[each][of]).join(texts.comma);
    const isTurned = this.way === 1;
    const nearest = (isTurned ? turned : across)[at][0];
    const last = isTurned ? (nearest === at ? texts.met : texts.missed) : texts.apart;
    return written(`${texts.near} ${last}`, {
      word: { text: words[at][0], lang: "en" },
      other: { text: words[at][1], lang: textLanguage },
      near: list(nearSource[at], 0),
      nearOther: list(nearTarget[at], 1),
      found: { text: words[nearest][1], lang: textLanguage },
    });
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".word-map");
  canBeTakenHome(parentElement);
  root.wordMap ??= new WordMap(root, setTriggerValue);
  root.code = data.code;
  root.wordMap.update(data);
  return () => {
    if (!root.isConnected) root.wordMap.end();
  };
}
