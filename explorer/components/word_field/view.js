// A button that opens a list of all words, by kind, over the page; a click inserts a word into the field.

import { Field } from "./field.js";
import { matching } from "./text.js";
import { clamp, element } from "../shared/dom.js";

const MARGIN = 8; // px between the list and the window's edge
const LEAST = 360; // px that the list needs
const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

class WordList {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, {
      root,
      button: find(".open"),
      panel: find(".panel"),
      kinds: find(".kinds"),
      leaving: new AbortController(),
    });
    Object.assign(this, { search: find("input"), hint: find(".hint") });
    this.field = new Field(find(".completion"), this.leaving.signal);
    this.button.popoverTargetElement = this.panel;
    this.search.oninput = () => this.list();
    this.search.onkeydown = (event) => this.take(event);
    this.kinds.onmousedown = (event) => event.preventDefault(); // keeps the focus in the field
    this.kinds.onkeydown = (event) => this.step(event);
    this.panel.onbeforetoggle = ({ newState }) => newState === "open" && this.open();
    this.panel.ontoggle = ({ newState }) => (newState === "closed" ? this.field.send() : this.greet());
  }

  update(data) {
    this.field.update(data);
    const given = JSON.stringify(data);
    if (given === this.given) return; // an open list stays as it is
    Object.assign(this, { given, data });
    this.button.textContent = data.texts.open;
    this.panel.setAttribute("aria-label", data.texts.about);
    for (const name of ["placeholder", "aria-label"]) this.search.setAttribute(name, data.texts.search);
    this.list();
  }

  // Shows all words below the field. Scrolls first if the window's end leaves no space for them.
  open() {
    const { input } = this.field;
    this.search.value = "";
    this.list();
    if (innerHeight - input.getBoundingClientRect().bottom < LEAST)
      input.scrollIntoView({ block: "center", behavior: "instant" });
    const box = input.getBoundingClientRect();
    const width = Math.min(460, innerWidth - 2 * MARGIN);
    const top = clamp(MARGIN, box.bottom + 6, innerHeight - LEAST / 2);
    const left = clamp(MARGIN, box.left, innerWidth - width - MARGIN);
    Object.assign(this.panel.style, {
      width: `${width}px`,
      top: `${top}px`,
      left: `${left}px`,
      maxHeight: `${innerHeight - top - MARGIN}px`,
    });
  }

  // Focuses the search if there is a keyboard; a phone's would cover the words.
  greet() {
    if (matchMedia("(pointer: fine)").matches) this.search.focus();
  }

  list() {
    const found = matching(this.data.kinds, this.search.value);
    this.hint.textContent = found.length ? this.data.texts.insert : this.data.texts.none;
    this.kinds.replaceChildren(...found.map((kind) => this.kind(kind)));
    this.kinds.querySelector("button")?.setAttribute("tabindex", 0);
  }

  kind({ title, entries }) {
    const words = entries.map((forms) => element("span", {}, ...forms.map((word) => this.word(word))));
    return element("section", { "aria-label": title }, element("p", { text: title }), ...words);
  }

  word(word) {
    const button = element("button", { type: "button", tabindex: -1, text: word });
    button.onclick = () => this.field.insert(word);
    return button;
  }

  // Handles keys: Enter takes the first word found; Escape alone would only empty the search.
  take(event) {
    if (event.key === "Escape") this.panel.hidePopover();
    const words = [...this.kinds.querySelectorAll("button")];
    if (event.key !== "Enter" || event.isComposing || !words.length) return;
    const wanted = this.search.value.trim().toLowerCase();
    (words.find((word) => word.textContent.startsWith(wanted)) ?? words[0]).click();
    this.search.value = "";
    this.list();
  }

  // Moves among the words: Tab reaches one, the arrow keys the others.
  step(event) {
    const buttons = [...this.kinds.querySelectorAll("button")];
    const from = buttons.indexOf(event.target);
    const next = buttons[from + ARROWS[event.key]];
    if (!next) return;
    event.preventDefault();
    buttons[from].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  }

  leave() {
    this.leaving.abort();
    this.field.undress();
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".word-field");
  root.view ??= new WordList(root);
  root.view.update(data);
  return () => {
    if (!root.isConnected) root.view.leave();
  };
}
