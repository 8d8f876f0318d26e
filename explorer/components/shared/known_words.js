// Known words that complete the one that is being typed.

import { element } from "./dom.js";

const SUGGESTED = 4;

export class KnownWords {
  // field: where somebody types; place: where the words are offered, as buttons.
  constructor(field, place) {
    Object.assign(this, { field, place, known: [] });
    field.addEventListener("input", () => this.suggest());
  }

  suggest(typed = this.field.value) {
    const begun = typed.match(/[a-z']+$/i)?.[0].toLowerCase() ?? "";
    const { known } = this;
    const found = begun && !known.includes(begun) ? known.filter((word) => word.startsWith(begun)).slice(0, SUGGESTED) : [];
    this.place.replaceChildren(...found.map((word) => this.button(word, begun)));
  }

  button(word, begun) {
    const button = element("button", { type: "button", text: word });
    button.onclick = () => {
      this.field.value = `${this.field.value.slice(0, this.field.value.length - begun.length)}${word} `;
      this.field.focus();
      this.suggest();
    };
    return button;
  }
}
