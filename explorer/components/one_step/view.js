// One step of learning in six stations: question, forward, loss, backward, nudge, and the question again.

import { draw } from "../model_map/drawing.js";
import { clamp, element, fill } from "../shared/dom.js";
import { canFillScreen } from "../shared/full_screen.js";
import { follow } from "../shared/live.js";
import { Place } from "../shared/place.js";
import { percent } from "../shared/shares.js";
import { canBeTakenHome } from "../shared/take_home.js";

const PACE = 3600; // ms per station while playing
const [FORWARD, LOSS, BACKWARD, NUDGE, AGAIN] = [1, 2, 3, 4, 5]; // stations behind the question, 0
const PAINTED = { [BACKWARD]: "gradient", [NUDGE]: "nudge" };

// Formats a length: a small one keeps two digits that say something.
const lengthText = (value) => (value === 0 || value >= 0.1 ? value.toFixed(2) : value.toPrecision(value < 0.01 ? 1 : 2));

const costOf = (share) => -Math.log(share);

class OneStep {
  constructor(node) {
    this.node = node;
    this.find = (selector) => node.querySelector(selector);
    this.map = this.find("svg");
    this.followed = new Place(
      () => this.station,
      (station) => node.isConnected && this.tell(station),
    );
    node.onkeydown = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      this.play(false);
      this.go(this.station + by);
    };
  }

  // Takes the page's data. What somebody does here is newer than what the page says of the station.
  take(data, tell) {
    const isFirst = !this.data;
    Object.assign(this, { data, tell });
    if (isFirst) this.followed.open(data.station);
    if (isFirst || (!this.followed.isEcho(data.station) && !this.timer)) this.station = data.station;
    this.layButtons();
    this.draw();
  }

  layButtons() {
    const { texts } = this.data;
    const words = JSON.stringify(texts);
    if (words === this.words) return;
    this.words = words;
    const button = (name, text, act) => {
      const made = element("button", { type: "button", class: name, text });
      made.onclick = act;
      return made;
    };
    const jump = (at) => () => {
      this.play(false);
      this.go(at);
    };
    this.jumps = texts.stations.map(({ title }, at) => button("station", `${at + 1} ${title}`, jump(at)));
    this.ways = [
      button("back", texts.back, () => jump(this.station - 1)()),
      button("play", texts.play, () => this.play(!this.timer)),
      button("next", texts.next, () => jump(this.station + 1)()),
    ];
    this.find(".stations").setAttribute("aria-label", texts.film);
    this.find(".stations").replaceChildren(...this.jumps, element("span", { class: "ways" }, ...this.ways));
  }

  play(on) {
    clearInterval(this.timer);
    this.timer = 0;
    if (on) {
      if (this.station === AGAIN) this.go(0);
      this.timer = setInterval(() => {
        if (!this.node.isConnected) return this.play(false);
        this.go(this.station + 1);
        if (this.station === AGAIN) this.play(false);
      }, PACE);
    }
    this.ways[1].textContent = this.data.texts[on ? "stop" : "play"];
  }

  go(station) {
    const to = clamp(0, station, AGAIN);
    if (to === this.station) return;
    this.station = to;
    this.draw();
    this.followed.follow();
  }

  // The stations as the scenes of a film: how many; show(at) draws one, back() what was there before.
  scenes() {
    const { station } = this;
    const time = this.map.getAnimations({ subtree: true })[0]?.currentTime; // all of a drawing began together
    const stand = (at, until) => {
      Object.assign(this, { station: at, drawnMap: null });
      this.draw();
      for (const each of this.map.getAnimations({ subtree: true })) {
        if (until === undefined) each.finish();
        else each.currentTime = until;
      }
    };
    return { count: AGAIN + 1, show: (at) => stand(at), back: () => stand(station, time ?? undefined) };
  }

  draw() {
    const { station } = this;
    this.jumps.forEach((button, at) => {
      if (at === station) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
    });
    this.ways[0].setAttribute("aria-disabled", station === 0); // not disabled: it would lose the focus, and the keys with it
    this.ways[2].setAttribute("aria-disabled", station === AGAIN);
    this.find(".says").textContent = this.sentence();
    this.drawWords();
    this.drawMap();
  }

  sentence() {
    const { texts, step, source, words, before, after, weakest, losses, rate, clipping } = this.data;
    const painted = PAINTED[this.station] ?? "gradient";
    const longest = this.parts().reduce((most, part) => (part[painted] > most[painted] ? part : most));
    return fill(texts.stations[this.station].says, {
      step: step?.toLocaleString("en"), // of a file that does not say it, null
      source: source.join(" "),
      word: words[weakest],
      p: percent(before[weakest], 1),
      before: percent(before[weakest], 1),
      after: percent(after[weakest], 1),
      loss: losses[0].toFixed(2),
      new: losses[1].toFixed(2),
      part: longest.name,
      number: lengthText(longest[painted]),
      share: percent(longest.nudge / longest.weights, 1),
      rate,
      clipping: lengthText(clipping),
    });
  }

  parts() {
    return this.data.map.boxes.filter(({ gradient }) => gradient !== undefined);
  }

  drawWords() {
    const { texts, words, before, after, weakest, losses } = this.data;
    const { station } = this;
    const head = (text, shown = true) => element("th", { scope: "col", text: shown ? text : "" });
    const costs = station >= LOSS;
    this.find("thead").replaceChildren(
      element("tr", {}, head(texts.word), head(texts.likely, station >= FORWARD), head(""), head(texts.cost, costs)),
    );
    const shown = station === AGAIN ? after : before;
    const rows = words.map((word, at) => {
      const [old, now] = [before[at], shown[at]].map((share) => percent(share, 1));
      const told = station === AGAIN ? `${old} → ${now}` : now;
      const bar = element("span", { class: "bar" }, element("i", { style: `width: ${100 * shown[at]}%` }));
      if (station === AGAIN) bar.append(element("u", { style: `left: ${100 * before[at]}%` }));
      return element(
        "tr",
        station >= FORWARD && at === weakest ? { class: "weakest" } : {},
        element("th", { scope: "row", translate: "no", text: word }),
        element("td", { class: "room", "aria-hidden": "true" }, ...(station >= FORWARD ? [bar] : [])),
        element("td", { class: "number", text: station >= FORWARD ? told : "" }),
        element("td", { class: "number", text: costs ? costOf(shown[at]).toFixed(2) : "" }),
      );
    });
    this.find("tbody").replaceChildren(...rows);
    const [loss, after_] = losses.map((each) => each.toFixed(2));
    const mean = station === AGAIN ? `${loss} → ${after_}` : loss;
    const foot = [
      element("th", { scope: "row", colspan: 3, text: costs ? texts.mean : "" }),
      element("td", { class: "number", text: costs ? mean : "" }),
    ];
    this.find("tfoot").replaceChildren(element("tr", {}, ...foot));
  }

  // The map: what flows, upwards or downwards, and the length of what each part has of gradient or nudge.
  drawMap() {
    const { texts, map } = this.data;
    const painted = PAINTED[this.station];
    const most = Math.max(...this.parts().map((part) => part[painted] ?? 0));
    const boxes = map.boxes.map((box) => (painted && box.gradient !== undefined ? withNumber(box, box[painted], most) : box));
    const told = this.parts().map((part) => fill(texts.part, { name: part.name, number: lengthText(part[painted] ?? 0) }));
    const alt = painted ? fill(texts[painted], { parts: told.join(texts.separator) }) : map.alt;
    const state = JSON.stringify([this.station, boxes, alt]);
    if (state === this.drawnMap) return; // its movement would begin anew
    this.drawnMap = state;
    draw(this.map, { ...map, boxes, alt }, false);
    this.map.dataset.station = this.station;
    for (const [at, group] of [...this.map.querySelectorAll(".box")].entries())
      group.style.setProperty("--height", (boxes[at].y / map.height).toFixed(3));
  }
}

// A box with a bar behind its label, as long as the number says, and the number: below the label, or beside it in a low box.
function withNumber(box, value, most) {
  const number = lengthText(value);
  const written = box.h < 30 ? { label: `${box.label} ${number}` } : { note: number };
  return { ...box, ...written, share: most ? value / most : 0 };
}

export default function ({ data, parentElement, setTriggerValue }) {
  const node = parentElement.querySelector(".one-step");
  canBeTakenHome(parentElement);
  canFillScreen(parentElement);
  node.oneStep ??= new OneStep(node);
  const tell = (station) => setTriggerValue("station", station);
  follow(node, data.live, (numbers) => node.oneStep.take(numbers ? { ...data, ...numbers } : data, tell));
}
