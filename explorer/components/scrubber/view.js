// Stands at one of the steps that were kept, or at null: then it follows the latest. A step is told to the server only when the
// one before has been answered; what is passed over meanwhile is left out.

import { clamp, fill } from "../shared/dom.js";

const PACE = 250; // ms that a picture stands at least while playing

// The place of the last step that is not behind the wanted one: where steps were thinned out it need not be the very one.
export function placeOf(steps, wanted) {
  return wanted === null
    ? steps.length - 1
    : Math.max(
        0,
        steps.findLastIndex((step) => step <= wanted),
      );
}

// What the buttons below the slider say and where they lead: { text, step, open, pressed (of a switch alone) }.
export function jumpsOf({ jumps, live, texts }, wanted) {
  const named = jumps.map(({ name, step }) => ({
    text: fill(step === null ? texts.nowhere : texts.jump, { name, step }),
    step,
    open: step !== null,
  }));
  return live ? [{ text: texts.latest, step: null, open: true, pressed: wanted === null }, ...named] : named;
}

class Scrubber {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, slider: find("input"), place: find("output"), jumps: find(".jumps"), buttons: {} });
    for (const name of ["back", "play", "next"]) this.buttons[name] = find(`.${name}`);
    this.slider.oninput = () => this.touch(this.data.steps[this.slider.value]);
    this.buttons.back.onclick = () => this.touch(this.beside(-1));
    this.buttons.next.onclick = () => this.touch(this.beside(1));
    this.buttons.play.onclick = () => (this.timer ? this.pause() : this.play());
  }

  // What the server drew last, and how to tell it what to draw next.
  update(data, tell) {
    Object.assign(this, { data, tell });
    if (this.wanted === undefined) this.wanted = this.told = data.answered;
    if (data.answered === this.told) this.waiting = false;
    this.show();
    this.send();
  }

  get at() {
    return placeOf(this.data.steps, this.wanted);
  }

  go(step) {
    this.wanted = step;
    this.show();
    this.send();
  }

  // A person takes it in hand: it plays no longer.
  touch(step) {
    this.pause();
    this.go(step);
  }

  beside(by) {
    const { steps } = this.data;
    return steps[clamp(0, this.at + by, steps.length - 1)];
  }

  send() {
    if (this.waiting || this.wanted === this.told) return;
    this.told = this.wanted;
    this.waiting = true;
    this.tell(this.told);
  }

  play() {
    if (this.at === this.data.steps.length - 1) this.go(this.data.steps[0]);
    const next = () => {
      if (!this.waiting) {
        if (this.at === this.data.steps.length - 1) {
          if (this.data.live) this.go(null);
          return this.pause();
        }
        this.go(this.beside(1));
      }
      this.timer = setTimeout(next, PACE);
    };
    this.timer = setTimeout(next, PACE);
    this.show();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.show();
  }

  show() {
    const { steps, texts } = this.data;
    const { at } = this;
    const last = steps.length - 1;
    const place = fill(texts.place, { step: steps[at].toLocaleString(), last: steps[last].toLocaleString() });
    this.root.setAttribute("aria-label", texts.group);
    this.root.classList.toggle("playing", Boolean(this.timer));
    this.place.textContent = place;
    Object.assign(this.slider, { max: last, value: at, disabled: last === 0 });
    this.slider.setAttribute("aria-label", texts.range);
    this.slider.setAttribute("aria-valuetext", place);
    const names = { back: texts.back, next: texts.next, play: this.timer ? texts.pause : texts.play };
    for (const [button, name] of Object.entries(names)) {
      this.buttons[button].title = name;
      this.buttons[button].setAttribute("aria-label", name);
    }
    this.buttons.back.disabled = at === 0;
    this.buttons.next.disabled = at === last;
    this.buttons.play.disabled = last === 0;
    this.showJumps();
  }

  // The buttons stay while they are as many as before: one that is pressed must not vanish under the finger.
  showJumps() {
    const targets = jumpsOf(this.data, this.wanted);
    while (this.jumps.children.length > targets.length) this.jumps.lastChild.remove();
    targets.forEach(({ text, step, open, pressed }, i) => {
      const button = this.jumps.children[i] ?? this.jumps.appendChild(document.createElement("button"));
      Object.assign(button, { type: "button", textContent: text, disabled: !open, onclick: () => this.touch(step) });
      if (pressed === undefined) button.removeAttribute("aria-pressed");
      else button.setAttribute("aria-pressed", pressed);
    });
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".scrubber");
  root.view ??= new Scrubber(root);
  root.view.update(data, (step) => setStateValue("step", step));
  return () => {
    if (!root.isConnected) clearTimeout(root.view.timer);
  };
}
