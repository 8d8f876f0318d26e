// While a knob of the sidebar is dragged, or the model on screen is learning, asks the server for the pictures on screen, and
// redraws them. The knob itself is Streamlit's, or the scrubber: when it is let go, the page follows as it does without this.
// Without a connection, only that happens; the page of a model that is learning is redrawn now and then.

import { unframe } from "../shared/arrays.js";
import { element, fill } from "../shared/dom.js";
import { bySight, followers, sameWish } from "../shared/live.js";
import {
  APP,
  CONNECTION_STATE,
  connectionState,
  keyedBox,
  MAIN,
  SCRIPT_STATE,
  scriptState,
  SIDEBAR,
} from "../shared/streamlit_dom.js";
import { Asking } from "./asking.js";
import { Line } from "./line.js";
import { numberIn } from "./number.js";
import { Watching } from "./watching.js";

const REST = 3000; // ms before a lost connection is tried again
const UNDER_WAY = 300; // ms within which the server says that it draws the page, after something on it was used

const USES = ["pointerup", "click", "keydown", "change"];

const frame = () => new Promise(requestAnimationFrame);

const LENGTH = "sequence_length"; // the knob of the source's length, which is no setting: the server finds a source

// Returns the views that depend on a knob of the page.
const choosers = (name) => followers().filter(([, { wish }]) => name in wish.choices);

// Compares with a tolerance: a slider says its value in few digits.
const isNear = (one, other) => Math.abs(one - other) <= 1e-6 * Math.max(Math.abs(one), Math.abs(other));

// Returns the value of Streamlit's slider in a box whose key is a setting, or a choice of the page's pictures.
function knobAt(target, knobs) {
  const { box, key: name } = keyedBox(target) ?? {};
  const input = box?.querySelector("input[type=range]");
  if (!input || !(name in knobs || choosers(name).length) || input.closest(".scrubber")) return null;
  const read = () => (input.isConnected ? numberIn(input.getAttribute("aria-valuetext")) : undefined);
  return { name, read, input };
}

// True if every picture of the page follows.
function allFollow() {
  const nodes = followers().map(([node]) => node);
  const pictures = document.querySelectorAll(`${MAIN} :is(.explorer-plot, canvas)`);
  return [...pictures].every((picture) => nodes.some((node) => node.contains(picture)));
}

class Live {
  constructor() {
    this.line = new Line();
    this.told = element("p", { class: "live-note", role: "status" });
    const app = document.querySelector(APP);
    document.querySelector(SIDEBAR).parentElement.append(this.told);
    // What is asked for while the server is about to draw the page would take the place of what a person has asked for.
    this.used = -UNDER_WAY;
    this.use = () => (this.used = performance.now());
    for (const kind of USES) addEventListener(kind, this.use, { capture: true });
    const isBusy = () => scriptState() === "running" || performance.now() - this.used < UNDER_WAY;
    this.watching = new Watching({ ask: (after) => this.look(after), redraw: () => this.redraw(), isWhole: allFollow, isBusy });
    this.asking = new Asking((n, question) => this.ask({ n, ...question.message }));
    this.knob = null;
    const changed = () => this.knob.read() !== this.value && this.moved();
    this.values = new MutationObserver(changed);
    this.take = (event) => {
      const knob = this.data && knobAt(event.target, this.data.knobs);
      if (knob && (event.type === "pointerdown" || knob.input !== this.knob?.input)) this.hold(knob);
    };
    for (const kind of ["pointerdown", "focusin"]) addEventListener(kind, this.take, { capture: true });
    // A step back in the browser's history asks for the page. Another rerun asked for meanwhile would undo that step, even
    // after the end of a rerun that was under way.
    this.stepped = () => this.watching.rest();
    addEventListener("popstate", this.stepped);
    // Streamlit reconnects by itself without rerunning the page. A server that has never run it would take a person's next
    // step for the opening of a link, and drop it.
    this.connection = new MutationObserver(() => connectionState() === "CONNECTED" && this.redraw());
    this.connection.observe(app, { attributeFilter: [CONNECTION_STATE] });
    // A run may replace the knob's slider after the page's values have come: the old one is watched, and changes no more.
    this.runs = new MutationObserver(() => this.isAhead && changed());
    this.runs.observe(app, { attributeFilter: [SCRIPT_STATE] });
    this.turning = (name, read) => this.turn(name, read);
    this.choosing = () => queueMicrotask(() => this.isAhead && this.isOfPage && this.moved());
    Object.assign(globalThis.explorerLive, { turn: this.turning, chosen: this.choosing });
  }

