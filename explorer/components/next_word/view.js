// The next word: a text, the likeliest words that follow, and how much each word of the text is looked at.

import { written } from "../closer/caption.js";
import { element, fill, range } from "../shared/dom.js";
import { KnownWords } from "../shared/known_words.js";
import { Place } from "../shared/place.js";
import { Server } from "../shared/server.js";
import { percent } from "../shared/shares.js";

const PACE = 450; // ms between two words that it writes by itself
const ARC = 0.08; // share of a look from which an arc leads to the word
const NAMED = 0.15; // share from which a looked-at word is named
const LESS = 0.05; // a share that falls by less is not told
const LISTED = 6; // next words that have bars
const SMALL = 0.001; // of a probability, below which its bar is not seen

// Words that are looked at more stand out more, in steps that the eye sees as even.
const lightOf = (weight) => Math.max(0, Math.min(1, weight)) ** 0.6;

class NextWord {
  constructor(root, tell) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, find, page: find(".page"), text: find(".text"), field: find(".field") });
    Object.assign(this, { asked: 0, rolling: false, ended: false, words: [] });
    this.followed = new Place(
      () => this.place,
      (place) => tell("place", place),
    );
    this.offers = new KnownWords(this.field, find(".known"));
    find(".undo").onclick = () => this.back();
    find(".write").onclick = () => this.write();
    find(".roll").onclick = () => this.roll(!this.rolling);
    find(".another").onclick = () => this.begin(this.nextBeginning);
    for (const button of find(".how").children) button.onclick = () => this.choose({ how: button.value });
    for (const [label, name, unit] of [
      [".temperature", "temperature", 100],
      [".top-k", "topK", 1],
      [".top-p", "topP", 100],
    ])
      find(`${label} input`).oninput = ({ target }) => this.choose({ [name]: Number(target.value) / unit });
    find("form").onsubmit = (event) => {
      event.preventDefault();
      this.begin(this.field.value.trim() || this.nextBeginning);
    };
    this.sizes = new ResizeObserver(() => this.drawn && this.drawArcs());
    this.sizes.observe(this.page);
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
    const others = isFirst || data.language !== this.data.language || data.settings.task !== this.data.settings.task;
    const goes = isFirst || !this.followed.isEcho(data.place);
    const isRefused = data.refused && data.refused !== this.data?.refused;
    this.data = data;
    this.offers.known = data.known;
    if (others) this.name();
    if (isFirst) this.followed.open(data.place);
    if (goes || data.settings.task !== this.task) {
      this.task = data.settings.task;
      this.roll(false);
      Object.assign(this, { chosen: { ...data.place }, ended: false, refusal: null });
      this.hear(data.drawn);
    } else if (this.isLost && data.drawn.text === this.chosen.text) {
      this.isLost = false;
      this.hear(data.drawn);
    } else if (others) this.draw();
    if (isRefused) this.refuse(data.refused);
  }

  name() {
    const { texts } = this.data;
    for (const name of ["undo", "another", "ask"]) this.find(`.${name}`).textContent = texts[name];
    this.text.setAttribute("aria-label", texts.text);
    this.text.lang = this.data.textLanguage;
    this.find(".ways").setAttribute("aria-label", texts.ways);
    this.find(".how").setAttribute("aria-label", texts.chance);
    this.find("summary").textContent = texts.chance;
    this.find(".meaning").textContent = texts.meaning;
    this.field.placeholder = texts.own;
    this.field.setAttribute("aria-label", texts.own);
    for (const button of this.find(".how").children) button.textContent = texts[button.value];
    this.find(".temperature span").textContent = texts.temperature;
    this.find(".top-k span").textContent = texts.topK;
    this.find(".top-p span").textContent = texts.topP;
    this.server?.close();
    this.server = new Server(this.data.address, { settings: this.data.settings, language: this.data.language });
  }

  // --- What is on screen ---

  get place() {
    return this.chosen;
  }

  get samples() {
    return this.chosen.how === "sample";
  }

  // True if words are picked by other probabilities than the model's.
  get isTurned() {
    const { temperature, topK, topP } = this.chosen;
    return this.samples && (temperature !== 1 || topK > 0 || topP < 1);
  }

  // The likeliest words as the model is drawn: without the words that are hidden, if there are any.
  get now() {
    return this.drawn.without ?? this.drawn.next;
  }

  get nextBeginning() {
    const { beginnings } = this.data;
    const here = beginnings.findIndex((each) => this.chosen.text.startsWith(each));
    return beginnings[(here + 1) % beginnings.length];
  }

  named(word) {
    return word === this.drawn.end ? this.data.texts.end : word;
  }

  word(text) {
    const isEnd = text === this.drawn.end;
    return isEnd ? { text: this.data.texts.end, lang: this.data.language } : { text, lang: this.data.textLanguage };
  }

  // --- What somebody does ---

  choose(change) {
    this.chosen = { ...this.chosen, ...change };
    this.drawChance();
    this.ask();
  }

  toggle(at) {
    const { hidden } = this.chosen;
    this.roll(false);
    this.choose({ hidden: hidden.includes(at) ? hidden.filter((each) => each !== at) : [...hidden, at].sort((a, b) => a - b) });
  }

  // Writes a word: the one that is given, the likeliest, or one by chance.
  write(word = this.pick()) {
    if (this.ended || !this.drawn.room) return this.roll(false);
    if (word === this.drawn.end) {
      this.ended = true;
      this.roll(false);
      return this.draw();
    }
    return this.choose({ text: [...this.drawn.words, word].join(" ") });
  }

  pick() {
    if (!this.samples) return this.now[0][0];
    let luck = Math.random() * this.now.reduce((sum, [, , share]) => sum + share, 0);
    for (const [word, , share] of this.now) {
      luck -= share;
      if (luck < 0) return word;
    }
    return this.now[0][0];
  }

  back() {
    this.roll(false);
    if (this.ended) {
      this.ended = false;
      return this.draw();
    }
    const words = this.drawn.words.slice(0, -1);
    return this.choose({ text: words.join(" "), hidden: this.chosen.hidden.filter((at) => at < words.length) });
  }

  begin(text) {
    this.roll(false);
    this.ended = false;
    this.offers.suggest("");
    this.choose({ text, hidden: [] });
  }

  roll(on) {
    clearTimeout(this.going);
    this.rolling = on && !this.ended && Boolean(this.drawn?.room);
    if (this.rolling) this.write();
    if (this.drawn) this.drawWays();
  }

  // Asks what follows; of several questions at once, the newest alone.
  async ask() {
    this.asked += 1;
    const me = this.asked;
    const { text, hidden, temperature, topK, topP } = this.chosen;
    const choices = { text, hidden, samples: this.samples, temperature, top_k: topK, top_p: topP };
    const answered = await this.server.ask("going-on", choices).catch(() => undefined);
    if (me !== this.asked) return;
    if (!answered) {
      this.roll(false);
      this.isLost = true;
      this.followed.follow(0); // the page computes it
    } else if (answered.refused) this.refuse(answered.refused);
    else {
      if (text !== this.drawn.text) this.field.value = "";
      this.refusal = null;
      this.hear(answered);
      this.followed.follow();
      if (this.rolling) this.going = setTimeout(() => this.roll(true), PACE);
    }
  }

  hear(drawn) {
    this.drawn = drawn;
    this.draw();
  }

  // The text stays as it was.
  refuse(why) {
    this.roll(false);
    if (this.drawn) this.chosen = { ...this.chosen, text: this.drawn.text, hidden: this.drawn.hidden };
    this.refusal = why;
    this.find(".said").textContent = why;
  }

  // --- Drawing ---

  draw() {
    this.drawText();
    this.drawBars();
    this.drawWays();
    this.drawChance();
    this.find(".said").replaceChildren(...(this.refusal ? [this.refusal] : this.said()));
  }

  drawText() {
    const { texts } = this.data;
    const { words, hidden, looks } = this.drawn;
    while (this.text.children.length > words.length + 1) this.text.firstChild.remove();
    while (this.text.children.length < words.length + 1) {
      this.text.prepend(element("button", { type: "button", class: "token" }));
    }
    for (const [at, node] of [...this.text.children].entries()) {
      const isBlank = at === words.length;
      const isHidden = hidden.includes(at);
      node.className = isBlank ? "token blank" : `token${isHidden ? " hidden" : ""}`;
      node.style.setProperty("--light", isBlank ? 0 : lightOf(looks[at]).toFixed(3));
      const [likeliest] = this.now[0];
      node.textContent = isBlank ? (this.ended ? "." : this.named(likeliest)) : words[at];
      node.hidden = isBlank && this.ended;
      const told = { word: words[at], share: isBlank ? "" : percent(looks[at]) };
      node.setAttribute("aria-label", isBlank ? texts.blank : fill(isHidden ? texts.show : texts.hide, told));
      if (isBlank) node.removeAttribute("aria-pressed");
      else node.setAttribute("aria-pressed", isHidden);
      node.onclick = isBlank ? () => this.write() : () => this.toggle(at);
    }
    this.drawArcs();
  }

  // Arcs from the next word to those that are looked at.
  drawArcs() {
    const { looks } = this.drawn;
    const arcs = this.find(".arcs");
    const origin = this.page.getBoundingClientRect();
    const nodes = [...this.text.children];
    const ends = (node) => {
      const { left, width, top, bottom } = node.getBoundingClientRect();
      return [left - origin.left + width / 2, top - origin.top + 2, bottom - origin.top - 2];
    };
    arcs.replaceChildren();
    if (this.ended) return;
    const [x1, y1] = ends(nodes.at(-1));
    for (const at of range(looks.length).filter((each) => looks[each] >= ARC)) {
      const [x, above, below] = ends(nodes[at]);
      const isInLine = Math.abs(above - y1) < 2;
      const y = isInLine ? above : below; // of a line above, the arc stays between the lines
      const rise = isInLine ? Math.min(26, 10 + Math.abs(x1 - x) / 18) : (y - y1) / 2;
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("d", `M${x1},${y1} C${x1},${y1 - Math.abs(rise)} ${x},${y - rise} ${x},${y}`);
      path.style.strokeWidth = `${(1 + 7 * looks[at]).toFixed(1)}px`;
      path.style.opacity = (0.25 + 0.75 * looks[at]).toFixed(2);
      arcs.append(path);
    }
  }

  drawBars() {
    const { texts } = this.data;
    const { next, without, counted, hidden, words } = this.drawn;
    const names = hidden.map((at) => words[at]).join(texts.comma);
    this.find(".with h2").textContent = texts.model;
    this.find(".without h2").textContent = without ? fill(texts.without, { words: names }) : "";
    this.find(".counted h2").textContent = texts.counted;
    this.find(".without").hidden = !without;
    this.bars(".with", next);
    this.bars(".without", without ?? []);
    this.bars(".counted", counted);
  }

  bars(place, likely) {
    const list = this.find(`${place} ol`);
    const shown = likely.slice(0, LISTED);
    while (list.children.length > shown.length) list.lastChild.remove();
    while (list.children.length < shown.length) {
      const bar = element("span", { class: "bar" }, element("i"), element("u"));
      const parts = [element("b", { class: "likely" }), bar, element("span", { class: "share" })];
      list.append(element("li", {}, element("button", { type: "button" }, ...parts)));
    }
    for (const [i, [word, share, drawn]] of shown.entries()) {
      const button = list.children[i].firstChild;
      const [name, bar, of] = button.children;
      name.textContent = this.named(word);
      name.lang = this.word(word).lang;
      bar.firstChild.style.width = `${100 * share}%`;
      bar.lastChild.style.width = `${this.isTurned && drawn !== undefined ? 100 * drawn : 0}%`;
      of.textContent = percent(share, 1);
      button.setAttribute("aria-label", fill(this.data.texts.press, { word: this.named(word), share: percent(share, 1) }));
      button.onclick = () => this.write(word);
      list.children[i].classList.toggle("small", share < SMALL);
    }
  }

  drawWays() {
    const { texts } = this.data;
    const isOver = this.ended || !this.drawn.room;
    this.find(".write").textContent = this.samples ? texts.draw : texts.write;
    this.find(".write").disabled = isOver;
    this.find(".roll").textContent = this.rolling ? texts.stop : texts.roll;
    this.find(".roll").disabled = isOver;
    this.find(".roll").setAttribute("aria-pressed", this.rolling);
    this.find(".undo").disabled = !this.drawn.words.length;
    this.root.classList.toggle("ended", isOver);
  }

  drawChance() {
    const { how, temperature, topK, topP } = this.chosen;
    for (const button of this.find(".how").children) button.setAttribute("aria-pressed", button.value === how);
    const shown = {
      ".temperature": [100 * temperature, temperature.toFixed(2)],
      ".top-k": [topK, topK ? String(topK) : this.data.texts.all],
      ".top-p": [100 * topP, topP < 1 ? topP.toFixed(2) : this.data.texts.all],
    };
    for (const [label, [value, text]] of Object.entries(shown)) {
      const input = this.find(`${label} input`);
      input.value = String(Math.round(value));
      input.disabled = how === "greedy";
      this.find(`${label} output`).textContent = text;
    }
  }

  said() {
    const { texts, textLanguage } = this.data;
    const { words, looks, hidden, next, room } = this.drawn;
    if (this.ended) return [texts.ended];
    if (!room) return [texts.full];
    if (!hidden.length) {
      const looked = range(looks.length)
        .filter((at) => looks[at] >= NAMED)
        .sort((a, b) => looks[b] - looks[a])
        .slice(0, 3)
        .map((at) => fill(texts.look, { word: words[at], share: percent(looks[at]) }));
      if (!looked.length) return [texts.looksAround];
      return written(texts.looks, { words: { text: looked.join(texts.comma), lang: textLanguage } });
    }
    const [[word, before]] = next;
    const [[likeliest, top]] = this.now;
    const share = this.now.find(([each]) => each === word)?.[1] ?? 0;
    const told = {
      words: { text: hidden.map((at) => words[at]).join(texts.comma), lang: textLanguage },
      before: percent(before),
    };
    if (likeliest !== word) return written(texts.changed, { ...told, word: this.word(likeliest), share: percent(top) });
    const kept = { ...told, word: this.word(word), share: percent(share) };
    return written(before - share < LESS ? texts.same : texts.less, kept);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".next-word");
  root.nextWord ??= new NextWord(root, setTriggerValue);
  root.nextWord.update(data);
  return () => {
    if (!root.isConnected) root.nextWord.end();
  };
}
