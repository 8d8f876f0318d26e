// The first screen. An answer writes itself, a line from each of its words shows where the model looks, and a line that is cut
// breaks the sentence. What a person does ends what was going on: every step of it looks whether it is still the newest.

import { carry } from "../shared/carried_cut.js";
import { isNarrow } from "../shared/curves.js";
import { clamp, element, fill } from "../shared/dom.js";
import { KnownWords } from "../shared/known_words.js";
import { Lines } from "../shared/look_lines.js";
import { Server } from "../shared/server.js";
import { percent } from "../shared/shares.js";
import { canBeTakenHome } from "../shared/take_home.js";
import { alignment, heightFor, placesOf, roomFor } from "./places.js";
import { come, explain, leave, placeAt, textOf, wordAt } from "./words.js";

const FIRST = 500; // ms until the first word
const WRITE = 600; // ms a word
const REWRITE = 340;
const SNAP = 380;
const FALL = 450;
const OFFER = 1000; // ms between the last word and the offer to cut
const MOVE = 1500; // ms at each step of learning, when it is played
const STRONG = 0.7; // weight of a line that may be offered
const SEEN = 0.3; // weight of a line of which it may be said that it can go
const PILL = [250, 60]; // px, between two offers at least

const same = (one, other) => one.join(" ") === other.join(" ");