  end() {
    for (const kind of ["pointerdown", "focusin"]) removeEventListener(kind, this.take, { capture: true });
    for (const kind of USES) removeEventListener(kind, this.use, { capture: true });
    removeEventListener("popstate", this.stepped);
    this.values.disconnect();
    this.connection.disconnect();
    this.runs.disconnect();
    this.watching.update(null);
    this.socket?.close();
    this.told.remove();
    const page = globalThis.explorerLive;
    if (page.turn === this.turning) Object.assign(page, { turn: null, chosen: null, told: null });
  }

  // --- The knobs ---

  hold(knob) {
    this.knob = knob;
    this.values.disconnect();
    this.values.observe(knob.input, { attributes: true, attributeFilter: ["aria-valuetext"] });
    if (!followers().length || !this.open()) return;
    this.value = knob.read();
    this.asking.want(this.question(knob.name, this.value, [])); // for no picture: lets the server prepare the next values
  }

  // Follows a knob that is no slider of Streamlit's: `read` returns its value, undefined once it is gone. Returns whether
  // pictures follow it.
  turn(name, read) {
    if (!this.open() || !followers().length) return false;
    this.values.disconnect();
    this.knob = { name, read };
    this.moved();
    return true;
  }

  // True if the knob is on the page, not in the sidebar.
  get isOfPage() {
    return !(this.knob.name in this.data.settings) && this.knob.name !== LENGTH;
  }

  // Asks for pictures of a value other than the page's.
  moved() {
    const { name, read } = this.knob;
    const value = read();
    this.value = value;
    const ahead = value !== undefined && !this.agrees(name, value) && followers().length > 0 && this.open();
    this.isAhead = ahead;
    document.documentElement.toggleAttribute("data-ahead", Boolean(ahead));
    if (!ahead) return this.settle();
    const [seen, others] = bySight(followers()).map((followed) => this.question(name, value, followed));
    if (seen.views.length && others.views.length) this.asking.want(seen, others);
    else this.asking.want(seen.views.length ? seen : others);
  }

  // True if the page shows this value of a knob.
  agrees(name, value) {
    const { settings, length } = this.data;
    if (name === LENGTH) return value === length;
    if (name in settings) return value === settings[name];
    return choosers(name).every(([, { wish }]) => isNear(wish.choices[name], value));
  }

  question(name, value, followed) {
    const { settings, knobs, length } = this.data;
    if (name === LENGTH) return this.questionOf(followed, { settings, turned: name, length: value, after: 0 });
    if (name in settings) {
      const turned = { ...settings, ...knobs[name], [name]: value };
      return this.questionOf(followed, { settings: turned, turned: name, length, after: 0 });
    }
    const choosing = followed.filter(([, { wish }]) => name in wish.choices);
    return this.questionOf(choosing, { settings, turned: "choices", length, after: 0 }, { [name]: value });
  }

  // chosen: the values of the page's own knobs that are ahead of it.
  questionOf(followed, asked, chosen = {}) {
    const views = followed.map(([node, { wish }]) => ({ node, wish }));
    const want = views.map(({ wish }) => ({ ...wish, choices: { ...wish.choices, ...chosen } }));
    return { views, message: { ...asked, language: this.data.language, want } };
  }

