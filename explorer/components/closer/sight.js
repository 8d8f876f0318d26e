// One picture of where a word looks: the sentence with its looks, large for all heads together, small for one.

import { isNarrow } from "../shared/curves.js";
import { element } from "../shared/dom.js";
import { Lines } from "../shared/look_lines.js";
import { layOut } from "./layout.js";

const LATER = "—"; // in the place of a word that is not written yet

export function placed(node, { x, y, size }) {
  node.style.setProperty("--x", `${x.toFixed(1)}px`);
  node.style.setProperty("--y", `${y.toFixed(1)}px`);
  node.style.setProperty("--size", `${size.toFixed(1)}px`);
}

// Words that are looked at more stand out more, in steps that the eye sees as even.
const lightOf = (weight) => Math.max(0, Math.min(1, weight)) ** 0.6;

export class Sight {
  // stage: holds .lines, .source and .answer. on: see Lines; `chosen(key)` and `written(query)` are told what is pressed.
  constructor(stage, on, faintest) {
    Object.assign(this, { stage, on, source: stage.querySelector(".source"), answer: stage.querySelector(".answer") });
    this.lines = new Lines(stage, on);
    this.lines.faintest = faintest;
  }

  // Puts a new sentence on the stage.
  open(source, length) {
    this.lines.clear();
    const word = (text) => element("button", { type: "button", class: "word" }, element("span", { class: "text", text }));
    this.source.replaceChildren(...source.map((text) => word(text)));
    this.answer.replaceChildren(...Array.from({ length }, () => word("")));
    for (const [key, node] of [...this.source.children].entries()) node.onclick = () => this.on.chosen(key);
    for (const [query, node] of [...this.answer.children].entries()) node.onclick = () => this.on.written(query);
  }

  // weights: of each word of the source; texts: of the answer, the word `at` being written; key: the word of the source whose look
  // may be cut; cut: whether it is; changed: whether another word is written then; label: words of a line.
  draw({ source, texts, at, weights, key, cut, changed, gloss, label, names }) {
    const shown = texts.map((text, i) => (i > at ? LATER : text));
    const [sources, answers] = layOut(this.stage, source, shown, at);
    for (const [i, node] of [...this.source.children].entries()) {
      placed(node, sources[i]);
      node.style.setProperty("--light", lightOf(weights[i]).toFixed(3));
      node.classList.toggle("chosen", i === key);
      node.classList.toggle("taken", i === key && cut);
      node.setAttribute("aria-pressed", i === key);
      node.setAttribute("aria-label", names.source(i));
    }
    for (const [i, node] of [...this.answer.children].entries()) {
      placed(node, answers[i]);
      node.firstChild.textContent = i > at ? "" : texts[i];
      node.classList.toggle("later", i > at);
      node.classList.toggle("now", i === at);
      node.classList.toggle("changed", i === at && changed);
      node.setAttribute("aria-label", names.answer(i));
      node.querySelector(".gloss")?.remove();
      if (i === at && gloss) node.append(element("span", { class: "gloss", lang: "en", text: gloss }));
      if (i === at) node.setAttribute("aria-current", "step");
      else node.removeAttribute("aria-current");
    }
    const from = answers[at];
    const place = isNarrow(this.stage) ? from : { ...from, size: from.size * 0.82 };
    const whole = { answer: [place], source: sources, weights: [weights], shown: 1, label };
    this.lines.draw({ ...whole, cut: cut ? { query: 0, key, answer: place } : null });
    Object.assign(this, { sources, from: place });
  }

  // Returns the middle of the line to a word of the source; null where there is none.
  middle(key) {
    const link = this.lines.links.get(`0-${key}`);
    return link && !link.leaves ? this.lines.pointAt(link, 0.5) : null;
  }
}
