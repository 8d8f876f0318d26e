// Stands at one of the steps that were kept, or at null: then it follows the newest. A place is told to the server only when the
// one before has been answered; what is passed over meanwhile is left out.

const PACE = 250;  // ms that a picture stands at least while playing

class Scrubber {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, slider: find("input"), place: find("output"), jumps: find(".jumps"), buttons: {} });
    for (const name of ["back", "play", "on"]) this.buttons[name] = find("." + name);
    this.slider.oninput = () => this.touch(this.data.steps[this.slider.value]);
    this.buttons.back.onclick = () => this.touch(this.beside(-1));
    this.buttons.on.onclick = () => this.touch(this.beside(1));
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

  // The place of the last step that is not behind the wanted one; where steps were thinned out it need not be the very one.
  get at() {
    const { steps } = this.data;
    return this.wanted === null ? steps.length - 1 : Math.max(0, steps.findLastIndex((step) => step <= this.wanted));
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
    return steps[Math.max(0, Math.min(this.at + by, steps.length - 1))];
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
    const { steps, words, jumps, live } = this.data, { at } = this, last = steps.length - 1;
    this.root.setAttribute("aria-label", words.group);
    this.root.classList.toggle("playing", Boolean(this.timer));
    const place = fill(words.place, { step: steps[at].toLocaleString(), last: steps[last].toLocaleString() });
    this.place.textContent = place;
    Object.assign(this.slider, { max: last, value: at, disabled: last === 0 });
    this.slider.setAttribute("aria-label", words.range);
    this.slider.setAttribute("aria-valuetext", place);
    for (const [name, words_] of Object.entries({ back: words.back, on: words.on, play: this.timer ? words.pause : words.play })) {
      this.buttons[name].title = words_;
      this.buttons[name].setAttribute("aria-label", words_);
    }
    this.buttons.back.disabled = at === 0;
    this.buttons.on.disabled = at === last;
    this.buttons.play.disabled = last === 0;
    const targets = jumps.map(({ name, step }) => ({ text: fill(step === null ? words.nowhere : words.jump, { name, step }), step, open: step !== null }));
    if (live) targets.unshift({ text: words.newest, step: null, open: true, pressed: this.wanted === null });
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
  return () => { if (!root.isConnected) clearTimeout(root.view.timer); };
}
