// The layout of matrices of one shape side by side.

import { clamp } from "../shared/dom.js";

const GAP = 18; // px between two panels, ...
const CLOSE = 6; // ... and of an overview
export const EDGE = 3; // px around an overview, for an outline
const NARROW = 560; // px below which a picture has two panels in a row
const WIDEST = 64; // px of a cell
const LEAST = 0.5;

// Returns the panels in a row, and the width and height of a cell. labels: { left, long, overhang, rise } px that they take
// (see shared/heatmap.js); square: whether cells are no higher than wide; height: px that the picture may fill in full screen, or null; narrowest: the least width of a cell,
// even if it does not fit; overview: see ./overview.js, with as many panels in a row on a phone, and cells as wide as high.
export function layout(panels, labels, room, height) {
  const { count, rows, columns, wide, cell, narrowest = 0, square = false, overview = false } = panels;
  const across = Math.min(count, room < NARROW && !overview ? Math.min(wide, 2) : wide);
  const gap = overview ? CLOSE : GAP;
  const free = room - labels.left - gap * (across - 1) - (overview ? 2 * EDGE : 0);
  const most = height ? 3 * WIDEST : WIDEST;
  const wideOf = (aside) => clamp(Math.max(LEAST, narrowest), (free - aside) / (across * columns), most);
  const slanted = labels.long > wideOf(0) - 6;
  const fit = wideOf(slanted ? labels.overhang : 0);
  const w = fit > 6 ? Math.floor(fit) : fit;
  const filling = height ? Math.min(w, (height - (slanted ? labels.rise : 0)) / (rows * Math.ceil(count / across))) : 0;
  const h = Math.max(square || overview ? Math.min(cell, w) : cell, filling);
  return { across, w: overview ? Math.min(w, h) : w, h, gap };
}

// Formats a number at an end of a scale.
export function short(number) {
  return String(Number(number.toPrecision(3))).replace("-", "−");
}
