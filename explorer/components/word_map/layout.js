// Where the two maps lie on the stage, where a word is at a moment of the turn, and which labels have room.

import { clamp } from "../shared/dom.js";

const TURNED = 0.62; // share of the way after which the second map is turned; it slides over the first meanwhile and then
const SLIDES = 0.5; // share from which on it slides
const NARROW = 640; // px, below which the maps lie one above the other
const GAP = 9; // px between a dot and its label
const LINE = 17; // px that a label is high
const STRETCH = 1.6; // times that one axis may be as long as the other

const smooth = (share) => share * share * (3 - 2 * share);

// How far the second map is turned, and how far both have slid together, at a share of the way.
export const phases = (way) => ({
  turn: smooth(clamp(0, way / TURNED, 1)),
  slide: smooth(clamp(0, (way - SLIDES) / (1 - SLIDES), 1)),
});

// A word's place at a share of the turn: straight on between two frames, each [x0, y0, x1, y1, ...].
export function between(frames, share, word) {
  const at = clamp(0, share, 1) * (frames.length - 1);
  const before = Math.min(Math.floor(at), frames.length - 2);
  const [one, other] = [frames[before], frames[before + 1]];
  return [0, 1].map((axis) => one[2 * word + axis] + (at - before) * (other[2 * word + axis] - one[2 * word + axis]));
}

// The smallest box that holds all points, each [x0, y0, x1, y1, ...]: its middle and half of its sides.
export function boxOf(points) {
  const axes = [0, 1].map((axis) => points.flatMap((each) => [...each].filter((_, i) => i % 2 === axis)));
  const ends = axes.map((values) => [Math.min(...values), Math.max(...values)]);
  return {
    middle: ends.map(([low, high]) => (low + high) / 2),
    half: ends.map(([low, high]) => Math.max(1e-9, (high - low) / 2)),
  };
}

// Where the origin of each map is and the scales of both axes, in px, when the maps have slid together by a share. What is wide
// may be stretched, for the labels.
export function placed(width, height, { middle, half }, margin, slide) {
  const isNarrow = width < NARROW;
  const [w, h] = isNarrow ? [width, height / 2] : [width / 2, height];
  const scales = (wide, high) => {
    const [x, y] = [(wide / 2 - margin[0]) / half[0], (high / 2 - margin[1]) / half[1]];
    return [Math.min(x, STRETCH * y), Math.min(y, STRETCH * x)];
  };
  const [apart, together] = [scales(w, h), scales(width, height)];
  const scale = apart.map((from, axis) => from + slide * (together[axis] - from));
  const centre = [width / 2, height / 2];
  const origin = (pane) => pane.map((from, axis) => from + slide * (centre[axis] - from) - scale[axis] * middle[axis]);
  return { source: origin([w / 2, h / 2]), target: origin(isNarrow ? [w / 2, 1.5 * h] : [1.5 * w, h / 2]), scale };
}

// The sides of a dot on which its label may stand: how far its start is from the dot in widths of the label, and in px.
const SIDES = [
  [0, GAP, 0],
  [-1, -GAP, 0],
  [-0.5, 0, -LINE],
  [-0.5, 0, LINE],
];

// Where labels stand, from their dots: as many as have room beside other labels and dots, the first ones first.
// points: [[x, y]] of the dots; widths: of their labels; order: of dots that may have one; free: of dots whose label may lie on
// others. Returns [x, y] of the start of each label, from its dot; null where there is none.
export function labelled(points, widths, [width, height], order, free = new Set()) {
  const taken = [];
  const found = points.map(() => null);
  const hasRoom = ([left, top, right, bottom], at) =>
    left >= 0 &&
    right <= width &&
    top >= 0 &&
    bottom <= height &&
    taken.every(([l, t, r, b]) => right <= l || left >= r || bottom <= t || top >= b) &&
    (free.has(at) || points.every(([x, y], other) => other === at || x < left || x > right || y < top || y > bottom));
  for (const at of order) {
    const [x, y] = points[at];
    for (const [part, dx, dy] of found[at] ? [] : SIDES) {
      const start = part * widths[at] + dx;
      const box = [x + start, y + dy - LINE / 2, x + start + widths[at], y + dy + LINE / 2];
      if (!hasRoom(box, at)) continue;
      found[at] = [start, dy];
      taken.push(box);
      break;
    }
  }
  return found;
}

// The order in which labels get room: one of each kind, then the next of each, ...
export function orderOf(kinds) {
  const rank = new Map();
  const ranks = kinds.map((kind) => {
    rank.set(kind, (rank.get(kind) ?? -1) + 1);
    return rank.get(kind);
  });
  return kinds.map((_, i) => i).sort((a, b) => ranks[a] - ranks[b] || a - b);
}

// The nearest of some points to a place; -1 if none is within so many px.
export function nearestTo([x, y], points, within) {
  let found = -1;
  let least = within ** 2;
  for (const [at, [px, py]] of points.entries()) {
    const distance = (px - x) ** 2 + (py - y) ** 2;
    if (distance <= least) [found, least] = [at, distance];
  }
  return found;
}

// The shapes of marks and lines as one path each: a browser moves few paths more smoothly than hundreds of nodes.

const px = (number) => number.toFixed(1);

export const dots = (places, r) =>
  places.map(([x, y]) => `M${px(x - r)} ${px(y)}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`).join("");

export const diamonds = (places, r) =>
  places.map(([x, y]) => `M${px(x)} ${px(y - r)}l${r} ${r}l${-r} ${r}l${-r} ${-r}Z`).join("");

export const segments = (pairs) => pairs.map(([[x, y], [u, v]]) => `M${px(x)} ${px(y)}L${px(u)} ${px(v)}`).join("");