  // Asks for a newer step of the model that is learning; returns whether there is anything to ask for.
  look(after) {
    if (this.isAhead) return true; // the knob shows another model
    if (!this.open()) return false;
    const { settings, length } = this.data;
    const followed = followers().length ? followers(true) : []; // the page's line names the step of its pictures
    this.asking.want(this.questionOf(followed, { settings, turned: null, length, after }));
    return true;
  }

  // Redraws the page's own pictures: the page has caught up, or nothing can be ahead of it.
  settle() {
    this.asking.forget();
    for (const name of ["data-ahead", "data-learning"]) document.documentElement.removeAttribute(name);
    this.line.restore();
    this.told.textContent = "";
    for (const [node, view] of followers(true)) {
      delete node.dataset.live;
      if (!view.numbers) continue;
      Object.assign(view, { numbers: null, step: undefined });
      view.draw(null);
    }
    this.watching.forget();
  }

  // Takes the page's new state: the knob may be ahead of it already, and so may a model that is learning.
  update(data, redraw) {
    const hasLearned = this.data?.learning && !data.learning;
    Object.assign(this, { data, redraw });
    globalThis.explorerLive.told = data; // the settings of the page, for what is taken home as code
    this.watching.update(data.learning, explorerSteps.areOnTheirWay); // shell/steps.js
    if (this.knob) this.moved();
    else if (hasLearned) this.settle();
  }

  // --- The connection ---

  // Returns whether a connection exists, or is being opened.
  open() {
    if (this.socket && this.socket.readyState < WebSocket.CLOSING) return true;
    if (performance.now() < (this.again ?? 0)) return false;
    const beside = new URL(this.data.address, location.href); // relative to the page: a proxy may have put a path before it
    this.socket = new WebSocket(beside.href.replace(/^http/, "ws"));
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => this.unsent && this.ask(this.unsent);
    this.socket.onmessage = ({ data }) => this.show({ n: new DataView(data).getUint32(0, true), ...unframe(data, 8) });
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

  // Draws an answer with the screen's next frame. The next picture is asked for first, and computed while this one is drawn.
  async show(answer) {
    await frame();
    const asked = this.asking.hear(answer);
    if (!asked) return;
    this.asking.next();
    const { pictures, line } = answer;
    const { turned } = asked.message;
    const step = line?.facts.step;
    if (line) this.line.write(line);
    asked.views.forEach(({ node, wish }, at) => {
      const view = globalThis.explorerLive.views.get(node);
      if (!sameWish(view?.wish, wish)) return; // the page has been redrawn since
      const picture = pictures?.[at];
      if (turned !== null) this.note(node, picture, answer.nearest?.[at] ?? null, turned);
      if (!picture) return;
      Object.assign(view, { numbers: picture, step });
      view.draw(view.numbers, true);
    });
    if (turned === null) this.heard(answer, step);
    else this.told.textContent = document.querySelector("[data-live]")?.dataset.live ?? "";
  }

  // Handles the end of drawing a step of learning, if there was a new one.
  heard(answer, step) {
    const all = followers(true);
    if (step !== undefined) document.documentElement.setAttribute("data-learning", "");
    this.watching.hear(
      answer,
      all.every(([, view]) => view.step === step),
    );
  }

  // Dims a picture that is not of the knob's value; the foot of the window says what it shows.
  note(node, picture, nearest, turned) {
    const { texts, names } = this.data;
    if (!picture) node.dataset.live = texts.later;
    else if (nearest !== null) node.dataset.live = fill(texts.nearest, { setting: names[turned] ?? turned, value: nearest });
    else delete node.dataset.live;
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const root = parentElement.querySelector(".live-knobs");
  root.live ??= new Live();
  root.live.update(data, () => setTriggerValue("due", true));
  return () => {
    if (!root.isConnected) root.live.end();
  };
}
