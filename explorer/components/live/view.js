// While a knob of the sidebar is moved, asks the server for the pictures on screen, and has them drawn. The knob itself is
// Streamlit's, or the scrubber: when it is let go, the page follows as it does without this. Where the connection is lost, that
// is all that happens.

import { unframe } from "../shared/arrays.js";
import { fill } from "../shared/dom.js";
import { followers } from "../shared/live.js";
import { Asking } from "./asking.js";

const REST = 3000; // ms before a lost connection is tried again

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

// What Streamlit's slider says of its value, in a box with the key of a setting.
function knobAt(target, knobs) {
  const box = target.closest?.("[class*=st-key-]");
  const name = box?.className.match(/st-key-([a-z_]+)/)[1];
  const input = box?.querySelector("input[type=range]");
  if (!input || !(name in knobs) || input.closest(".scrubber")) return null;
  const read = () => (input.isConnected ? Number(input.getAttribute("aria-valuetext")) : undefined);
  return { name, read, input };
}

class Live {
  constructor() {
    this.asking = new Asking((n, question) => this.ask({ n, ...question.message }));
    this.knob = null;
    this.values = new MutationObserver(() => this.knob.read() !== this.value && this.moved());
    this.take = (event) => {
      const knob = this.data && knobAt(event.target, this.data.knobs);
      if (knob && (event.type === "pointerdown" || knob.input !== this.knob?.input)) this.hold(knob);
    };
    for (const kind of ["pointerdown", "focusin"]) addEventListener(kind, this.take, { capture: true });
    this.turning = (name, read) => this.turn(name, read);
    globalThis.explorerLive.turn = this.turning;
  }

  end() {
    for (const kind of ["pointerdown", "focusin"]) removeEventListener(kind, this.take, { capture: true });
    this.values.disconnect();
    this.socket?.close();
    if (globalThis.explorerLive.turn === this.turning) globalThis.explorerLive.turn = null;
  }

  // --- The knobs ---

  hold(knob) {
    this.knob = knob;
    this.values.disconnect();
    this.values.observe(knob.input, { attributes: true, attributeFilter: ["aria-valuetext"] });
    if (!followers().length || !this.open()) return;
    this.value = knob.read();
    this.asking.want(this.question(knob.name, this.value, [])); // for no picture: what comes next is prepared meanwhile
  }

  // A knob that is no slider of Streamlit's: `read` gives its value, undefined once it is gone. Returns whether pictures follow it.
  turn(name, read) {
    if (!this.open() || !followers().length) return false;
    this.values.disconnect();
    this.knob = { name, read };
    this.moved();
    return true;
  }

  // A value other than the page's is asked for.
  moved() {
    const { name, read } = this.knob;
    const value = read();
    this.value = value;
    const ahead = value !== undefined && value !== this.data.settings[name] && followers().length > 0 && this.open();
    document.documentElement.classList.toggle("explorer-ahead", Boolean(ahead));
    if (!ahead) return this.settle();
    this.asking.want(this.question(name, value, followers()));
  }

  question(name, value, followed) {
    const settings = { ...this.data.settings, ...this.data.knobs[name], [name]: value };
    const views = followed.map(([node, { wish }]) => ({ node, wish }));
    return { views, message: { settings, turned: name, want: views.map(({ wish }) => wish) } };
  }

  // The page has caught up, or there is nothing to be ahead with: what it has sent is drawn.
  settle() {
    this.asking.forget();
    document.documentElement.classList.remove("explorer-ahead");
    for (const [node, view] of followers()) {
      delete node.dataset.live;
      if (!view.numbers) continue;
      view.numbers = null;
      view.draw(null);
    }
  }

  // What the page says now: the knob may be ahead of it already.
  update(data) {
    this.data = data;
    if (this.knob) this.moved();
  }

  // --- The connection ---

  // Whether there is one, or one is being opened.
  open() {
    if (this.socket && this.socket.readyState < WebSocket.CLOSING) return true;
    if (performance.now() < (this.again ?? 0)) return false;
    const { protocol, host } = location;
    this.socket = new WebSocket(`${protocol === "https:" ? "wss" : "ws"}://${host}${this.data.address}`);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.unsent && this.ask(this.unsent);
    this.socket.onmessage = ({ data }) => this.show(unframe(data));
    this.socket.onclose = () => {
      this.again = performance.now() + REST;
      this.settle();
    };
    return true;
  }

  ask(question) {
    this.unsent = this.socket.readyState === WebSocket.OPEN ? null : question;
    if (!this.unsent) this.socket.send(JSON.stringify(question));
  }

  async show(answer) {
    const asked = this.asking.hear(answer);
    if (!asked) return;
    const { pictures } = answer;
    asked.views.forEach(({ node, wish }, at) => {
      const view = globalThis.explorerLive.views.get(node);
      if (view?.wish !== wish) return; // the page has been drawn anew since
      this.note(node, answer, asked.message.turned);
      if (!pictures) return;
      view.numbers = pictures[at];
      view.draw(view.numbers);
    });
    await painted();
    this.asking.next();
  }

  // A picture that is not the one of the knob's value is dimmed, and says so.
  note(node, { pictures, nearest }, turned) {
    const { texts, names } = this.data;
    if (!pictures) node.dataset.live = texts.later;
    else if (nearest !== null) node.dataset.live = fill(texts.nearest, { setting: names[turned] ?? turned, value: nearest });
    else delete node.dataset.live;
  }
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".live-knobs");
  root.live ??= new Live();
  root.live.update(data);
  return () => {
    if (!root.isConnected) root.live.end();
  };
}
