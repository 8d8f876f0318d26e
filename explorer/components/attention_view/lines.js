// Draws on the stage: lines between words, weights beside them, and words tinted by their weight.

import { inkOn, rgb } from "../shared/colour.js";
import { clamp } from "../shared/dom.js";
import { percent } from "../shared/shares.js";

const DASHES = [[], [5, 1.5], [1.5, 1.5], [6, 1.5, 1.5, 1.5]]; // in line widths
const LEVELS = 24; // of width and opacity: lines of one level are drawn in one stroke
const NEAR = 9; // px from a line within which a click hits it
const SAMPLES = 48;
export const MEAN = -1; // in place of a head: the mean of all that are on
const PLAIN = 600; // lines above which dashes are left out: they could not be told apart, and take time

// Returns a curve from a query's word to a key's, as start, two control points and end; those of several heads are parallel.
function curve({ boxes, upright, row, strands }, rank, query, key) {
  const a = boxes.query[query];
  const b = boxes.key[key];
  const shift = (rank - (strands.length - 1) / 2) * Math.min(5, (0.6 * (row || 30)) / strands.length);
  if (upright) {
    const [x, y, to, end] = [a.right + 4, (a.top + a.bottom) / 2 + shift, b.left - 4, (b.top + b.bottom) / 2 + shift];
    const bend = (to - x) * 0.45;
    return [x, y, x + bend, y, to - bend, end, to, end];
  }
  const [x, y, to, end] = [(a.left + a.right) / 2 + shift, a.bottom, (b.left + b.right) / 2 + shift, b.top];
  const bend = (end - y) * 0.5;
  return [x, y, x, y + bend, to, end - bend, to, end];
}

// Returns the drawn link nearest to a point of the stage, { query, key, heads }; null if none is near.
export function lineAt(view, x, y) {
  const { strands, attention, least } = view;
  let [nearest, found] = [NEAR, null];
  strands.forEach((head, rank) => {
    for (let query = 0; query < attention.queries; query += 1) {
      for (let key = 0; key < attention.keys; key += 1) {
        if (view.weight(head, query, key) < least || !attention.open(query, key)) continue;
        const far = distance(curve(view, rank, query, key), x, y);
        if (far < nearest) [nearest, found] = [far, { query, key, heads: head === MEAN ? headsOn(view) : [head] }];
      }
    }
  });
  return found;
}

// Returns the heads that are on, as a cut names them; none for all.
export const headsOn = ({ active, attention }) => (active.length === attention.heads ? [] : active);

// Returns the distance from a point to a curve, by sampled points of the curve.
function distance([ax, ay, bx, by, cx, cy, dx, dy], x, y) {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i <= SAMPLES; i += 1) {
    const t = i / SAMPLES;
    const [a, b, c, d] = [(1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t ** 2 * (1 - t), t ** 3];
    least = Math.min(least, Math.hypot(a * ax + b * bx + c * cx + d * dx - x, a * ay + b * by + c * cy + d * dy - y));
  }
  return least;
}

// Draws the lines between these words that are strong enough, and counts them. Lines of one head and similar weight share a
// stroke; lines of width 1 are by far the quickest.
export function strokeLines(pen, view, queries, keys, highlighted) {
  const { strands, least, attention } = view;
  const widest = (1.15 * clamp(4, 0.24 * (view.row || 30), 12)) / Math.sqrt(strands.length);
  const paths = new Map();
  let count = 0;
  strands.forEach((head, rank) => {
    for (const query of queries) {
      for (const key of keys) {
        const weight = view.weight(head, query, key);
        if (weight < least || !attention.open(query, key)) continue;
        const level = rank * (LEVELS + 1) + Math.ceil(weight * LEVELS);
        if (!paths.has(level)) paths.set(level, new Path2D());
        const [x, y, ...rest] = curve(view, rank, query, key);
        paths.get(level).moveTo(x, y);
        paths.get(level).bezierCurveTo(...rest);
        count += 1;
      }
    }
  });
  const plain = count > PLAIN || strands.length === 1;
  for (const [level, path] of paths) {
    const head = strands[Math.floor(level / (LEVELS + 1))];
    const weight = (level % (LEVELS + 1)) / LEVELS;
    pen.strokeStyle = view.colour(head);
    pen.globalAlpha = highlighted ? 0.3 + 0.7 * weight : weight ** 0.8;
    pen.lineWidth = Math.max(1, widest * weight);
    const dashes = DASHES[(head + (head >> 3)) % DASHES.length];
    pen.setLineDash(plain ? [] : dashes.map((part) => part * Math.max(2, pen.lineWidth)));
    pen.stroke(path);
  }
  return count;
}

// Tints the word at the far end of a link.
export function tint(pen, view, query, key, atKey) {
  const { mean, attention, strands, look } = view;
  pen.globalAlpha = 0.5 * mean[query * attention.keys + key] ** 0.8;
  pen.fillStyle = strands.length === 1 ? view.colour(strands[0]) : look.primary;
  rounded(pen, boxAt(view, query, key, atKey), 6);
}

const boxAt = ({ boxes }, query, key, atKey) => (atKey ? boxes.key[key] : boxes.query[query]);

function rounded(pen, { left, top, right, bottom }, radius) {
  pen.beginPath();
  pen.roundRect(left, top, right - left, bottom - top, radius);
  pen.fill();
}

// Returns the labels at the far end of a link: its weight in each head, strongest first, with the number if there are several.
export function weightsAt(view, query, key, atKey) {
  const { attention, strands, least, mean, picture, chips } = view;
  if (!attention.open(query, key)) return [{ text: "×" }];
  if (picture === "text") return [{ text: percent(mean[query * attention.keys + key]) }];
  return strands
    .map((head) => ({ head: strands.length > 1 ? head : undefined, weight: view.weight(head, query, key) }))
    .filter(({ weight }) => weight >= least)
    .sort((a, b) => b.weight - a.weight)
    .slice(0, atKey ? chips : 1)
    .map(({ head, weight }) => ({ head, text: percent(weight) }));
}

// Writes the weights outside the columns, or below the word.
export function writeWeights(pen, view, query, key, atKey) {
  const { note, upright } = view;
  const box = boxAt(view, query, key, atKey);
  const parts = weightsAt(view, query, key, atKey);
  pen.globalAlpha = 1;
  pen.textBaseline = "middle";
  pen.font = `600 ${note}px ${view.look.font}`;
  const badge = 1.45 * note;
  const wide = ({ head, text }) => (head === undefined ? 0 : badge + 4) + pen.measureText(text).width;
  const total = parts.reduce((sum, part) => sum + wide(part) + 9, -9);
  const y = upright ? (box.top + box.bottom) / 2 : box.bottom + 0.75 * note;
  let x = !upright ? (box.left + box.right - total) / 2 : atKey ? box.right + 8 : box.left - 8 - total;
  for (const part of parts) {
    if (part.head !== undefined)
      writeHead(pen, view.data.numbered === false ? "" : part.head, view.colour(part.head), x, y, badge);
    pen.textAlign = "left";
    pen.fillStyle = view.look.text;
    pen.fillText(part.text, x + (part.head === undefined ? 0 : badge + 4), y + 0.5);
    x += wide(part) + 9;
  }
}

// Draws a head's number on its colour.
function writeHead(pen, head, colour, x, y, badge) {
  pen.fillStyle = colour;
  rounded(pen, { left: x, top: y - badge / 2, right: x + badge, bottom: y + badge / 2 }, badge / 4);
  pen.fillStyle = inkOn(rgb(colour));
  pen.textAlign = "center";
  pen.fillText(String(head), x + badge / 2, y + 0.5);
}
