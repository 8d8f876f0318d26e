// The buttons over the steps: back, play, next, all of them; and the level of detail.

import { element } from "../shared/dom.js";

const LEVELS = ["words", "numbers", "digits"];

export class Player {
  // acts: { back, play, next, whole }: called when a button is pressed; level: called with a level.
  constructor(texts, acts, level) {
    const button = (name, sign) => {
      const made = element("button", {
        class: name,
        type: "button",
        title: texts[name],
        "aria-label": texts[name],
        text: sign,
      });
      made.onclick = acts[name];
      return made;
    };
    this.texts = texts;
    this.playing = button("play", "▶");
    this.all = button("whole", texts.whole);
    this.levels = LEVELS.map((name) => {
      const made = element("button", { type: "button", text: texts.levels[name] });
      made.onclick = () => level(name);
      return made;
    });
    this.groups = [
      element("span", { class: "buttons" }, button("back", "◀"), this.playing, button("next", "▶▏"), this.all),
      element("span", { class: "buttons", role: "group", "aria-label": texts.level }, ...this.levels),
    ];
  }

  show(whole, level) {
    this.all.setAttribute("aria-pressed", whole);
    this.levels.forEach((button, at) => {
      button.setAttribute("aria-pressed", LEVELS[at] === level);
    });
  }

  play(on) {
    const name = this.texts[on ? "pause" : "play"];
    this.playing.textContent = on ? "❚❚" : "▶";
    this.playing.title = name;
    this.playing.setAttribute("aria-label", name);
  }
}