class Start {
  constructor(root, said) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, find, said, stage: find(".stage"), runs: 0, cuts: new Map(), words: [], cut: null, at: 0 });
    Object.assign(this, {
      answer: find(".answer"),
      source: find(".source"),
      pill: find(".pill"),
      spare: find(".spare"),
      slider: find("[type=range]"),
    });
    this.lines = new Lines(this.stage, {
      cut: (link, byKey) => this.cutOrHeal(link, byKey),
      point: (link) => this.point(link),
    });
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    find(".skip").onclick = () => this.skip();
    find(".play").onclick = () => this.play();
    find("form").onsubmit = (event) => {
      event.preventDefault();
      this.ask(this.field.value.trim() || this.field.dataset.example);
    };
    this.field = find(".field");
    this.offers = new KnownWords(this.field, find(".known"));
    this.slider.oninput = () => this.goTo(Number(this.slider.value));
    root.addEventListener("keydown", (event) => event.key === "Escape" && (this.cut ? this.heal() : this.skip()));
    this.sizes = new ResizeObserver(() => this.resize());
    this.sizes.observe(this.stage);
  }

  end() {
    this.runs += 1;
    this.sizes.disconnect();
    this.server?.close();
  }

  // Takes the page's data. A sentence that is on screen stays as it is.
  update(data) {
    const isFirst = !this.data;
    const isNew =
      isFirst || (data.opening.sentence !== this.data.opening.sentence && data.opening.sentence !== this.opening.sentence);
    const others = isFirst || data.language !== this.data.language || data.settings.task !== this.data.settings.task;
    this.data = data;
    this.lines.faintest = data.faintest;
    this.offers.known = data.known;
    if (others) this.name();
    if (isNew || others) this.open(data.opening, data.cuts);
  }

  // Writes the texts of the controls.
  name() {
    const { texts } = this.data;
    const written = {
      ".skip": "skip",
      ".from": "untrained",
      ".to": "trained",
      label: "own",
      ".ask": "ask",
    };
    for (const [selector, text] of Object.entries(written)) this.find(selector).textContent = texts[text];
    this.field.setAttribute("aria-label", texts.own);
    this.slider.setAttribute("aria-label", texts.learning);
    this.stage.setAttribute("aria-label", texts.stage);
    this.answer.lang = this.data.answerLanguage;
    this.server?.close();
    this.server = new Server(this.data.address, { settings: this.data.settings, language: this.data.language });
  }

  get last() {
    return this.opening.steps.length - 1;
  }

  get isTrained() {
    return this.at === this.last;
  }

  // What is recorded of the step on screen: its words and weights.
  get step() {
    return this.opening.steps[this.at];
  }

  // What is on screen: of the step, or after the cut.
  get shown() {
    return this.cut?.answer ?? this.step;
  }

  begin() {
    this.stopPlaying();
    this.runs += 1;
    return this.runs;
  }

  wait(ms) {
    return new Promise((done) => setTimeout(done, this.still.matches ? 0 : ms));
  }

  state(name) {
    this.root.dataset.state = name;
    carry(this.opening?.sentence, this.isTrained ? this.cut : null);
    this.find(".skip").classList.toggle("idle", name !== "writing");
  }

  // --- A sentence ---

  open(opening, cuts = null) {
    this.opening = opening;
    this.cuts = new Map(cuts ? [[String(cuts.after), Promise.resolve(cuts)]] : []);
    this.at = this.last;
    this.cut = null;
    this.slider.max = this.last;
    const place = (at) => `left: calc(12px + ${at / this.last} * (100% - 24px))`;
    this.find(".ticks").replaceChildren(...opening.steps.map((_, at) => element("i", { style: place(at) })));
    const { examples } = this.data;
    this.field.dataset.example = examples[(examples.indexOf(opening.sentence) + 1) % examples.length];
    this.field.placeholder = fill(this.data.texts.example, { sentence: this.field.dataset.example });
    this.knob();
    this.write();
  }

  async write() {
    const me = this.begin();
    this.size = this.sizeOfStage();
    this.hidePill();
    this.lines.clear();
    this.answer.replaceChildren();
    this.find(".ghosts").replaceChildren();
    this.words = [];
    this.say("");
    this.placeSource();
    this.state("writing");
    this.cutsOf(null);
    const { texts, glosses, places } = this.layOut(this.step);
    for (const [i, text] of texts.entries()) {
      await this.wait(i ? WRITE : FIRST);
      if (me !== this.runs) return;
      this.words.push({ node: come(this.answer, this.word(text, glosses[i], places[i])), place: places[i] });
      this.draw();
    }
    await this.wait(OFFER / 2);
    if (me === this.runs) this.settle(me);
  }

  skip() {
    if (this.root.dataset.state !== "writing") return;
    const me = this.begin();
    this.show();
    this.settle(me);
  }

  async settle(me) {
    this.state("ready");
    if (this.isTrained) this.say(...this.introduction());
    await this.wait(OFFER);
    if (me === this.runs) this.offer();
  }

  introduction() {
    const { texts } = this.data;
    if (this.data.refused && this.opening === this.data.opening) return [this.data.refused.refused];
    if (this.opening.guess) return [texts.guess, this.opening.guess];
    const strong = this.lines.strong(STRONG);
    const cross = strong.some((one) => strong.some((other) => (one.query - other.query) * (one.key - other.key) < 0));
    return [cross ? texts.cross : texts.straight];
  }

  word(text, gloss, place, kind = "") {
    return wordAt(text, place, { gloss, kind: text === "…" ? "rest" : kind });
  }

  // The words of an answer that there is room for, with their glosses and places. On a phone an untrained model, which does not
  // stop, writes more; the words below the picture are all then.
  layOut({ words, glosses }) {
    const most = roomFor(this.stage);
    const texts = words.length > most ? [...words.slice(0, most - 1), "…"] : [...words];
    return { texts, glosses, places: placesOf(texts, glosses, this.stage, "answer"), isWhole: words.length <= most };
  }

  placeSource() {
    const { source } = this.opening;
    const { words, glosses } = this.opening.steps[this.last];
    this.stage.style.minHeight = `${heightFor(source, words, glosses, this.stage)}px`;
    this.size = this.sizeOfStage();
    this.sources = placesOf(source, [], this.stage, "source");
    this.source.replaceChildren(...source.map((text, key) => wordAt(text, this.sources[key])));
  }

  // Shows the words of the step on screen: those that stay slide to their places, others come and go.
  show() {
    const { texts, glosses, places } = this.layOut(this.step);
    const old = this.words;
    this.words = texts.map((text, i) => {
      const node = old[i]?.node;
      if (node?.isConnected && textOf(node) === text && !node.classList.contains("new")) {
        node.classList.remove("waiting");
        placeAt(node, places[i]);
        explain(node, glosses[i]);
        old[i] = null;
        return { node, place: places[i] };
      }
      return { node: null, place: places[i] };
    });
    for (const each of old) if (each?.node?.isConnected) leave(each.node);
    for (const ghost of this.find(".ghosts").children) leave(ghost);
    for (const [i, each] of this.words.entries()) {
      const next = this.words.slice(i + 1).find(({ node }) => node);
      each.node ??= come(this.answer, this.word(texts[i], glosses[i], each.place), next?.node);
    }
    this.draw();
  }

  // Draws the lines of the words on screen.
  draw() {
    const { words, weights } = this.shown;
    const { texts } = this.data;
    const named = (query, key, weight) =>
      fill(texts.line, { word: words[query], source: this.opening.source[key], share: percent(weight, 1) });
    this.lines.draw({
      answer: this.words.map(({ place }) => place),
      source: this.sources,
      weights,
      shown: this.words.filter(({ node }, i) => i < words.length && !node?.classList.contains("rest")).length,
      label: named,
      cut: this.cut && { query: this.cut.query, key: this.cut.key, answer: this.cut.place },
    });
  }

  sizeOfStage() {
    return `${this.stage.clientWidth} × ${this.stage.clientHeight}`;
  }

  resize() {
    if (!this.opening || this.size === this.sizeOfStage()) return;
    if (this.root.dataset.state === "writing") return this.write();
    this.size = this.sizeOfStage();
    const { cut } = this;
    const hadFocus = document.activeElement === this.pill;
    this.begin();
    this.cut = null;
    this.hidePill();
    this.lines.clear();
    this.answer.replaceChildren();
    this.words = [];
    this.placeSource();
    this.show();
    this.lines.run(true);
    if (cut) this.cutOrHeal(this.lines.links.get(cut.name), hadFocus);
    else this.settle(this.runs);
  }

  // --- Cuts ---

  // Returns the answers after all cuts of the trained model, asked for once; at another step, after the cut of one link. Null where
  // the server cannot be reached.
  cutsOf(link) {
    const { step: after } = this.step;
    const { sentence } = this.opening;
    const one = this.isTrained ? [] : [link.query, link.key];
    const name = [after, ...one].join();
    if (!this.cuts.has(name))
      this.cuts.set(
        name,
        this.server.ask("start-cuts", { sentence, after, link: one }).catch(() => null),
      );
    return this.cuts.get(name);
  }

  async offer() {
    if (this.cut || !this.isTrained) return;
    const me = this.runs;
    const found = await this.cutsOf(null);
    if (!found || me !== this.runs || this.cut) return;
    const links = this.lines.strong(STRONG).filter(({ name }) => this.breaks(found, name));
    const value = (link) => {
      const crosses = links.some((other) => (link.query - other.query) * (link.key - other.key) < 0);
      return 2 * crosses + (found.links[link.name].words.length === this.step.words.length);
    };
    const [best] = links.sort((a, b) => value(b) - value(a) || a.query - b.query);
    if (!best) return;
    best.group.classList.add("offered");
    best.at = isNarrow(this.stage) ? 0.5 : 0.77;
    this.showPill(best, "cut");
    this.offerSpare(found, best);
  }

  // Offers the thickest line without which the answer stays the same, if there is one apart from the line that is offered.
  offerSpare(found, best) {
    const larger = this.larger;
    const isApart = (link) => {
      const [[x, y], [u, v]] = [this.lines.pointAt(link, 0.5), this.lines.pointAt(best, best.at)];
      return isNarrow(this.stage) || Math.abs(x - u) > PILL[0] * larger || Math.abs(y - v) > PILL[1];
    };
    const can = this.lines.strong(SEEN).filter((link) => link.name in found.links && !this.breaks(found, link.name));
    const [spare] = can.filter(isApart).sort((a, b) => b.weight - a.weight);
    if (!spare) return;
    spare.at = 0.5;
    this.showPill(spare, "spare", this.spare);
  }

  breaks(found, name) {
    return name in found.links && !same(found.links[name].words, this.step.words);
  }

  showPill(link, kind, pill = this.pill) {
    const { texts } = this.data;
    const { clientWidth: width, clientHeight: height } = this.stage;
    const narrow = isNarrow(this.stage);
    const [x, y] = narrow ? [width / 2, height + (kind === "spare" ? 80 : 30)] : this.lines.pointAt(link, link.at);
    const away = kind === "heal" && !narrow ? 58 * this.larger : 0;
    const isLeft = !narrow && x + away + (kind === "spare" ? 190 : 130) * this.larger > width;
    placeAt(pill, { x: x + (isLeft ? -away : away), y, size: 18 });
    pill.className = `pill ${kind}${isLeft ? " left" : ""}`;
    const named = { cut: [texts.cutIt, texts.cutLine], spare: [texts.canGo, texts.lineCanGo], heal: [texts.undo, texts.undo] };
    const text = fill(named[kind][narrow ? 1 : 0], { source: this.opening.source[link.key] });
    pill.replaceChildren(element("span", { class: "icon", "aria-hidden": "true" }), text);
    pill.hidden = false;
    pill.onclick = () => (kind === "heal" ? this.heal() : this.cutOrHeal(link));
  }

  get larger() {
    return Number.parseFloat(getComputedStyle(this.root).fontSize) / 18; // on a projector
  }

  hidePill() {
    this.pill.hidden = true;
    this.spare.hidden = true;
    for (const { group } of this.lines.links.values()) group.classList.remove("offered");
  }

  async cutOrHeal(link, byKey = false) {
    if (this.root.dataset.state === "writing") this.skip();
    const { query, key, name, at } = link;
    if (this.cut) {
      const isSame = this.cut.query === query && this.cut.key === key;
      this.heal(!isSame);
      if (isSame) return;
    }
    if (!(this.step.weights[query]?.[key] >= this.data.faintest)) return this.settle(this.begin()); // a line of the other answer
    const byPill = [this.pill, this.spare].includes(document.activeElement);
    const me = this.begin();
    this.hidePill();
    this.point(null);
    const again = this.lines.links.get(name) ?? link;
    again.at = at;
    this.cut = { query, key, name, place: this.words[query].place, answer: null };
    this.state("cut");
    this.draw();
    this.showPill(again, "heal");
    if (byKey || byPill) this.pill.focus({ preventScroll: true });
    const [found] = await Promise.all([this.cutsOf(link), this.wait(SNAP)]);
    if (me !== this.runs) return;
    const answer = found?.links[name];
    if (!answer) {
      this.heal(true);
      return this.say(this.data.texts.away);
    }
    await this.rewrite(answer, me);
  }

  // Rewrites the answer from its first word that differs; words that are in both keep their nodes.
  async rewrite(answer, me) {
    const { texts } = this.data;
    const source = this.opening.source[this.cut.key];
    const old = this.layOut(this.step).texts;
    const { texts: now, glosses, places: anew } = this.layOut(answer);
    if (same(answer.words, this.step.words)) {
      this.cut.answer = answer;
      this.draw();
      return this.say(fill(texts.same, { source }), texts.cutAll);
    }
    const takes = alignment(old, now);
    const places = takes ? takes.map((i) => this.words[i].place) : anew;
    const from = takes ?? now.map((text, i) => (old[i] === text ? i : -1));
    const first = now.findIndex((text, i) => text !== old[i]);
    const start = first < 0 ? now.length : first;
    const before = this.words;
    const stays = new Set(from.filter((i, at) => old[i] === now[at]));
    for (const [i, { node, place }] of before.entries()) {
      if (!stays.has(i)) {
        node.remove();
        const ghost = element("span", { class: "ghost", text: old[i] });
        placeAt(ghost, place);
        this.find(".ghosts").append(ghost);
      } else if (i >= start) node.classList.add("waiting");
    }
    this.cut.answer = answer;
    this.words = now.slice(0, start).map((_, i) => ({ node: before[from[i]].node, place: places[i] }));
    for (const { node, place } of this.words) placeAt(node, place);
    this.draw();
    await this.wait(FALL);
    for (let i = start; i < now.length; i++) {
      if (me !== this.runs) return;
      const node = stays.has(from[i]) && old[from[i]] === now[i] ? before[from[i]].node : null;
      if (node) {
        node.classList.remove("waiting");
        placeAt(node, places[i]);
        explain(node, glosses[i]);
      }
      const next = from
        .slice(i + 1)
        .map((at) => before[at]?.node)
        .find((each) => each?.isConnected);
      this.words.push({
        node: node ?? come(this.answer, this.word(now[i], glosses[i], places[i], "new"), next),
        place: places[i],
      });
      this.draw();
      await this.wait(REWRITE);
    }
    if (me !== this.runs) return;
    this.say(fill(texts.without, { source }), texts.cutAll, this.inWords(answer));
  }

  // Returns an answer, with what it means word by word.
  inWords({ words, glosses }) {
    const { texts, between, answerLanguage } = this.data;
    const text = element("span", { lang: answerLanguage, text: words.join(between) || texts.nothing });
    return element("b", {}, text, glosses.length ? ` (${glosses.join(" ")})` : "");
  }

  // Puts the line back; `isQuiet` if something else follows at once.
  heal(isQuiet = false) {
    if (!this.cut) return;
    const { name } = this.cut;
    const hadFocus = document.activeElement === this.pill;
    const me = this.begin();
    this.cut = null;
    this.hidePill();
    this.state("ready");
    this.say("");
    this.show();
    if (hadFocus) this.lines.links.get(name)?.hit.focus({ preventScroll: true });
    if (!isQuiet) this.settle(me);
  }

  // --- Untrained to trained ---

  goTo(at) {
    const me = this.begin();
    this.turn(at);
    this.settleAt(me);
  }

  turn(at) {
    this.cut = null;
    this.hidePill();
    this.at = clamp(0, at, this.last);
    this.state("ready");
    this.knob();
    this.show();
    this.tellStep();
  }

  async settleAt(me) {
    await this.wait(OFFER / 2);
    if (me === this.runs && this.isTrained) this.offer();
  }

  knob() {
    const lessons = fill(this.data.texts.lessons, { n: this.step.step.toLocaleString(this.data.language.replace("_", "-")) });
    this.slider.value = this.at;
    this.slider.style.setProperty("--done", this.last ? this.at / this.last : 1);
    this.slider.setAttribute("aria-valuetext", lessons);
    this.find("output").textContent = lessons;
    for (const [at, tick] of [...this.find(".ticks").children].entries()) tick.classList.toggle("done", at <= this.at);
  }

  tellStep() {
    const { texts } = this.data;
    const lessons = fill(texts.lessons, { n: this.step.step.toLocaleString(this.data.language.replace("_", "-")) });
    if (this.at) return this.say(fill(texts.says, { lessons }), texts.lesson, this.inWords(this.step));
    const { isWhole } = this.layOut(this.step);
    if (isWhole) return this.say(texts.random, texts.lesson);
    this.say(`${texts.random} {answer}`, "", this.inWords(this.step));
  }

  async play() {
    const isPlaying = this.playing;
    const me = this.begin();
    if (isPlaying) return this.settleAt(me);
    this.playing = true;
    this.playButton();
    for (let at = this.isTrained ? 0 : this.at + 1; at <= this.last; at++) {
      this.turn(at);
      await new Promise((done) => setTimeout(done, MOVE)); // also where nothing moves: still pictures, one after another
      if (me !== this.runs) return;
    }
    this.stopPlaying();
    this.settleAt(me);
  }

  stopPlaying() {
    this.playing = false;
    this.playButton();
  }

  playButton() {
    const button = this.find(".play");
    button.classList.toggle("playing", Boolean(this.playing));
    if (this.data) button.setAttribute("aria-label", this.playing ? this.data.texts.pause : this.data.texts.play);
  }

  // --- Somebody's own sentence ---

  async ask(sentence) {
    const { texts } = this.data;
    this.offers.suggest("");
    const me = this.begin();
    const before = this.root.dataset.state;
    this.state("asking");
    const answered = await this.server.ask("start", { sentence }).catch(() => undefined);
    if (me !== this.runs) return;
    if (answered === undefined) this.said(sentence); // the page asks
    if (!answered || answered.refused) {
      this.state(before === "writing" ? "ready" : before);
      if (before === "writing") this.show();
      return this.refuse(answered?.refused ?? texts.away, answered?.offered ?? []);
    }
    this.field.value = "";
    this.open(answered);
    this.said(sentence);
  }

  refuse(why, offered) {
    const buttons = offered.slice(0, 2).map((sentence) => {
      const button = element("button", { type: "button", text: sentence });
      button.onclick = () => this.ask(sentence);
      return button;
    });
    const place = element("span", { class: "offers" }, ...buttons);
    this.say(why, "", null, place);
  }

  // --- Words about it ---

  // Says a sentence, with the node `inside` in the place of {answer}; a smaller one, and buttons, below.
  say(words, small = "", inside = null, buttons = null) {
    const [begun, ended = ""] = words.split("{answer}");
    const nodes = [begun, inside ?? "", ended, small ? element("small", { text: small }) : "", buttons ?? ""];
    this.find(".said").replaceChildren(...nodes);
  }

  // Tells the weight of the line that is pointed at.
  point(link) {
    for (const { node } of this.words) node?.classList.remove("lit");
    const isTold = link && !this.cut && this.root.dataset.state === "ready";
    this.find(".telling").classList.toggle("pointing", Boolean(isTold));
    if (!isTold) return;
    const { texts } = this.data;
    this.words[link.query]?.node?.classList.add("lit");
    const said = {
      word: this.shown.words[link.query],
      source: this.opening.source[link.key],
      share: percent(link.weight, 1),
    };
    this.find(".pointed").textContent = fill(texts.looks, said);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".start");
  canBeTakenHome(parentElement);
  root.start ??= new Start(root, (sentence) => setTriggerValue("said", sentence));
  root.start.update(data);
  return () => {
    if (!root.isConnected) root.start.end();
  };
}
