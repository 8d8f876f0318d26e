// Draws numbers as coloured cells on a canvas: labels beside them, digits written in where they fit.

import { pixelOf, pixelsOf, scaleOf } from "./colour.js";
import { clamp, penOn } from "./dom.js";

// In px, with letters of the usual size.
const LABEL = 13;
const DIGITS = 11.5;
const LINE = 13; // of a text in a cell in two lines
const LOW = 200; // the height up to which a few rows keep space for their labels, however narrow the cells are
const ARROW = " → ";
const SMALLER = 0.82; // the word that a decoder has read, beside the one that it writes
const PALE = 0.7; // likewise, its opacity
const LONGEST = 110; // of a label over a column
const SLANT = -Math.PI / 3.6; // rad
const OWN = 257; // the level of a cell with its own colour, behind 0 for masked ones and the 256 of the scale
const CROSSED = 10; // the least width of a cell with a cross, where it is masked

// Fills `canvas` with a table of numbers; returns the place of its cells: { left, top, w, h, down, across }, in CSS pixels.
//   value(row, column) -> number, or NaN for a cell that is masked
//   size: [rows, columns]; rows, columns: labels, or an empty list for none
//   low, high, stops: the scale; masked: { cell, mark } colours of a masked cell; look: see lookOf
//   own(row, column): a cell's own colour, #rrggbb, in place of all these; undefined for most
//   room: px across at most; cell: the least and most width and the height of a cell, null for square cells; a few rows with
//     labels are as high as these all the same
//   type: the size of letters relative to the usual one
//   decimals: null for no digits; mark(row, column): a text in the cell in their place, if any: words that are too long are
//     shortened, lines without space are left out
export function heatmap(canvas, table) {
  const grid = place(canvas.getContext("2d"), table);
  const pen = penOn(canvas, grid.width, grid.height);
  drawCells(pen, grid, table);
  drawLabels(pen, grid, table);
  return grid;
}

// Returns the cell under a pointer: { row, column }, or null beside them.
export function cellUnder({ clientX, clientY }, canvas, { left, top, w, h, down, across }) {
  const box = canvas.getBoundingClientRect();
  const row = Math.floor((clientY - box.top - top) / h);
  const column = Math.floor((clientX - box.left - left) / w);
  return row >= 0 && row < down && column >= 0 && column < across ? { row, column } : null;
}

// Returns the smallest scale centred on 0 that holds the numbers.
export function signedScale(value, [rows, columns]) {
  let most = 0;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) if (Math.abs(value(i, j)) > most) most = Math.abs(value(i, j));
  }
  return { low: -(most || 1), high: most || 1 };
}

// Formats a number; "" for one that would only read 0.00, so that the eye finds the rest.
export function written(number, decimals) {
  if (number === 0) return "0";
  return Math.abs(number) < 0.5 * 10 ** -decimals ? "" : number.toFixed(decimals).replace("-", "−");
}

// Returns the px that labels take of so much space: { left, long, overhang, rise }; the last two are those of slanted ones.
export function labelRoom(pen, { rows, columns, look, room, type = 1 }) {
  if (!rows.length && !columns.length) return { left: 0, long: 0, overhang: 0, rise: 0 };
  pen.font = fontOf(look, LABEL * type);
  const widest = (widths) => Math.ceil(Math.max(0, ...widths));
  const left = rows.length ? Math.min(widest(rows.map((label) => widthOf(pen, label))), room * 0.28) + 8 : 0;
  const long = Math.min(widest(columns.map((label) => pen.measureText(label).width)), LONGEST * type);
  return { left, long, overhang: long * Math.cos(SLANT), rise: -long * Math.sin(SLANT) };
}

// Lays out the table: labels are slanted if they are longer than their columns are wide.
function place(pen, table) {
  const { size, columns, room, decimals, type = 1 } = table;
  const [down, across] = size;
  const [least, most, height] = table.cell;
  const { left, long, overhang, rise } = labelRoom(pen, table);
  const fit = (aside) => Math.min(most, (room - left - aside) / across);
  const wide = fit(isSlanted(columns, fit(0), long) ? overhang : 0);
  const w = Math.max(least, wide > 6 ? Math.floor(wide) : wide);
  const h = height ?? clamp(table.rows.length ? Math.min(LABEL + 3, LOW / down) * type : 0, w, 40 * type);
  const above = roomAbove(columns, fit(0), { long, rise }, type);
  return {
    left,
    w,
    h,
    down,
    across,
    ...above,
    gap: w >= 8 && h >= 8 ? 1 : 0,
    digits: decimals !== null && h >= 15 * type && w >= 9 + 6.4 * type * (decimals + 2),
    width: Math.ceil(left + w * across + (above.slanted ? overhang : 0)),
    height: Math.ceil(above.top + h * down) + 1,
  };
}

