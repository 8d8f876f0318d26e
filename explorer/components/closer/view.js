// Look closer: one word is being written. Its looks can be followed, and cut one by one, to see what each brings.

import { carried } from "../shared/carried_cut.js";
import { isNarrow } from "../shared/curves.js";
import { clamp, element, fill } from "../shared/dom.js";
import { KnownWords } from "../shared/known_words.js";
import { Place } from "../shared/place.js";
import { Server } from "../shared/server.js";
import { percent } from "../shared/shares.js";
import { bars } from "./bars.js";
import { written } from "./caption.js";
import { placed, Sight } from "./sight.js";

const SWIPE = 45; // px
const LESS = 0.05; // a share that falls by less is not told
const TYPING = "input, textarea, select, [contenteditable=true], [role=slider], [role=combobox], [role=listbox], [role=menu]";

const mean = (heads) => heads[0].map((_, key) => heads.reduce((sum, head) => sum + head[key], 0) / heads.length);
const most = (weights) => weights.indexOf(Math.max(...weights));

class Closer {
  constructor(root, tell) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, {
      root,
      find,
      tell,
      stage: find(".stage"),
      whole: find(".whole"),
      pill: find(".pill"),
      field: find(".field"),
    });
    Object.assign(this, { at: 0, key: null, cut: false, heads: false, copies: [], asked: 0 });
    this.life = new AbortController();
    const { signal } = this.life;
    this.followed = new Place(
      () => this.place,
      (place) => tell("place", place),
    );
    this.offers = new KnownWords(this.field, find(".known"));
    find(".back").onclick = () => this.go(this.at - 1);
    find(".next").onclick = () => this.go(this.at + 1);
    find(".open-heads").onclick = () => this.set({ heads: !this.heads });
    this.pill.onclick = () => this.set({ cut: !this.cut });
    find("form").onsubmit = (event) => {
      event.preventDefault();
      this.ask(this.field.value.trim() || this.field.dataset.example);
    };
    document.addEventListener("keydown", (event) => this.press(event), { signal });
    this.swipes(signal);
    this.sizes = new ResizeObserver(() => this.drawn && this.draw());
    this.sizes.observe(this.stage);
  }

  end() {
    this.life.abort();
    this.sizes.disconnect();
    this.followed.stop();
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
    if (others && !isFirst) this.example();
    if (isFirst) {
      this.followed.open(data.place);
      const cut = carried(data.drawn.sentence);
      this.open(data.drawn, cut ? { ...data.place, ...cut, cut: true } : data.place);
      if (cut) this.followed.follow();
    } else if (isNew) this.open(data.drawn, data.place);
    else if (goes) this.set(data.place, false);
    else if (others) this.draw();
    if (isRefused) this.refuse(data.refused.refused, data.refused.offered);
  }

  name() {
    const { texts } = this.data;
    const names = { ".back": "back", ".next": "next", ".ask": "ask" };
    for (const [selector, text] of Object.entries(names)) this.find(selector).textContent = texts[text];
    this.find(".ways").setAttribute("aria-label", texts.ways);
    this.field.setAttribute("aria-label", texts.own);
    this.stage.setAttribute("aria-label", texts.stage);
    this.find(".answer").lang = this.data.answerLanguage;
    this.server?.close();
    this.server = new Server(this.data.address, { settings: this.data.settings, language: this.data.language });
  }

  open(drawn, place = {}) {
    this.drawn = drawn;
    this.refusal = null;
    const on = {
      cut: ({ key }) => this.set(this.cut && key === this.chosen ? { cut: false } : { key, cut: true }),
      point: () => {},
      chosen: (key) => this.set(key === this.chosen ? { cut: !this.cut } : { key, cut: false }),
      written: (query) => this.go(query),
    };
    this.sight ??= new Sight(this.whole, on, this.data.faintest);
    this.sight.open(drawn.source, drawn.answer.length);
    this.closeHeads();
    const { examples } = this.data;
    this.field.dataset.example = examples[(examples.indexOf(drawn.sentence) + 1) % examples.length];
    this.example();
    const at = clamp(0, place.query ?? 1, drawn.answer.length - 1);
    const key = place.key >= 0 && place.key < drawn.source.length ? place.key : null;
    Object.assign(this, { at, key, cut: Boolean(place.cut), heads: Boolean(place.heads) });
    this.root.classList.add("still"); // a new sentence does not slide in from the one before
    this.draw();
    this.stage.getBoundingClientRect();
    this.root.classList.remove("still");
  }

  example() {
    this.field.placeholder = fill(this.data.texts.example, { sentence: this.field.dataset.example });
  }

  // --- What is on screen ---

  get row() {
    return this.drawn.rows[this.at];
  }

  // The word of the source whose look may be cut.
  get chosen() {
    return this.key ?? most(mean(this.row.heads));
  }

  get lone() {
    return this.row.without[this.chosen];
  }

  get place() {
    return { query: this.at, key: this.key ?? -1, cut: this.cut, heads: this.heads };
  }

  go(at) {
    const to = clamp(0, at, this.drawn.answer.length - 1);
    if (to !== this.at) this.set({ query: to, key: -1, cut: false });
  }

  set({ query = this.at, key = this.key, cut = this.cut, heads = this.heads }, told = true) {
    const isKey = key !== null && key >= 0 && key < this.drawn.source.length;
    Object.assign(this, { at: clamp(0, query, this.drawn.answer.length - 1), key: isKey ? key : null, cut, heads });
    this.refusal = null;
    this.draw();
    if (told) this.followed.follow();
  }

  // The name of a word on screen: that of the end of the answer is not a word.
  named(word) {
    return word === this.drawn.end ? this.data.texts.end : word;
  }

  word(text) {
    const isEnd = text === this.drawn.end;
    return isEnd ? { text: this.data.texts.end, lang: this.data.language } : { text, lang: this.data.answerLanguage };
  }

  draw() {
    const { texts, answerLanguage } = this.data;
    const { row, lone, chosen, at } = this;
    const now = this.cut ? lone : row;
    const [[likeliest]] = now.next;
    const answer = this.drawn.answer.map((word, i) => this.named(i === at ? likeliest : word));
    const before = mean(row.heads);
    const drawing = {
      source: this.drawn.source,
      texts: answer,
      at,
      key: chosen,
      cut: this.cut,
      changed: this.cut && likeliest !== row.next[0][0],
      gloss: now.glosses[0] === likeliest ? "" : now.glosses[0],
      label: (_query, key, weight) => fill(texts.line, { source: this.drawn.source[key], share: percent(weight, 1) }),
      names: {
        source: (key) => fill(texts.looked, { source: this.drawn.source[key], share: percent(before[key], 1) }),
        answer: (query) => (query > at ? fill(texts.later, { n: query + 1 }) : answer[query]),
      },
    };
    this.whole.hidden = this.heads;
    if (this.heads) this.drawHeads(drawing, now.heads);
    else {
      this.closeHeads();
      this.sight.draw({ ...drawing, weights: mean(now.heads) });
    }
    const likely = { language: answerLanguage, named: (word) => this.named(word) };
    const heading = (name, ...nodes) => this.find(`.${name} h2`).replaceChildren(...nodes);
    heading("with", ...written(texts.with, { source: { text: this.drawn.source[chosen], lang: "en" } }));
    heading("without", texts.without, element("small", { text: texts.everywhere }));
    bars(this.find(".with ol"), row, likely);
    bars(this.find(".without ol"), lone, likely);
    this.root.classList.toggle("is-cut", this.cut);
    this.placePill();
    this.find(".open-heads").textContent = fill(this.heads ? texts.close : texts.heads, { n: row.heads.length });
    this.find(".open-heads").setAttribute("aria-pressed", this.heads);
    this.find(".back").disabled = at === 0;
    this.find(".next").disabled = at === this.drawn.answer.length - 1;
    this.say();
  }

  drawHeads(drawing, heads) {
    const place = this.find(".heads");
    place.hidden = false;
    if (!this.copies.length) {
      this.copies = heads.map(() => {
        const stage = element("div", { class: "copy" });
        stage.innerHTML = '<svg class="lines"></svg><p class="source" lang="en"></p><p class="answer"></p>';
        place.append(stage);
        const sight = new Sight(stage, { cut() {}, point() {}, chosen() {}, written() {} }, this.data.faintest);
        sight.open(drawing.source, 1);
        return sight;
      });
    }
    const alone = {
      ...drawing,
      texts: [drawing.texts[this.at]],
      at: 0,
      gloss: "",
      names: { source: () => "", answer: () => "" },
    };
    for (const [head, copy] of this.copies.entries()) copy.draw({ ...alone, weights: heads[head] });
  }

  closeHeads() {
    this.copies = [];
    this.find(".heads").replaceChildren();
    this.find(".heads").hidden = true;
    this.whole.hidden = false;
  }

  // On its line; below the picture on a phone, and where there is no one line.
  placePill() {
    const { texts } = this.data;
    const { pill, chosen } = this;
    const middle = this.heads || isNarrow(this.stage) ? null : this.sight.middle(chosen);
    pill.hidden = false;
    pill.classList.toggle("below", !middle);
    pill.classList.toggle("heal", this.cut);
    pill.classList.toggle("cut", !this.cut);
    const source = this.drawn.source[chosen];
    const text = this.cut ? texts.undo : middle ? texts.cutIt : fill(texts.cutLine, { source });
    pill.replaceChildren(element("span", { class: "icon", "aria-hidden": "true" }), text);
    pill.setAttribute("aria-pressed", this.cut);
    if (!middle) return;
    const [x, y] = middle;
    const isLeft = x + 190 > this.stage.clientWidth;
    pill.classList.toggle("left", isLeft);
    placed(pill, { x: x + (this.cut ? 56 * (isLeft ? -1 : 1) : 0), y, size: 18 });
  }

  say() {
    const { texts } = this.data;
    const { source, guess } = this.drawn;
    const heads = this.row.heads.length;
    const term = (text, name) => this.term(text, name);
    const [[word, share]] = this.cut ? this.lone.next : this.row.next;
    const was = this.row.next[0];
    const words = { word: this.word(word), n: heads };
    let sentence;
    if (this.cut) {
      const now = mean(this.lone.heads);
      words.source = { text: source[most(now)], lang: "en" };
      const isSame = word === was[0];
      if (source.length === 1) sentence = texts.blind;
      else if (isSame) sentence = share > was[1] - LESS ? texts.same : texts.less;
      else sentence = word === this.drawn.end ? texts.ends : texts.other;
    } else if (this.heads) {
      const seen = this.row.heads.map(most);
      const keys = [...new Set(seen)].sort((a, b) => seen.filter((k) => k === b).length - seen.filter((k) => k === a).length);
      const look = (key) => fill(texts.of, { source: source[key], k: seen.filter((each) => each === key).length, n: heads });
      words.looks = { text: keys.map(look).join(", "), lang: "en" };
      sentence = texts.each;
    } else {
      words.source = { text: source[this.chosen], lang: "en" };
      words.share = percent(mean(this.row.heads)[this.chosen], 1);
      sentence = texts.writing;
    }
    const small = guess ? [element("small", { text: texts.guess })] : [];
    this.find(".said").replaceChildren(...(this.refusal ?? [...written(sentence, words, term), ...small]));
    this.find(".tip").hidden = true;
  }

  // --- Terms ---

  term(text, name) {
    const node = element("dfn", { class: "term", tabindex: "0", text });
    for (const on of ["pointerenter", "focus", "click"]) node.addEventListener(on, () => this.explain(node, name));
    for (const off of ["pointerleave", "blur"]) node.addEventListener(off, () => this.hush());
    return node;
  }

  explain(node, name) {
    const tip = this.find(".tip");
    tip.textContent = this.data.terms[name];
    tip.hidden = false;
    const [own, of, root] = [tip, node, this.root].map((each) => each.getBoundingClientRect());
    const left = clamp(0, of.left - root.left + of.width / 2 - own.width / 2, root.width - own.width);
    Object.assign(tip.style, { left: `${left}px`, top: `${of.top - root.top - own.height - 8}px` });
  }

  hush() {
    this.find(".tip").hidden = true;
  }

  // --- Keys and fingers ---

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.defaultPrevented || event.target.closest?.(TYPING)) return;
    if (event.key === "Escape") {
      if (!this.find(".tip").hidden) this.hush();
      else if (this.cut) this.set({ cut: false });
      else if (this.heads) this.set({ heads: false });
      return;
    }
    const last = this.drawn.answer.length - 1;
    const acts = {
      ArrowRight: () => this.go(this.at + 1),
      PageDown: () => this.go(this.at + 1),
      ArrowLeft: () => this.go(this.at - 1),
      PageUp: () => this.go(this.at - 1),
      Home: () => this.go(0),
      End: () => this.go(last),
    };
    const act = acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  }

  swipes(signal) {
    let from = null;
    const begin = ({ clientX, clientY }) => {
      from = [clientX, clientY];
    };
    const finish = (event) => {
      if (!from) return;
      const [x, y] = [event.clientX - from[0], event.clientY - from[1]];
      from = null;
      if (Math.abs(x) > SWIPE && Math.abs(x) > 1.5 * Math.abs(y)) this.go(this.at + (x < 0 ? 1 : -1));
    };
    this.stage.addEventListener("pointerdown", begin, { signal });
    this.stage.addEventListener("pointerup", finish, { signal });
  }

  // --- Somebody's own sentence ---

  async ask(sentence) {
    const { texts } = this.data;
    this.offers.suggest("");
    this.asked += 1;
    const me = this.asked;
    this.root.classList.add("asking");
    const answered = await this.server.ask("look-closer", { sentence }).catch(() => undefined);
    if (me !== this.asked) return;
    this.root.classList.remove("asking");
    if (answered === undefined) this.tell("said", sentence); // the page asks
    if (!answered || answered.refused) return this.refuse(answered?.refused ?? texts.away, answered?.offered ?? []);
    this.field.value = "";
    this.field.blur(); // the arrow keys go through the words again
    this.open(answered);
    this.followed.stop();
    this.tell("said", sentence);
  }

  refuse(why, offered) {
    const buttons = offered.slice(0, 2).map((sentence) => {
      const button = element("button", { type: "button", class: "offer", text: sentence });
      button.onclick = () => this.ask(sentence);
      return button;
    });
    this.refusal = [why, ...buttons]; // until something else is done: a drawing of another width says it again
    this.find(".said").replaceChildren(...this.refusal);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".closer");
  root.closer ??= new Closer(root, setTriggerValue);
  root.closer.update(data);
  return () => {
    if (!root.isConnected) root.closer.end();
  };
}
