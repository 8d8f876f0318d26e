// Streamlit's own text input, found by its key whenever it is needed: it may be redrawn at any time.

import { beginsNone, begunAt, completed, completionsOf, inserted, moved, singleWords, unknownIn } from "./text.js";
import { element, fill } from "../shared/dom.js";
import { keyed } from "../shared/streamlit_dom.js";

const GAP = 4; // px between the field and the list

const setValue = (input, text) => Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(input, text);

// The input as a combobox: its word may be completed from a list below it.
export class Field {
  constructor(popup, leaving) {
    Object.assign(this, { popup, list: popup.querySelector("ul"), note: popup.querySelector("p"), active: -1, offered: [] });
    this.list.id = "word-field-suggestions";
    popup.onpointerdown = popup.onmousedown = (event) => event.preventDefault(); // the field keeps the focus
    const on = (kind, act) =>
      document.addEventListener(kind, (event) => event.target === this.input && act(event), { capture: true, signal: leaving });
    on("focusin", () => this.dress());
    on("focusout", () => this.close());
    on("input", () => this.typing || this.offer());
    on("keydown", (event) => this.key(event));
    globalThis.addEventListener("resize", () => this.close(), { signal: leaving });
    // A long sentence scrolls in its field as well.
    const away = ({ target }) => target !== this.input && target.contains(this.input) && this.close();
    document.addEventListener("scroll", away, { capture: true, signal: leaving });
  }

  update({ field, kinds, understood, texts }) {
    Object.assign(this, { field, texts, words: singleWords(kinds) });
    this.known = new Set([...this.words, ...understood]);
    this.list.setAttribute("aria-label", texts.suggestions);
    this.dress();
  }

  get input() {
    return document.querySelector(`${keyed(this.field)} input`);
  }

  get isOpen() {
    return this.popup.matches(":popover-open");
  }

  // Describes the input to screen readers.
  dress() {
    const said = {
      role: "combobox",
      "aria-autocomplete": "list",
      "aria-expanded": this.offered.length > 0,
      "aria-controls": this.list.id,
    };
    for (const [name, value] of Object.entries({ ...said, autocomplete: "off", autocapitalize: "off", spellcheck: "false" }))
      this.input?.setAttribute(name, value);
    const active = this.list.children[this.active];
    if (active) this.input?.setAttribute("aria-activedescendant", active.id);
    else this.input?.removeAttribute("aria-activedescendant");
  }

  undress() {
    const { input } = this;
    for (const name of ["role", "aria-autocomplete", "aria-expanded", "aria-controls", "aria-activedescendant"])
      input?.removeAttribute(name);
  }

  offer() {
    const { value, selectionStart: caret } = this.input;
    this.offered = completionsOf(value, caret, this.words);
    const unknown = unknownIn(value, caret, this.known);
    const begun = beginsNone(value, caret, this.known);
    const said = [
      unknown.length ? fill(this.texts.unknown, { words: unknown.join(", ") }) : "",
      begun && fill(this.texts.begins_none, { begun }),
    ].filter(Boolean);
    this.note.textContent = said.join(" · ");
    this.list.replaceChildren(...this.offered.map((word, i) => this.option(word, i)));
    if (this.offered.length + said.length === 0) return this.close();
    this.activate(-1);
    if (!this.isOpen) this.popup.showPopover();
    this.place();
  }

  // Places the list below the field, or above it if a phone's keyboard or the end of the window leaves no space.
  place() {
    const box = this.input.parentElement.getBoundingClientRect();
    Object.assign(this.popup.style, { left: `${box.left}px`, width: `${box.width}px` });
    const { height } = this.popup.getBoundingClientRect();
    const { offsetTop, height: seen } = visualViewport;
    const fits = box.bottom + GAP + height <= offsetTop + seen;
    this.popup.style.top = `${fits ? box.bottom + GAP : Math.max(offsetTop, box.top - GAP - height)}px`;
  }

  option(word, i) {
    const option = element("li", { role: "option", id: `${this.list.id}-${i}`, text: word });
    option.onclick = () => this.accept(word);
    return option;
  }

  activate(place) {
    this.active = place;
    for (const [i, option] of [...this.list.children].entries()) option.setAttribute("aria-selected", i === place);
    this.dress();
  }

  close() {
    this.offered = [];
    this.list.replaceChildren();
    if (this.isOpen) this.popup.hidePopover();
    this.activate(-1);
  }

  key(event) {
    if (event.isComposing || !event.isTrusted) return;
    if (event.key === "ArrowDown" && !this.isOpen) this.offer();
    if (!this.isOpen || !this.does(event)) return;
    event.preventDefault();
    event.stopPropagation();
  }

  // Handles a key while the list is open; returns false if the key keeps its own meaning. Enter is Streamlit's until an arrow
  // key has chosen a word, and Tab leads on from a complete word.
  does({ key, shiftKey }) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[key];
    const { [this.active]: chosen, 0: first } = this.offered;
    const taken = { Enter: chosen, Tab: shiftKey ? undefined : (chosen ?? (this.isComplete ? undefined : first)) }[key];
    if (by && first) this.activate(moved(this.active, by, this.offered.length));
    else if (taken) this.accept(taken);
    else if (key === "Escape" || key === "Enter") this.close();
    return Boolean((by && first) || taken || key === "Escape");
  }

  get isComplete() {
    return this.known.has(begunAt(this.input.value, this.input.selectionStart).toLowerCase());
  }

  accept(word) {
    this.type(completed(this.input.value, this.input.selectionStart, word));
    this.close();
  }

  insert(word) {
    this.type(inserted(this.input.value, this.input.selectionStart, word));
    this.unsent = true;
  }

  // Types text as a person does.
  type({ text, caret }) {
    const { input } = this;
    this.typing = true;
    setValue(input, text);
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.setSelectionRange(caret, caret);
    this.typing = false;
  }

  // Submits the inserted text, like the Enter key.
  send() {
    if (this.unsent) this.input?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    this.unsent = false;
  }
}
