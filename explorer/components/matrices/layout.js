// The layout of matrices of one shape side by side.

import { clamp } from "../shared/dom.js";

const GAP = 18; // px between two panels
const NARROW = 560; // px below which a picture has two panels in a row
const WIDEST = 64; // px of a cell
const LEAST = 0.5;

// Returns the panels in a row, and the width and height of a cell. labels: { left, long, overhang, rise } px that they take
// (see shared/heatmap.js); square: whether cells are no higher than wide; height: px that the picture may fill in full screen, or null; narrowest: the least width of a cell,
// even if it does not fit.
export function layout({ count, rows, columns, wide, cell, narrowest = 0, square = false }, labels, room, height) {
  const across = Math.min(count, room < NARROW ? Math.min(wide, 2) : wide);
  const free = room - labels.left - GAP * (across - 1);
  const most = height ? 3 * WIDEST : WIDEST;
  const wideOf = (aside) => clamp(Math.max(LEAST, narrowest), (free - aside) / (across * columns), most);
  const slanted = labels.long > wideOf(0) - 6;
  const fit = wideOf(slanted ? labels.overhang : 0);
  const w = fit > 6 ? Math.floor(fit) : fit;
  const filling = height ? Math.min(w, (height - (slanted ? labels.rise : 0)) / (rows * Math.ceil(count / across))) : 0;
  return { across, w, h: Math.max(square ? Math.min(cell, w) : cell, filling), gap: GAP };
}

// Formats a number at an end of a scale.
export function short(number) {
  return String(Number(number.toPrecision(3))).replace("-", "−");
}
