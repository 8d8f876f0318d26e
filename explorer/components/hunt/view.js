// The hunt: looks are bought, a part is chosen and accused. All that it says comes from the page, which is drawn anew after each.

import { element, fill } from "../shared/dom.js";
import { KnownWords } from "../shared/known_words.js";
import { answers, dots, panel } from "./panels.js";

class Hunt {
  constructor(root, tell) {
    Object.assign(this, { root, tell, chosen: null });
    this.find = (selector) => root.querySelector(selector);
    this.find(".accuse").onclick = () => this.chosen && this.tell("accused", this.chosen.id);
    this.find(".way").onclick = () => this.tell("way", true);
    this.find(".another").onclick = () => this.tell("another", String(Date.now()));
    this.asking = this.form();
  }

  // The field in which one asks, made once: what is typed stays while the page is drawn anew.
  form() {
    const known = element("div", { class: "known" });
    const field = element("input", { class: "field", type: "text", autocomplete: "off", spellcheck: "false", maxlength: 400 });
    const form = element("form", {}, known, field, element("button", { class: "ask" }));
    this.offers = new KnownWords(field, known);
    form.onsubmit = (event) => {
      event.preventDefault();
      this.tell("said", field.value.trim() || field.dataset.example);
      field.value = "";
    };
    return { form, field };
  }

  update(data) {
    const isOther = data.puzzle !== this.data?.puzzle;
    const bought = data.panels.length > (this.data?.panels.length ?? 0) && !isOther && this.data;
    const focused = this.root.contains(document.activeElement) ? document.activeElement.dataset.id : undefined;
    const ends = data.over && this.data && !this.data.over;
    this.data = data;
    if (isOther) this.chosen = null;
    this.head();
    this.looks();
    this.panels();
    this.suspects();
    this.story();
    if (focused) this.find(`[data-id="${focused}"]:not(:disabled)`)?.focus({ preventScroll: true });
    if (ends) this.find(".story").focus();
    else if (bought) this.read(this.find(".seen .panel"));
  }

  // Goes to what a look shows. Where all stands in one column, it may lie far from its button.
  read(panel) {
    panel?.focus({ preventScroll: true });
    if (this.root.clientWidth < 960) panel?.scrollIntoView({ block: "start" });
  }

  head() {
    const { name, task, counts, left, points, most, texts, wrong, over } = this.data;
    const piece = (text) => {
      const named = text.slice(1, -1);
      return text === `{${named}}` && named in counts ? element("b", { class: named, text: counts[named] }) : text;
    };
    this.find(".name span").textContent = name;
    this.find(".task").replaceChildren(...task.split(/(\{\w+\})/).map(piece));
    this.find(".points b").textContent = left;
    this.find(".dots").replaceChildren(...dots(points, most));
    this.find(".another").textContent = texts.another;
    this.find(".another").hidden = this.data.isSet;
    this.find(".looks h2").textContent = texts.looks;
    this.find(".suspects h2").replaceChildren(texts.suspects, element("small", { text: over ? "" : wrong }));
    this.find(".said-by-it h2").textContent = texts.answers;
    for (const part of ["looks", "suspects"]) this.find(`.${part}`).setAttribute("aria-label", texts[part]);
    this.root.classList.toggle("over", over);
  }

  looks() {
    const buttons = this.data.looks.map(({ id, title, price, seen, open }) => {
      const given = { type: "button", "data-id": id, class: seen ? "seen-look" : "", ...(open ? {} : { disabled: "" }) };
      const button = element("button", given, element("b", { text: title }), element("small", { text: price }));
      button.onclick = () => this.tell("look", id);
      return button;
    });
    this.find(".looks > div").replaceChildren(...buttons);
    this.find(".dear").textContent = this.data.dear;
  }

  panels() {
    const { panels, texts, asking, asked, refused, offered } = this.data;
    const drawn = panels
      .map((each) => element("section", { class: `panel shows-${each.kind}`, tabindex: -1 }, ...panel(each, this.data)))
      .reverse();
    this.find(".seen").replaceChildren(...drawn);
    const said = [answers(this.data.answers, this.data)];
    if (asking) {
      this.name();
      if (asked) said.push(answers(asked, this.data));
      if (refused) said.push(element("p", { class: "refused", text: refused }), ...offered.map((text) => this.offer(text)));
      said.push(this.asking.form);
    }
    this.find(".said-by-it > div").replaceChildren(...said);
    this.asking.field.setAttribute("aria-label", texts.own);
    if (asking && this.couldAsk === false) this.asking.field.focus({ preventScroll: true });
    this.couldAsk = Boolean(asking);
  }

  offer(sentence) {
    const button = element("button", { type: "button", class: "offer", lang: "en", text: sentence });
    button.onclick = () => this.tell("said", sentence);
    return button;
  }

  name() {
    const { texts, examples, known, tried } = this.data;
    const example = examples[(examples.indexOf(tried) + 1) % examples.length];
    this.offers.known = known;
    this.asking.field.dataset.example = example;
    this.asking.field.placeholder = fill(texts.example, { sentence: example });
    this.asking.form.querySelector(".ask").textContent = texts.ask;
  }

  suspects() {
    const { boxes, texts, over } = this.data;
    const every = boxes.flatMap((box) => box.suspects);
    this.chosen = every.find(({ id, state }) => id === this.chosen?.id && !state) ?? null;
    const drawn = boxes.map(({ title, suspects }) => {
      const buttons = suspects.map((suspect) => {
        const given = { type: "button", "data-id": suspect.id, class: suspect.state, title: suspect.does };
        const button = element("button", { ...given, text: suspect.name });
        button.setAttribute("aria-pressed", suspect.id === this.chosen?.id);
        button.disabled = over || suspect.state !== "";
        button.onclick = () => this.choose(suspect);
        return button;
      });
      return element("div", { class: "box" }, element("h3", { text: title }), ...buttons);
    });
    this.find(".boxes").replaceChildren(...drawn);
    const cleared = this.data.accused.map((id) => every.find((suspect) => suspect.id === id)).filter(({ against }) => against);
    const said = cleared.map(({ charge, against }) => `${charge}? ${fill(texts.not, { against })}`);
    const verdict = this.find(".verdict");
    if (verdict.childElementCount !== said.length || verdict.dataset.language !== this.data.language)
      verdict.replaceChildren(...said.map((text) => element("p", { text })).reverse());
    verdict.dataset.language = this.data.language;
    this.accusation();
  }

  choose(suspect) {
    this.chosen = suspect;
    for (const button of this.root.querySelectorAll(".boxes button"))
      button.setAttribute("aria-pressed", button.dataset.id === suspect.id);
    this.accusation();
  }

  accusation() {
    const { texts, over } = this.data;
    const button = this.find(".accuse");
    button.hidden = over;
    button.disabled = !this.chosen;
    button.textContent = this.chosen ? fill(texts.accuse, { charge: this.chosen.charge }) : texts.choose;
    this.find(".does").textContent = this.chosen && !over ? fill(texts.does, this.chosen) : "";
  }

  story() {
    const { story } = this.data;
    const section = this.find(".story");
    section.hidden = !story;
    if (!story) return;
    section.querySelector("h2").textContent = story.title;
    section.querySelector(".way").textContent = `${story.way} →`;
    const cards = story.cards.map(({ title, text }) =>
      element("div", {}, element("h3", { text: title }), element("p", { text })),
    );
    section.querySelector(".cards").replaceChildren(...cards);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".hunt");
  root.hunt ??= new Hunt(root, setTriggerValue);
  root.hunt.update(data);
}
