// The way through a story. Keys are listened to on the whole page, but never taken from somebody who types or turns a knob.

const BUSY = "input, textarea, select, [contenteditable=true], [role=slider], [role=radio], [role=combobox], [role=listbox]";
const FORTH = ["ArrowRight", "PageDown"], BACK = ["ArrowLeft", "PageUp"];

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
    document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement && this.present) this.go(this.step, false); }, { signal });
  }

  end() {
    this.life.abort();
    document.documentElement.classList.remove("presenting");
    if (document.fullscreenElement) document.exitFullscreen();
  }

  key(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    if (event.key === "Escape" && this.present) this.go(this.step, false);
    if (event.target.closest?.(BUSY)) return;
    const way = FORTH.includes(event.key) ? 1 : BACK.includes(event.key) ? -1 : 0;
    if (!way) return;
    event.preventDefault();
    this.go(this.step + way, this.present);
  }

  // Shown at once here, and told to the server, which draws the step.
  go(step, present) {
    if (step < 0 || step >= this.data.titles.length || (step === this.step && present === this.present)) return;
    this.asked = { step, present };
    Object.assign(this, this.asked);
    if (!present && document.fullscreenElement) document.exitFullscreen();
    this.draw();
    this.tell(this.asked);
  }

  // Only a press may fill the screen; where the browser does not let it, the rest of the page is hidden all the same.
  async fill() {
    this.go(this.step, true);
    if (document.fullscreenEnabled) await document.documentElement.requestFullscreen();
  }

  show(data, tell) {
    Object.assign(this, { data, tell });
    const { step, present } = data;
    if (this.asked && (this.asked.step !== step || this.asked.present !== present)) return;  // keys come faster than answers
    this.asked = undefined;
    Object.assign(this, { step, present });
    this.draw();
  }

  draw() {
    const { data: { titles, words }, step, present, nav } = this, last = titles.length - 1;
    document.documentElement.classList.toggle("presenting", present);
    const focused = nav.contains(document.activeElement) ? document.activeElement.className : null;
    const dots = element("span", { class: "dots" }, ...titles.map((title, at) => {
      const dot = button(String(at + 1), `dot ${at}`, () => this.go(at, this.present));
      dot.title = title;
      dot.setAttribute("aria-label", `${at + 1} · ${title}`);
      if (at === step) dot.setAttribute("aria-current", "step");
      return dot;
    }));
    const back = button(`← ${words.back}`, "back", () => this.go(this.step - 1, this.present));
    const next = button(`${words.next} →`, "next", () => this.go(this.step + 1, this.present));
    [back.disabled, next.disabled] = [step === 0, step === last];
    const mode = present
      ? button(words.leave, "leave", () => this.go(this.step, false))
      : button(words.present, "present", () => this.fill());
    mode.title = words.keys;
    nav.setAttribute("aria-label", words.steps);
    nav.replaceChildren(back, dots, next, mode);
    if (focused) nav.getElementsByClassName(focused)[0]?.focus();
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const nav = parentElement.querySelector(".slides");
  nav.slides ??= new Slides(nav);
  nav.slides.show(data, (asked) => setTriggerValue("go", asked));
  return () => { if (!nav.isConnected) nav.slides.end(); };
}
