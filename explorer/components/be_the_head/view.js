// Be the head: somebody presses where the model shall look as it writes a word, and it goes on with these weights.

import { bars } from "../closer/bars.js";
import { written } from "../closer/caption.js";
import { Sight } from "../closer/sight.js";
import { isNarrow } from "../shared/curves.js";
import { clamp, element, fill, range } from "../shared/dom.js";
import { KnownWords } from "../shared/known_words.js";
import { Lines } from "../shared/look_lines.js";
import { Place } from "../shared/place.js";
import { Server } from "../shared/server.js";
import { percent } from "../shared/shares.js";
import { keep, kept } from "../shared/tab_memory.js";

const STAY = 1100; // ms that a right word of a whole sentence stands before the next one is asked for
const WHOLE = 2; // the level of a whole sentence, from 0
const DECODER = 3; // the level of the decoder's own attention
const BESIDE = 8; // px between the lines of both
const DONE = "be-the-head"; // in the tab's memory: levels that are done, and the whole sentence that was finished last

const nothing = () => {};

class BeTheHead {
  constructor(root, tell) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, find, tell, stage: find(".stage"), field: find(".field") });
    Object.assign(this, { level: 0, goal: 0, looks: new Map(), own: false, helped: 0, look: null, solved: new Set() });
    const done = kept(DONE);
    Object.assign(this, { wants: 0, isAsking: false, asked: 0, sentence: done?.sentence ?? "" }); // finished last
    for (const level of done?.levels ?? []) this.solved.add(level);
    this.followed = new Place(
      () => this.place,
      (place) => tell("place", place),
    );
    this.offers = new KnownWords(this.field, find(".known"));
    find(".open-own").onclick = () => this.set({ own: !this.own });
    find(".another").onclick = () => this.another();
    find(".self").onclick = () => this.letItLook();
    find(".next").onclick = () => this.go({ level: this.level + 1 });
    find("form").onsubmit = (event) => {
      event.preventDefault();
      this.say(this.field.value.trim() || this.field.dataset.example);
    };
    this.sizes = new ResizeObserver(() => this.drawn && this.draw());
    this.sizes.observe(this.stage);
  }

  end() {
    this.sizes.disconnect();
    this.followed.stop();
    clearTimeout(this.going);
    this.server?.close();
  }

  // Takes the page's data. What somebody does here is newer than what the page says of it.
  update(data) {
    const isFirst = !this.data;
    const isOther = isFirst || data.settings.task !== this.data.settings.task;
    const others = isOther || data.language !== this.data.language;
    const isNew = isOther || (data.drawn.sentence !== this.data.drawn.sentence && data.drawn.sentence !== this.drawn.sentence);
    const isRefused = data.refused && JSON.stringify(data.refused) !== JSON.stringify(this.data?.refused);
    const goes = !isFirst && !this.followed.isEcho(data.place);
    this.data = data;
    this.offers.known = data.known;
    if (others) this.name();
    if (isFirst) this.followed.open(data.place);
    if (isFirst || isNew || goes) this.open(isNew ? data.drawn : (this.drawn ?? data.drawn), data.place, data.look);
    if (isFirst && this.wasFinishedByItself) this.letItLook();
    else if (others) this.draw();
    if (!this.look && data.look && JSON.stringify(data.place) === JSON.stringify(this.place)) this.hear(data.look);
    if (isRefused) this.refuse(data.refused.refused, data.refused.offered);
  }

  name() {
    const { texts } = this.data;
    const names = { ".another": "another", ".self": "self", ".next": "next", ".ask": "ask" };
    for (const [selector, text] of Object.entries(names)) this.find(selector).textContent = texts[text];
    this.find(".levels").setAttribute("aria-label", texts.levelsName);
    this.find(".ways").setAttribute("aria-label", texts.ways);
    this.find(".shares").setAttribute("aria-label", texts.shares);
    this.field.setAttribute("aria-label", texts.sentence);
    this.stage.setAttribute("aria-label", texts.stage);
    this.find(".answer").lang = this.data.answerLanguage;
    this.find(".levels").replaceChildren(
      ...texts.levels.map((text, level) => {
        const name = element("span", { class: "name", text: ` · ${text}` });
        const button = element("button", { type: "button", "aria-label": `${level + 1} · ${text}` }, String(level + 1), name);
        button.onclick = () => this.go({ level });
        return button;
      }),
    );
    this.server?.close();
    this.server = new Server(this.data.address, { settings: this.data.settings, language: this.data.language });
  }

  // Goes to a goal.
  open(drawn, { level = this.level, goal = 0, looks = [], own = false, helped = 0 }, look = null) {
    clearTimeout(this.going);
    const isSame = drawn === this.drawn;
    this.drawn = drawn;
    this.refusal = null;
    const goals = drawn.levels[level];
    Object.assign(this, { level, goal: clamp(0, goal, Math.max(goals.length - 1, 0)), own, helped, look: null });
    Object.assign(this, { isGoingOn: false, finished: false });
    if (this.level === WHOLE && this.goal === 0) this.remember("");
    this.looks = new Map(looks.filter(([key]) => key < this.keys.length));
    this.root.classList.toggle("still", !isSame);
    this.lay();
    this.draw();
    this.root.classList.remove("still");
    if (look) this.hear(look);
    else if (this.looks.size) this.ask();
  }

  // Goes to a goal that somebody asked for; to another sentence where this one has none on that level.
  go(to) {
    this.open(this.drawn, to);
    if (this.goals.length) this.followed.follow();
    else this.another();
  }

  // Puts the words on the stage.
  lay() {
    const on = { cut: ({ key }) => this.press(key), point: nothing, chosen: (key) => this.press(key), written: nothing };
    this.sight ??= new Sight(this.find(".whole"), on, 0.01);
    this.ownLines ??= new Lines(this.find(".own"), { cut: nothing, point: nothing });
    this.ownLines.faintest = this.data.faintest;
    const laid = JSON.stringify([this.keys, this.rows.length]);
    if (laid === this.laid) return;
    this.laid = laid;
    this.find(".source").lang = this.keys === this.drawn.source ? "en" : this.data.answerLanguage;
    this.sight.open(this.keys, this.rows.length);
    this.ownLines.clear();
    const { examples } = this.data;
    const those = examples[this.level];
    this.field.dataset.example = those[(those.indexOf(this.drawn.sentence) + 1) % those.length];
    this.field.placeholder = fill(this.data.texts.example, { sentence: this.field.dataset.example });
  }

  // --- What is on screen ---

  get goals() {
    return this.drawn.levels[this.level];
  }

  get wanted() {
    return this.goals[this.goal];
  }

  get kind() {
    return this.level === DECODER ? "decoder" : "cross";
  }

  get query() {
    return this.wanted?.query ?? 0;
  }

  // The answer without its end.
  get words() {
    const { answer, end } = this.drawn;
    return end ? answer.slice(0, -1) : answer;
  }

  // The words below: of the decoder's own attention the one that is being written, those before it are looked at.
  get rows() {
    return this.level === DECODER && this.wanted ? [this.words[this.query]] : this.words;
  }

  // The words that can be looked at.
  get keys() {
    if (this.level !== DECODER || !this.wanted) return this.drawn.source;
    return [this.data.texts.start, ...this.drawn.answer.slice(0, this.query)];
  }

  get ownWeights() {
    return this.drawn.rows[this.kind][this.query].slice(0, this.keys.length);
  }

  get weights() {
    const sum = [...this.looks.values()].reduce((total, each) => total + each, 0);
    return range(this.keys.length).map((key) => (this.looks.has(key) ? this.looks.get(key) / sum : 0));
  }

  get isRight() {
    return Boolean(this.wanted && this.look && this.look.next[0][0] === this.wanted.word);
  }

  // Whether the model chose the last word of this sentence, before the page was loaded anew: the address has no look for it.
  get wasFinishedByItself() {
    const isLast = this.level === WHOLE && this.goal === this.goals.length - 1;
    return isLast && !this.looks.size && this.sentence === this.drawn.sentence;
  }

  get place() {
    return { level: this.level, goal: this.goal, looks: [...this.looks], own: this.own, helped: this.helped };
  }

  // The name of a word on screen: that of the end of the answer is not a word.
  named(word) {
    return word === this.drawn.end ? this.data.texts.end : word;
  }

  word(text) {
    const isEnd = text === this.drawn.end;
    return isEnd ? { text: this.data.texts.end, lang: this.data.language } : { text, lang: this.data.answerLanguage };
  }

  // --- What somebody does ---

  press(key) {
    if (!this.wanted || this.finished || this.isGoingOn) return;
    if (this.looks.has(key)) this.looks.delete(key);
    else this.looks.set(key, 100);
    this.weigh();
  }

  weigh() {
    this.refusal = null;
    if (!this.looks.size) this.look = null;
    this.draw();
    this.followed.follow();
    if (this.looks.size) this.ask();
  }

  set({ own }) {
    this.own = own;
    this.draw();
    this.followed.follow();
  }

  // Asks what is written with these weights; of several at once, the newest alone.
  async ask() {
    this.wants += 1;
    if (this.isAsking) return;
    this.isAsking = true;
    let asked;
    let answered;
    do {
      asked = this.wants;
      const { sentence } = this.drawn;
      const choices = { sentence, kind: this.kind, query: this.query, weights: this.weights };
      answered = await this.server.ask("be-the-head-look", choices).catch(() => undefined);
    } while (asked !== this.wants && this.looks.size);
    this.isAsking = false;
    if (answered && this.looks.size) this.hear(answered);
    else if (!answered) this.followed.follow(0); // the page computes it
  }

  hear(look) {
    this.look = look;
    if (this.isRight && this.level === WHOLE) this.goOn();
    else if (this.isRight) this.solve();
    this.draw();
  }

  // The level is done; a whole sentence stays finished.
  solve() {
    this.solved.add(this.level);
    this.remember(this.level === WHOLE ? this.drawn.sentence : this.sentence);
  }

  remember(sentence) {
    this.sentence = sentence;
    keep(DONE, { levels: [...this.solved], sentence });
  }

  // In a whole sentence, the next word is asked for.
  goOn() {
    const isLast = this.goal === this.goals.length - 1;
    clearTimeout(this.going);
    Object.assign(this, { finished: isLast, isGoingOn: !isLast });
    if (isLast) {
      this.solve();
      return this.draw();
    }
    this.going = setTimeout(() => {
      this.go({ goal: this.goal + 1, helped: this.helped });
    }, STAY);
  }

  letItLook() {
    if (this.isGoingOn || this.finished) return;
    this.looks.clear();
    const own = this.drawn.next[this.query];
    Object.assign(this, { look: { ...own, rest: [] }, own: true, helped: this.helped + 1 });
    this.draw();
    this.goOn();
  }

  // The next goal in this sentence; behind the last one, the first of the next sentence.
  another() {
    const { examples } = this.data;
    if (this.level !== WHOLE && this.goal + 1 < this.goals.length) return this.go({ goal: this.goal + 1 });
    const those = examples[this.level];
    this.say(those[(those.indexOf(this.drawn.sentence) + 1) % those.length]);
  }

  // --- Drawing ---

  draw() {
    const { texts } = this.data;
    const { weights, looks, rows } = this;
    const at = rows.length === 1 ? 0 : this.query;
    for (const [level, button] of [...this.find(".levels").children].entries()) {
      button.setAttribute("aria-pressed", level === this.level);
      button.classList.toggle("solved", this.solved.has(level));
    }
    const now = this.look ? this.named(this.look.next[0][0]) : "?";
    const told = (key) =>
      looks.has(key) ? fill(texts.looked, { word: this.keys[key], share: percent(weights[key]) }) : this.keys[key];
    this.sight.draw({
      source: this.keys,
      texts: rows.map((word, i) => (i === at ? now : word)),
      at,
      weights,
      key: -1,
      cut: false,
      changed: Boolean(this.look),
      gloss: this.look && this.look.glosses[0] !== this.look.next[0][0] ? this.look.glosses[0] : "",
      label: (_query, key) => fill(texts.remove, { word: this.keys[key] }),
      names: { source: told, answer: (i) => (i > at ? fill(texts.later, { n: i + 1 }) : i === at ? now : rows[i]) },
    });
    for (const [key, node] of [...this.find(".source").children].entries()) node.setAttribute("aria-pressed", looks.has(key));
    this.drawOwn();
    this.drawShares();
    this.drawBars();
    this.drawWays();
    this.root.classList.toggle("right", this.isRight);
    this.root.classList.toggle("shared", this.looks.size > 1);
    this.root.classList.toggle("decoder", this.level === DECODER);
    this.find(".task").replaceChildren(...this.taskNodes());
    this.find(".said").replaceChildren(...(this.refusal ?? this.said()));
  }

  // The model's own lines, beside those of the person.
  drawOwn() {
    this.find(".own").hidden = !this.own;
    const { sight } = this;
    const isAcross = isNarrow(this.stage);
    const beside = (place) => (isAcross ? { ...place, y: place.y + BESIDE } : { ...place, x: place.x + BESIDE });
    this.ownLines.draw({
      answer: [beside(sight.from)],
      source: sight.sources.map(beside),
      weights: [this.own && this.wanted ? this.ownWeights : []],
      shown: 1,
      label: () => "",
    });
  }

  drawShares() {
    const list = this.find(".shares");
    const keys = this.looks.size > 1 ? [...this.looks.keys()].sort((a, b) => a - b) : [];
    const shown = JSON.stringify([this.level, this.goal, keys]);
    if (shown !== this.sharesShown) {
      this.sharesShown = shown;
      list.replaceChildren(
        ...keys.map((key) => {
          const slider = element("input", { type: "range", min: "1", max: "100", value: String(this.looks.get(key)) });
          slider.oninput = () => {
            this.looks.set(key, Number(slider.value));
            this.weigh();
          };
          return element("label", {}, element("b", { text: this.keys[key] }), slider, element("output"));
        }),
      );
    }
    const { weights } = this;
    for (const [i, key] of keys.entries()) list.children[i].lastChild.textContent = percent(weights[key]);
  }

  drawBars() {
    const { texts, answerLanguage } = this.data;
    const likely = { language: answerLanguage, named: (word) => this.named(word) };
    this.find(".brings").hidden = !this.wanted;
    this.find(".without h2").textContent = this.look && !this.looks.size ? texts.itsOwn : texts.yours;
    this.find(".with h2").textContent = texts.itsOwn;
    this.find(".with h2").hidden = !this.own;
    this.find(".without ol").classList.toggle("empty", !this.look);
    if (this.look) bars(this.find(".without ol"), this.look, likely);
    else this.find(".without ol").replaceChildren();
    const isOpen = this.own && Boolean(this.wanted);
    this.find(".with ol").hidden = !isOpen;
    if (isOpen) bars(this.find(".with ol"), this.drawn.next[this.query], likely);
    this.find(".open-own").textContent = this.own ? texts.cover : texts.show;
    this.find(".open-own").setAttribute("aria-pressed", this.own);
  }

  drawWays() {
    const { texts } = this.data;
    this.find(".self").hidden = this.level !== WHOLE || this.finished || !this.wanted;
    const isDone = this.level === WHOLE ? this.finished : this.isRight;
    this.find(".next").hidden = !isDone || this.level === DECODER;
    this.find(".another").textContent = this.level === WHOLE ? texts.anotherSentence : texts.another;
  }

  taskNodes() {
    const { texts } = this.data;
    const { wanted, level } = this;
    if (!wanted) return [texts.none];
    const gloss = (text) => (text ? ` (${text})` : "");
    const words = {
      word: this.word(wanted.word),
      gloss: gloss(wanted.gloss === wanted.word ? "" : wanted.gloss),
      own: this.word(wanted.own),
      ownGloss: gloss(wanted.ownGloss === wanted.own ? "" : wanted.ownGloss),
      n: this.goal + 1,
      all: this.goals.length,
    };
    const sentence = level === DECODER ? [element("small", { lang: "en", text: this.drawn.source.join(" ") })] : [];
    return [...written(texts.tasks[level], words), ...sentence];
  }

  looksInWords(weights, least) {
    const { texts } = this.data;
    const keys = range(weights.length)
      .filter((key) => weights[key] >= least)
      .sort((a, b) => weights[b] - weights[a]);
    if (keys.length === 1 && weights[keys[0]] === 1) return this.keys[keys[0]];
    return keys.map((key) => fill(texts.share, { word: this.keys[key], share: percent(weights[key]) })).join(texts.comma);
  }

  said() {
    const { texts, between } = this.data;
    const { look, wanted, level } = this;
    if (!wanted) return [];
    const small = (text) => element("small", { text });
    const guess = this.drawn.guess ? [small(texts.guess)] : [];
    const own = this.own ? [small(fill(texts.ownLook, { looks: this.looksInWords(this.ownWeights, this.data.faintest) }))] : [];
    if (this.finished) {
      const counts = { n: this.goals.length - this.helped, all: this.goals.length };
      return [fill(this.helped ? texts.finished : texts.finishedAlone, counts), ...own];
    }
    if (!look) return [level === DECODER ? texts.beginDecoder : texts.begin, ...own, ...guess];
    const [[word, share]] = look.next;
    const gloss = look.glosses[0] && look.glosses[0] !== word ? ` (${look.glosses[0]})` : "";
    const words = { word: this.word(word), gloss, wanted: this.word(wanted.word), share: percent(share, 1) };
    if (!this.looks.size) return [...written(texts.byItself, words), ...own];
    words.looks = { text: this.looksInWords(this.weights, 0.005), lang: this.find(".source").lang };
    if (this.isRight) {
      const rest = [...this.words.slice(0, this.query), word, ...look.rest].join(between);
      const goes = level === WHOLE ? [] : [small(fill(texts.rest, { rest }))];
      const last = level === DECODER ? [small(texts.last)] : [];
      return [...written(texts.right, words), ...goes, ...own, ...last];
    }
    const hint = level === WHOLE && this.looks.size === 1 && wanted.fewest !== 1 ? [small(texts.two)] : [];
    return [...written(texts.wrong, words), ...hint, ...own];
  }

  // --- Another sentence ---

  async say(sentence) {
    const { texts } = this.data;
    this.offers.suggest("");
    this.asked += 1;
    const me = this.asked;
    this.root.classList.add("asking");
    const answered = await this.server.ask("be-the-head", { sentence }).catch(() => undefined);
    if (me !== this.asked) return;
    this.root.classList.remove("asking");
    if (answered === undefined) this.tell("said", { sentence, level: this.level }); // the page asks
    if (!answered || answered.refused) return this.refuse(answered?.refused ?? texts.away, answered?.offered ?? []);
    this.field.value = "";
    this.open(answered, {});
    this.followed.stop();
    this.tell("said", { sentence, level: this.level });
  }

  refuse(why, offered) {
    const buttons = offered.slice(0, 2).map((sentence) => {
      const button = element("button", { type: "button", class: "offer", text: sentence });
      button.onclick = () => this.say(sentence);
      return button;
    });
    this.refusal = [why, ...buttons];
    this.find(".said").replaceChildren(...this.refusal);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".be-the-head");
  root.beTheHead ??= new BeTheHead(root, setTriggerValue);
  root.beTheHead.update(data);
  return () => {
    if (!root.isConnected) root.beTheHead.end();
  };
}
