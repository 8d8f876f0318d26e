// The lines between the words. Each moves to where it belongs, grows, fades, and springs apart when it is cut.

import { curve, isNarrow, pathOf, pointAt, split } from "./curves.js";
import { clamp, svgElement } from "./dom.js";

const TIMES = { ends: 120, width: 110, opacity: 110, grown: 150, apart: 70 }; // ms in which most of a change is done
const CLOSE = 0.004;

export class Lines {
  // on: { cut(link), point(link or null) } is told what a person does.
  constructor(stage, on) {
    // faintest: weights below are not drawn.
    Object.assign(this, { stage, on, svg: stage.querySelector(".lines"), links: new Map(), frame: 0, faintest: 0 });
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
  }

  // Returns the lines of this weight or more, without those that fade.
  strong(least) {
    return [...this.links.values()].filter(({ weight, leaves }) => weight >= least && !leaves);
  }

  // Draws the lines of the first `shown` words. answer, source: places; weights: (answer, source).
  // label(query, key, weight): words of a line, for who cannot see it. cut: { query, key, answer } of the line that is cut.
  draw({ answer, source, weights, shown, label, cut = null }) {
    const wanted = new Set();
    for (const [query, row] of weights.slice(0, shown).entries()) {
      const strongest = Math.max(...row);
      for (const [key, weight] of row.entries()) {
        if (weight < this.faintest || (cut?.query === query && cut.key === key)) continue;
        const name = `${query}-${key}`;
        wanted.add(name);
        const link = this.link(name, query, key, answer[query], source[key]);
        const isStrongest = weight === strongest;
        link.weight = weight;
        link.goal = {
          ...this.goalOf(answer[query], source[key]),
          width: (isStrongest ? 2 : 1.2) + 5.5 * weight,
          opacity: isStrongest ? 0.3 + 0.7 * weight : 0.1 + 0.75 * weight,
          grown: 1,
          apart: 0,
        };
        link.group.classList.toggle("weak", weight < 0.3);
        link.group.classList.remove("cut");
        link.hit.setAttribute("aria-label", label(query, key, weight));
      }
    }
    if (cut) {
      const link = this.link(`${cut.query}-${cut.key}`, cut.query, cut.key, cut.answer, source[cut.key]);
      wanted.add(link.name);
      link.goal = { ...link.goal, ...this.goalOf(cut.answer, source[cut.key]), opacity: 1, grown: 1, apart: 1 };
      link.goal.width = Math.max(link.goal.width, 3);
      link.group.classList.add("cut");
    }
    for (const link of this.links.values()) {
      if (wanted.has(link.name)) continue;
      Object.assign(link.goal, { opacity: 0, grown: 0 });
      link.leaves = true;
    }
    this.order();
    this.run();
  }

  goalOf(answer, source) {
    return { ax: answer.x, ay: answer.y, as: answer.size, bx: source.x, by: source.y, bs: source.size };
  }

  link(name, query, key, answer, source) {
    const found = this.links.get(name);
    if (found) {
      found.leaves = false;
      return found;
    }
    const [halo, line, low, high] = ["halo", "line", "stub", "stub"].map((kind) => svgElement("path", { class: kind }));
    const hit = svgElement("path", { class: "hit", tabindex: "0", role: "button" });
    const group = svgElement("g", { class: "link", "data-link": name }, halo, line, low, high, hit);
    const now = { ...this.goalOf(answer, source), width: 1, opacity: 0, grown: 0, apart: 0 };
    const link = { name, query, key, halo, line, low, high, hit, group, now, goal: { ...now }, at: 0.5, weight: 0 };
    hit.onclick = (event) => {
      link.at = this.nearest(link, event);
      this.on.cut(link);
    };
    hit.onkeydown = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      link.at = 0.5;
      this.on.cut(link, true);
    };
    for (const kind of ["pointerenter", "focus"]) hit.addEventListener(kind, () => this.on.point(link));
    for (const kind of ["pointerleave", "blur"]) hit.addEventListener(kind, () => this.on.point(null));
    this.links.set(name, link);
    return link;
  }

  // Keeps the lines in reading order, for who goes through them by key.
  order() {
    const sorted = [...this.links.values()].sort((a, b) => a.query - b.query || a.key - b.key);
    if (sorted.some((link, at) => this.svg.children[at] !== link.group)) this.svg.append(...sorted.map(({ group }) => group));
  }

  points(link, of = link.goal) {
    return curve({ x: of.ax, y: of.ay, size: of.as }, { x: of.bx, y: of.by, size: of.bs }, this.stage);
  }

  pointAt(link, at) {
    return pointAt(this.points(link), at);
  }

  // Returns where on a line a click lies, from 0 to 1.
  nearest(link, { clientX, clientY }) {
    const { left, top } = this.stage.getBoundingClientRect();
    const away = (at) => {
      const [x, y] = this.pointAt(link, at);
      return Math.hypot(x - clientX + left, y - clientY + top);
    };
    const places = [0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75];
    return places.reduce((best, at) => (away(at) < away(best) ? at : best));
  }

  clear() {
    this.links.clear();
    this.svg.replaceChildren();
  }

  run(isAtOnce = this.still.matches) {
    if (isAtOnce) this.step(1e5);
    else if (!this.frame) {
      this.before = performance.now();
      this.frame = requestAnimationFrame((time) => this.tick(time));
    }
  }

  tick(time) {
    const isMoving = this.step(Math.max(0, time - this.before));
    this.before = time;
    this.frame = isMoving ? requestAnimationFrame((next) => this.tick(next)) : 0;
  }

  // Moves all lines by so many ms; returns whether any has still to move.
  step(ms) {
    let isMoving = false;
    for (const link of this.links.values()) {
      for (const name of Object.keys(link.goal)) {
        const left = link.goal[name] - link.now[name];
        const isThere = Math.abs(left) < CLOSE || ms > 1e4;
        link.now[name] = isThere ? link.goal[name] : link.now[name] + left * (1 - Math.exp(-ms / (TIMES[name] ?? TIMES.ends)));
        isMoving ||= !isThere;
      }
      this.paint(link);
      if (link.leaves && link.now.opacity < 0.01) {
        link.group.remove();
        this.links.delete(link.name);
      }
    }
    return isMoving;
  }

  paint(link) {
    const { now } = link;
    const points = this.points(link, now);
    const grown = now.grown > 0.995 ? points : split(points, clamp(0.01, now.grown, 1))[0];
    const narrow = isNarrow(this.stage);
    const gap = (narrow ? 0.16 : 0.085) * now.apart;
    const low = split(points, clamp(0.04, link.at - gap, 0.96))[0];
    const high = split(points, clamp(0.04, link.at + gap, 0.96))[1];
    const [x, y] = narrow ? [0, 8 * now.apart] : [11 * now.apart, 0]; // the loose ends curl to the sides
    low[3] = [low[3][0] - x, low[3][1] + y];
    high[0] = [high[0][0] + x, high[0][1] - y];
    link.hit.setAttribute("d", pathOf(points));
    link.halo.setAttribute("d", pathOf(points));
    link.halo.style.strokeWidth = now.width + 14;
    link.line.setAttribute("d", pathOf(grown));
    link.line.style.strokeWidth = now.width;
    link.line.style.opacity = now.apart > 0.02 ? 0 : now.opacity;
    for (const [stub, part] of [
      [link.low, low],
      [link.high, high],
    ]) {
      stub.setAttribute("d", pathOf(part));
      stub.style.strokeWidth = now.width;
      stub.style.opacity = now.apart > 0.02 ? now.opacity : 0;
    }
  }
}