const isSlanted = (columns, w, long) => columns.length > 0 && long > w - 6;

// Returns the px that labels take above columns of a width, and whether they are slanted: { top, slanted, long }. room: see `labelRoom`.
export function roomAbove(columns, w, { long, rise }, type) {
  const slanted = isSlanted(columns, w, long);
  return { top: !columns.length ? 0 : slanted ? Math.ceil(rise) + 16 : LABEL * type + 10, slanted, long };
}

export const fontOf = (look, px) => `${px}px ${look.font}`;

// Whether cells are painted pixel by pixel: thousands of small rectangles would take ten times as long. A pen of SVG has no pixels:
// what is taken home is sharp at any size.
export const isPainted = (pen, { w, gap }) => !gap && w < CROSSED && Boolean(pen.putImageData);

// Draws a line around every cell, so that one of nearly 0, which is as pale as the page, is seen to be a cell.
export function drawGround(pen, { left, top, w, h, down, across, gap }, look) {
  pen.fillStyle = look.grid;
  const [x0, y0] = [Math.round(left) - 1, Math.round(top) - 1];
  pen.fillRect(x0, y0, Math.round(left + across * w) - x0 + 1 - gap, Math.round(top + down * h) - y0 + 1 - gap);
}

export function drawCells(pen, grid, table) {
  const { left, top, w, h, down, across, gap, digits } = grid;
  const { value, mark, own, stops, low, high, masked, look, decimals, type = 1 } = table;
  drawGround(pen, grid, look);
  if (isPainted(pen, grid)) {
    const sheet = new Sheet(pen, [left, top, left + across * w, top + down * h]);
    sheet.paint(grid, table);
    sheet.put(pen);
    return;
  }
  const index = (number) => Math.round(255 * clamp(0, (number - low) / (high - low || 1), 1));
  const colours = scaleOf(stops);
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.font = fontOf(look, DIGITS * type);
  const step = LINE * type;
  for (let i = 0; i < down; i++) {
    for (let j = 0; j < across; j++) {
      const number = value(i, j);
      const open = !Number.isNaN(number);
      const [paper, ink] = open ? colours[index(number)] : [masked.cell, masked.mark];
      pen.fillStyle = own?.(i, j) ?? paper;
      // Whole pixels: through fractions of one, the background would shine.
      const [x, y] = [Math.round(left + j * w), Math.round(top + i * h)];
      pen.fillRect(x, y, Math.round(left + (j + 1) * w) - x - gap, Math.round(top + (i + 1) * h) - y - gap);
      const text = open ? (digits ? (mark?.(i, j) ?? written(number, decimals)) : "") : w >= CROSSED ? "×" : "";
      if (!text) continue;
      pen.fillStyle = ink;
      const lines = text.split("\n").slice(0, Math.max(1, Math.floor(h / step)));
      for (const [n, line] of lines.entries()) {
        const y = top + (i + 0.5) * h + (n - (lines.length - 1) / 2) * step;
        pen.fillText(mark ? shortened(pen, line, w - gap) : line, left + (j + 0.5) * w, y);
      }
    }
  }
}

// The pixels of a part of a canvas, [left, top, right, bottom] in CSS pixels; they replace what is there.
export class Sheet {
  constructor(pen, sides) {
    this.ratio = pen.getTransform().a;
    const [left, top, right, bottom] = sides.map((side) => Math.round(this.ratio * side));
    Object.assign(this, { left, top, wide: Math.max(1, right - left) });
    this.image = new ImageData(this.wide, Math.max(1, bottom - top));
    this.pixels = new Uint32Array(this.image.data.buffer);
  }

  put(pen) {
    pen.putImageData(this.image, this.left, this.top);
  }

