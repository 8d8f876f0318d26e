// The knob of one weight. While its slider is dragged, pictures that follow knobs show the model with the weight; when it is let
// go, the server is told.

import { fill } from "../shared/dom.js";
import { nearest, placeOf, settingWith, valueAt, valueText } from "./scale.js";

const CATCHES_UP = 5000; // ms within which the page shows a chosen value, if it will at all

class WeightKnob {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    const [row, column, far, value, undo] = [".row", ".column", ".far", ".value", ".undo"].map(find);
    Object.assign(this, { root, find, row, column, far, value, undo });
    far.oninput = () => {
      this.isHeld = true;
      this.turn(valueAt(far.value, this.data.far));
    };
    far.onchange = () => this.choose(valueAt(far.value, this.data.far));
    far.onpointerup = far.onpointercancel = () => setTimeout(() => this.isHeld && this.release()); // a change comes before that
    value.onchange = () => this.choose(value.value === "" ? NaN : value.valueAsNumber);
    undo.onclick = () => this.choose(this.data.learned);
    for (const field of [row, column]) field.onchange = () => this.move();
  }

  // Takes the page's state; tell(name, told) sends a choice to the server.
  update(data, tell) {
    const isOther = this.data && this.data.place !== data.place;
    Object.assign(this, { data, tell });
    if (isOther) this.isHeld = false;
    if (isOther || data.setting === this.wanted) this.wanted = undefined;
    if (isOther || data.setting === this.chosen) this.chosen = undefined;
    const { texts, index, places, locked } = data;
    const isMatrix = places.length > 1;
    this.root.setAttribute("aria-label", texts.name);
    this.find("b").textContent = texts.name;
    this.find(".of-row").textContent = texts.row;
    this.find(".of-column").textContent = isMatrix ? texts.column : texts.place;
    this.row.parentElement.hidden = !isMatrix;
    this.fields = isMatrix ? [this.row, this.column] : [this.column];
    for (const [at, field] of this.fields.entries()) {
      Object.assign(field, { min: Math.min(...places[at]), max: Math.max(...places[at]), value: index[at] });
    }
    this.find(".of-value").textContent = texts.value;
    this.far.setAttribute("aria-label", `${texts.name} [${index.join(", ")}]`);
    this.undo.textContent = texts.undo;
    Object.assign(this.find(".full"), { textContent: texts.full, hidden: !texts.full });
    for (const each of [this.far, this.value]) each.disabled = locked;
    if (this.wanted === undefined) this.show(data.value);
  }

  // Shows a value, which may be ahead of the page's.
  show(value) {
    const { data } = this;
    const text = valueText(value, data.decimals);
    const learned = valueText(data.learned, data.decimals);
    if (!this.isHeld) this.far.value = placeOf(value, data.far);
    this.far.setAttribute("aria-valuetext", text.replace("-", "−"));
    this.value.value = text;
    this.find(".learned").textContent = fill(data.texts.learned, { value: learned.replace("-", "−") });
    this.undo.disabled = data.locked || text === learned;
  }

  // Has the pictures follow.
  turn(value) {
    clearTimeout(this.waiting); // of a value before this one
    this.wanted = settingWith(value, this.data);
    this.show(value);
    globalThis.explorerLive?.turn?.("edit", () => (this.root.isConnected ? this.wanted : undefined));
  }

  choose(value) {
    const { largest } = this.data;
    if (Number.isNaN(value)) return this.show(this.data.value); // nothing that is a number was typed
    this.isHeld = false;
    this.turn(Math.max(-largest, Math.min(value, largest)));
    this.tell("edit", this.wanted);
    this.chosen = this.wanted;
    this.waiting = setTimeout(() => this.goBack(), CATCHES_UP);
  }

  // Called when the slider is let go where it was taken. The page may not have come yet with what was chosen before.
  release() {
    if (this.chosen === undefined) this.goBack();
    else this.choose(valueAt(this.far.value, this.data.far));
  }

  // Goes back to the page's value: no other one was chosen, or the page has not taken it.
  goBack() {
    this.chosen = undefined;
    this.isHeld = false;
    this.wanted = undefined;
    if (!this.root.isConnected) return;
    this.show(this.data.value);
    globalThis.explorerLive?.turn?.("edit", () => undefined);
  }

  move() {
    const { index, places } = this.data;
    const to = this.fields.map((field, at) => (field.value === "" ? index[at] : nearest(field.valueAsNumber, places[at])));
    for (const [at, field] of this.fields.entries()) field.value = to[at];
    this.tell("cell", to);
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".weight-knob");
  root.view ??= new WeightKnob(root);
  root.view.update(data, setTriggerValue);
  return () => {
    if (!root.isConnected) clearTimeout(root.view.waiting);
  };
}
