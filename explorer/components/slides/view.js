// Navigation through a story. Keys are observed on the whole page: those of a clicker always turn, arrow keys unless somebody
// types or moves a knob with them.

import { element } from "../shared/dom.js";
import { keyed } from "../shared/streamlit_dom.js";

const BUSY = "input, textarea, select, [contenteditable=true], [role=slider], [role=radio], [role=combobox], [role=listbox]";
const CLICKER = { PageDown: 1, PageUp: -1 };
const ARROWS = { ArrowRight: 1, ArrowLeft: -1 };
const TYPED = "input[type=text]";

// Returns how many steps a key press leads on: 1, −1, or 0 if it means something else.
export function wayOf({ key, defaultPrevented, ctrlKey, metaKey, altKey, shiftKey, target }) {
  if (ctrlKey || metaKey || altKey || shiftKey) return 0;
  const busy = defaultPrevented || target.closest?.(BUSY);
  return CLICKER[key] ?? (busy ? 0 : (ARROWS[key] ?? 0));
}

// Returns the arrow keys to the slides after a control of a scene was used by hand, a text field once it is finished.
function giveFocusBack({ type, detail, key, isComposing, target }) {
  const typed = target.matches(TYPED);
  const done = type === "click" ? detail > 0 && !typed : key === "Enter" && !isComposing && typed;
  if (done && target.closest(keyed("story-scene"))) document.activeElement.blur();
}

function button(label, name, press) {
  const node = element("button", { type: "button", class: name, text: label });
  node.onclick = press;
  return node;
}

class Slides {
  constructor(nav) {
    this.nav = nav;
    this.life = new AbortController();
    const { signal } = this.life;
    document.addEventListener("keydown", (event) => this.key(event), { signal });
    // Some controls stop their events from bubbling.
    for (const type of ["click", "keydown"]) document.addEventListener(type, giveFocusBack, { signal, capture: true });
    document.addEventListener("fullscreenchange", () => this.screenChanged(), { signal });
  }

  end() {
    this.life.abort();
    document.documentElement.classList.remove("presenting");
    if (document.fullscreenElement) document.exitFullscreen();
  }

  key(event) {
    if (event.key === "Escape" && !event.defaultPrevented && this.present) this.go(this.step, false);
    const way = wayOf(event);
    if (!way) return;
    event.preventDefault();
    document.activeElement.blur(); // submits the typed text
    this.go(this.step + way, this.present);
  }

  screenChanged() {
    if (!document.fullscreenElement && this.present) this.go(this.step, false);
  }

  // Shows a step at once, and tells the server, which draws it.
  go(step, present) {
    if (step < 0 || step >= this.data.titles.length || (step === this.step && present === this.present)) return;
    this.asked = { step, present };
    Object.assign(this, this.asked);
    if (!present && document.fullscreenElement) document.exitFullscreen();
    this.draw();
    this.tell(this.asked);
  }

  // Only a press may fill the screen; if the browser refuses, the rest of the page is hidden all the same.
  async fillScreen() {
    this.go(this.step, true);
    if (document.fullscreenEnabled) await document.documentElement.requestFullscreen();
  }

  show(data, tell) {
    Object.assign(this, { data, tell });
    const { step, present } = data;
    if (this.asked && (this.asked.step !== step || this.asked.present !== present)) return; // keys are faster than answers
    this.asked = undefined;
    Object.assign(this, { step, present });
    this.draw();
  }

  draw() {
    const { nav, step } = this;
    const { titles, texts } = this.data;
    document.documentElement.classList.toggle("presenting", this.present);
    const focused = nav.contains(document.activeElement) ? document.activeElement.className : null;
    const back = button(`← ${texts.back}`, "back", () => this.go(this.step - 1, this.present));
    const next = button(`${texts.next} →`, "next", () => this.go(this.step + 1, this.present));
    back.disabled = step === 0;
    next.disabled = step === titles.length - 1;
    nav.setAttribute("aria-label", texts.steps);
    nav.replaceChildren(
      back,
      element("span", { class: "dots" }, ...titles.map((title, at) => this.dot(title, at))),
      next,
      this.mode(),
    );
    if (focused) nav.getElementsByClassName(focused)[0]?.focus();
  }

  dot(title, at) {
    const dot = button(String(at + 1), `dot ${at}`, () => this.go(at, this.present));
    dot.title = title;
    dot.setAttribute("aria-label", `${at + 1} · ${title}`);
    if (at === this.step) dot.setAttribute("aria-current", "step");
    return dot;
  }

  // Enters the presenter's mode, or leaves it.
  mode() {
    const { texts } = this.data;
    const mode = this.present
      ? button(texts.leave, "leave", () => this.go(this.step, false))
      : button(texts.present, "present", () => this.fillScreen());
    mode.title = texts.keys;
    return mode;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector(".slides");
  nav.slides ??= new Slides(nav);
  nav.slides.show(data, (asked) => setTriggerValue("go", asked));
  return () => {
    if (!nav.isConnected) nav.slides.end();
  };
}
