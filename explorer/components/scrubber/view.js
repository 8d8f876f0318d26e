// A slider at one of the kept steps, or at null: then it follows the end.

import { duration, jumpsOf, outline, placeOf, rightAt, shareOfWay } from "./course.js";
import { Position } from "./position.js";
import { clamp, element, fill } from "../shared/dom.js";
import { follow } from "../shared/live.js";
import { percent } from "../shared/shares.js";

const PACE = 250; // ms per picture at least while playing
const SPEEDS = [
  ["1×", 1],
  ["½×", 2],
  ["¼×", 4],
];

class Scrubber {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, position: new Position(), speed: 0, timer: null, slider: find("input"), buttons: {} });
    for (const name of ["name", "right", "area", "line", "here", "ticks", "jumps", "note"]) this[name] = find(`.${name}`);
    for (const name of ["back", "play", "next", "speed", "cancel"]) this.buttons[name] = find(`button.${name}`);
    this.place = find("output");
    this.slider.oninput = () => this.drag(this.data.steps[this.slider.value]);
    this.slider.onchange = () => this.touch(this.data.steps[this.slider.value]);
    this.buttons.back.onclick = () => this.touch(this.beside(-1));
    this.buttons.next.onclick = () => this.touch(this.beside(1));
    this.buttons.play.onclick = () => (this.timer ? this.pause() : this.play());
    this.buttons.speed.onclick = () => this.hurry();
    this.buttons.cancel.onclick = () => this.cancel();
  }

  // Takes the server's state, and the functions that send it choices.
  update(data, tell, cancel) {
    Object.assign(this, { data, tell, cancel });
    this.root.inert = Boolean(data.locked);
    this.position.hear(data);
    this.show();
    this.send();
  }

  get at() {
    return placeOf(this.data.steps, this.position.wanted);
  }

  // Converts a step to a choice: the last one means the end, which moves on while a model learns.
  choiceOf(step) {
    return step === this.data.steps.at(-1) ? null : step;
  }

  go(step) {
    this.held = false;
    this.position.choose(this.choiceOf(step));
    this.show();
    this.send();
  }

  // Stops playing: a person has taken over.
  touch(step) {
    this.pause();
    this.go(step);
  }

  // If pictures follow while it is dragged, the server is told when it is let go.
  drag(step) {
    const { data, root, position } = this;
    const read = () => (root.isConnected ? position.wanted : undefined);
    this.pause();
    position.choose(this.choiceOf(step));
    this.held = Boolean(data.setting) && Boolean(globalThis.explorerLive?.turn?.(data.setting, read));
    this.show();
    this.send();
  }

  beside(by) {
    const { steps } = this.data;
    return steps[clamp(0, this.at + by, steps.length - 1)];
  }

  send() {
    const choice = this.held ? null : this.position.next();
    if (choice) this.tell(choice);
  }

  // Plays: the next step is shown once the server has drawn it, and then for its time.
  play() {
    if (this.at === this.data.steps.length - 1) this.go(this.data.steps[0]);
    const next = () => {
      if (!this.position.waiting) {
        if (this.at === this.data.steps.length - 1) return this.pause();
        this.go(this.beside(1));
      }
      this.timer = setTimeout(next, this.pace);
    };
    this.timer = setTimeout(next, this.pace);
    this.show();
  }

  get pace() {
    return PACE * SPEEDS[this.speed][1];
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.show();
  }

  hurry() {
    this.speed = (this.speed + 1) % SPEEDS.length;
    this.show();
  }

  show() {
    const { steps, curve, texts } = this.data;
    const { at } = this;
    const last = steps.length - 1;
    const right = rightAt(curve, steps[at]);
    const place = duration(this.data, at);
    const share = right === null ? "" : fill(texts.right, { share: percent(right) });
    this.root.setAttribute("aria-label", texts.name);
    this.root.classList.toggle("playing", Boolean(this.timer));
    this.name.textContent = texts.name;
    this.place.textContent = place;
    this.right.textContent = share;
    Object.assign(this.slider, { max: last, value: at, disabled: last === 0 });
    this.slider.setAttribute("aria-label", texts.name);
    this.slider.setAttribute("aria-valuetext", share ? `${place}, ${share}` : place);
    this.root.style.setProperty("--at", last ? at / last : 1);
    this.root.style.setProperty("--right", right ?? 0);
    this.root.classList.toggle("unmeasured", right === null);
    this.root.classList.toggle("bare", curve.length === 0);
    this.showCurve();
    this.showButtons(at, last);
    this.showNote();
    this.showJumps();
  }

  showCurve() {
    const { steps, curve, jumps } = this.data;
    const { line, area } = outline(steps, curve);
    this.line.setAttribute("d", line);
    this.area.setAttribute("d", area);
    const reached = jumps.filter(({ step }) => step !== null);
    renew(
      this.ticks,
      reached,
      () => element("i"),
      (tick, { name, step }) => {
        tick.style.setProperty("--way", shareOfWay(steps, step));
        Object.assign(tick, {
          title: fill(this.data.texts.jump, { name, step: step.toLocaleString() }),
          onclick: () => this.touch(step),
        });
      },
    );
  }

  showButtons(at, last) {
    const { texts } = this.data;
    const [speed] = SPEEDS[this.speed];
    const names = { back: texts.back, next: texts.next, play: this.timer ? texts.pause : texts.play };
    for (const [button, name] of Object.entries({ ...names, speed: fill(texts.speed, { speed }) })) {
      this.buttons[button].title = name;
      this.buttons[button].setAttribute("aria-label", name);
    }
    this.buttons.speed.textContent = speed;
    this.buttons.back.disabled = at === 0;
    this.buttons.next.disabled = at === last;
    this.buttons.play.disabled = last === 0;
  }

  showNote() {
    const { note, cancellable, texts } = this.data;
    this.note.hidden = !note && !cancellable;
    this.note.firstElementChild.textContent = note;
    this.buttons.cancel.textContent = texts.cancel;
    this.buttons.cancel.hidden = !cancellable;
  }

  showJumps() {
    const make = () => element("button", { type: "button" }, element("span"), element("small"));
    renew(this.jumps, jumpsOf(this.data, this.position.wanted), make, (button, { name, detail, text, step, open, pressed }) => {
      [button.firstChild.textContent, button.lastChild.textContent] = [name, detail];
      Object.assign(button, { title: text, disabled: !open, onclick: () => this.touch(step) });
      button.setAttribute("aria-label", text);
      if (pressed === undefined) button.removeAttribute("aria-pressed");
      else button.setAttribute("aria-pressed", pressed);
    });
  }
}

// Renews one child per thing. Children are kept if their number is the same: a pressed one must not vanish under the finger.
function renew(parent, things, make, dress) {
  while (parent.children.length > things.length) parent.lastChild.remove();
  things.forEach((thing, i) => {
    dress(parent.children[i] ?? parent.appendChild(make()), thing);
  });
}

export default function ({ data, parentElement, setStateValue, setTriggerValue }) {
  const root = parentElement.querySelector(".scrubber");
  root.view ??= new Scrubber(root);
  const tell = (choice) => setStateValue("choice", choice);
  const cancel = () => setTriggerValue("cancel", true);
  const wish = data.live && data.setting ? { picture: "course", choices: {} } : null;
  follow(root, wish, (numbers) => root.view.update(numbers ? { ...data, ...numbers } : data, tell, cancel));
  return () => {
    if (!root.isConnected) clearTimeout(root.view.timer);
  };
}
