// Many small panels on one canvas: a browser takes long over a hundred of them.

import { EDGE } from "./layout.js";
import { penOn, range } from "../shared/dom.js";
import { drawCells, drawGround, drawLabels, fontOf, isPainted, roomAbove, Sheet } from "../shared/heatmap.js";

const LETTERS = 11.5; // px of the letters of a panel's name, with letters of the usual size...
const TITLE = 15; // ... and of its line
const BELOW = 8; // px between two lines of panels

// Draws the panels, each with its name; returns the places of their cells, as `heatmap` does.
//   plan: see `layout`; labels: { rows, columns } of the first panels of a line and of the first line, which may be none
//   room: what these take, see `labelRoom`
//   panelOf(i) -> { name, table: see `heatmap`, isChosen, isCrossed }; look, type: likewise; colours: { chosen, crossed }
export function drawOverview(canvas, { count, size, plan, labels, room, panelOf, look, type, colours }) {
  const [down, across] = size;
  const { w, h, gap } = plan;
  const above = roomAbove(labels.columns, w, room, type);
  const line = TITLE * type;
  const placeOf = (i) => {
    const [y, x] = [Math.floor(i / plan.across), i % plan.across];
    const left = EDGE + room.left + x * (w * across + gap);
    const top = EDGE + line + above.top + y * (line + h * down + BELOW);
    return { ...above, left, top, w, h, down, across, gap: w >= 8 && h >= 8 ? 1 : 0, digits: false };
  };
  const grids = range(count).map(placeOf);
  const [last, end] = [grids[Math.min(count, plan.across) - 1], grids[count - 1]];
  const right = Math.ceil(last.left + w * across + (above.slanted ? room.overhang : EDGE));
  const bottom = Math.ceil(end.top + h * down + EDGE);
  const pen = penOn(canvas, right, bottom);
  const sheet = isPainted(pen, grids[0]) ? new Sheet(pen, [0, 0, right, bottom]) : null; // one for all: each takes its time
  const panels = grids.map((_, i) => panelOf(i));
  for (const [i, { table }] of panels.entries()) {
    if (sheet) sheet.paint(grids[i], table);
    else drawCells(pen, grids[i], table);
  }
  if (sheet) {
    sheet.put(pen);
    pen.globalCompositeOperation = "destination-over"; // what is painted stays
    for (const grid of grids) drawGround(pen, grid, look);
    pen.globalCompositeOperation = "source-over";
  }
  for (const [i, grid] of grids.entries()) {
    const { name, isChosen, isCrossed } = panels[i];
    const [rows, columns] = [i % plan.across ? [] : labels.rows, i < plan.across ? labels.columns : []];
    drawLabels(pen, grid, { rows, columns, look, type });
    pen.font = fontOf(look, LETTERS * type);
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    pen.fillStyle = look.text;
    pen.fillText(isCrossed ? `✂ ${name}` : name, grid.left, grid.top - (i < plan.across ? above.top : 0) - line / 2);
    if (isCrossed) cross(pen, grid, colours.crossed);
    if (isChosen) outline(pen, grid, colours.chosen);
  }
  return grids;
}

function cross(pen, { left, top, w, h, down, across }, colour) {
  const [right, bottom] = [left + across * w, top + down * h];
  pen.strokeStyle = colour;
  pen.lineWidth = 2;
  for (const [from, to] of [
    [top, bottom],
    [bottom, top],
  ]) {
    const line = new Path2D();
    line.moveTo(left, from);
    line.bezierCurveTo(left, from, right, to, right, to);
    pen.stroke(line);
  }
}

function outline(pen, { left, top, w, h, down, across }, colour) {
  pen.strokeStyle = colour;
  pen.lineWidth = 2.5;
  pen.strokeRect(left - 1.5, top - 1.5, across * w + 3, down * h + 3);
}