  // Paints a table. Where cells share a pixel, that farthest from 0 is seen, and one with its own colour before all others.
  paint({ left, top, w, h, down, across }, { value, own, low, high, stops, masked }) {
    const { ratio } = this;
    // Loops and truncation: 144 matrices of 40 by 40 take 5.6 ms so, and 9.9 with Int32Array.from and Math.round.
    const edges = (from, size, count) => {
      const found = new Int32Array(count + 1);
      for (let i = 0; i <= count; i++) found[i] = Math.round(ratio * (from + i * size));
      return found;
    };
    const [xs, ys] = [edges(left, w, across), edges(top, h, down)];
    const [wide, tall] = [Math.max(1, xs[across] - xs[0]), Math.max(1, ys[down] - ys[0])];
    const scale = 255 / (high - low || 1);
    const levelOf = (number) => {
      const share = scale * (number - low);
      return 1 + (share <= 0 ? 0 : share >= 255 ? 255 : (share + 0.5) | 0);
    };
    const zero = levelOf(0);
    const strength = new Int16Array(OWN + 1);
    for (let level = 0; level < OWN; level++) strength[level] = level ? Math.abs(level - zero) : -1;
    strength[OWN] = OWN;
    const colours = new Uint32Array(OWN + 1);
    colours.set(pixelsOf(stops), 1);
    colours[0] = pixelOf(masked.cell);
    const [levels, line] = [new Uint16Array(wide * tall), new Uint16Array(wide)];
    let painted = 0; // lines of pixels that hold a row of cells
    for (let i = 0; i < down; i++) {
      line.fill(0);
      for (let j = 0; j < across; j++) {
        const number = value(i, j);
        const colour = own?.(i, j);
        if (colour) colours[OWN] = pixelOf(colour);
        const level = colour ? OWN : Number.isNaN(number) ? 0 : levelOf(number);
        const behind = xs[j + 1] - xs[0];
        let x = Math.min(xs[j] - xs[0], wide - 1);
        do if (strength[level] > strength[line[x]]) line[x] = level;
        while (++x < behind);
      }
      const first = Math.min(ys[i] - ys[0], tall - 1);
      const behind = Math.max(first + 1, ys[i + 1] - ys[0]);
      for (let y = first; y < behind; y++) {
        if (y >= painted) levels.set(line, y * wide);
        else
          for (let x = 0, at = y * wide; x < wide; x++, at++)
            if (strength[line[x]] > strength[levels[at]]) levels[at] = line[x];
      }
      painted = behind;
    }
    for (let y = 0, at = 0; y < tall; y++) {
      let to = (ys[0] - this.top + y) * this.wide + xs[0] - this.left;
      for (let x = 0; x < wide; x++) this.pixels[to++] = colours[levels[at++]];
    }
  }
}

export function drawLabels(pen, { left, top, w, h, long, slanted }, { rows, columns, look, type = 1 }) {
  if (!rows.length && !columns.length) return;
  pen.font = fontOf(look, LABEL * type);
  pen.fillStyle = look.text;
  pen.textAlign = "right";
  const least = LABEL * type + 1; // px from one label to the next
  asManyAsFit(rows, h, least, (label, i) => writeRow(pen, label, left - 7, top + (i + 0.5) * h));
  asManyAsFit(columns, w, slanted ? least / -Math.sin(SLANT) : least, (label, j) => {
    pen.save();
    pen.translate(left + (j + 0.5) * w, top - (slanted ? 6 : 9));
    pen.textAlign = slanted ? "left" : "center";
    if (slanted) pen.rotate(SLANT);
    pen.fillText(shortened(pen, label, slanted ? long : w), 0, 0);
    pen.restore();
  });
}

// Splits the label of a decoder's row, "3 le → chat", into the word that was read and the one that is written.
function wordsOf(label) {
  const at = label.lastIndexOf(ARROW);
  return at < 0 ? ["", label] : [label.slice(0, at + ARROW.length), label.slice(at + ARROW.length)];
}

function widthOf(pen, label) {
  const [read, written] = wordsOf(label);
  return SMALLER * pen.measureText(read).width + pen.measureText(written).width;
}

// Writes a row's label to the left of x: the word that was read small and pale, or left out where there is no space for it.
function writeRow(pen, label, x, y) {
  const [read, written] = wordsOf(label);
  pen.fillText(shortened(pen, written, x - 1), x, y);
  if (!read || widthOf(pen, label) > x) return;
  const font = pen.font;
  const before = x - pen.measureText(written).width;
  pen.font = font.replace(/[\d.]+px/, (size) => `${SMALLER * parseFloat(size)}px`);
  pen.globalAlpha = PALE;
  pen.fillText(read, before, y);
  pen.globalAlpha = 1;
  pen.font = font;
}

function asManyAsFit(labels, step, least, draw) {
  const stride = Math.ceil(least / step);
  for (let i = 0; i < labels.length; i += stride) draw(labels[i], i);
}

export function shortened(pen, label, room) {
  if (pen.measureText(label).width <= room) return label;
  let end = label.length;
  while (end > 1 && pen.measureText(`${label.slice(0, end)}…`).width > room) end -= 1;
  return `${label.slice(0, end)}…`;
}
