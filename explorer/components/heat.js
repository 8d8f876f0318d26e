// Draws numbers as coloured cells on a canvas: words beside them, digits written in where they fit. Needs common.js.

const LABEL = 13, DIGITS = 11.5, SLANT = -Math.PI / 3.6;  // px, px, rad

// A scale of `stops` as 256 colours, each with the ink, black or white, that is easier to read on it.
const inks = new Map();
function inksOf(stops) {
  const name = String(stops);
  if (!inks.has(name)) {
    inks.set(name, Array.from({ length: 256 }, (_, i) => {
      const share = i / 255, next = Math.max(1, stops.findIndex(([at]) => at >= share));
      const [[low, from], [high, to]] = [stops[next - 1], stops[next]];
      const end = rgb(to), part = (share - low) / (high - low);
      const colour = rgb(from).map((value, j) => Math.round(value + (end[j] - value) * part));
      return [`rgb(${colour})`, luminance(colour) > 0.179 ? "#000" : "#fff"];
    }));
  }
  return inks.get(name);
}

// Fills `canvas` with a table of numbers; returns where its cells lie: { left, top, w, h }.
//   value(row, column) -> number, or NaN for a cell that is masked; rows, columns: labels, or an empty list for none
//   low, high, stops: the scale; room: px across at most; cell: a cell's least and most width and its height, null for square
//   cells; decimals: null for no digits
function heat(canvas, { value, size: [down, across], rows, columns, stops, low, high, masked, look, room, cell, decimals }) {
  const pen = canvas.getContext("2d");
  const font = (px, weight = "") => { pen.font = `${weight} ${px}px ${look.font}`; };
  font(LABEL);
  const widest = (labels) => Math.ceil(Math.max(0, ...labels.map((label) => pen.measureText(label).width)));
  const left = rows.length ? Math.min(widest(rows), room * 0.28) + 8 : 0;
  const long = Math.min(widest(columns), 110);
  const [least, most, height] = cell;
  const fit = (slanted) => Math.min(most, (room - left - (slanted ? long * Math.cos(SLANT) : 0)) / across);
  const slanted = columns.length > 0 && long > fit(false) - 6;
  const w = Math.max(least, fit(slanted) > 6 ? Math.floor(fit(slanted)) : fit(slanted)), h = height ?? Math.min(w, 40);
  const top = !columns.length ? 0 : slanted ? Math.ceil(-long * Math.sin(SLANT)) + 16 : LABEL + 10;
  const sides = [Math.ceil(left + w * across + (slanted ? long * Math.cos(SLANT) : 0)), Math.ceil(top + h * down) + 1];

  const sharp = Math.min(devicePixelRatio || 1, 16000 / Math.max(...sides));  // browsers draw nothing on a larger one
  [canvas.width, canvas.height] = sides.map((side) => side * sharp);
  [canvas.style.width, canvas.style.height] = sides.map((side) => `${side}px`);
  pen.scale(sharp, sharp);
  const colours = inksOf(stops), gap = w >= 8 && h >= 8 ? 1 : 0;
  const digits = decimals !== null && h >= 15 && w >= 9 + 6.4 * (decimals + 2);
  const index = (number) => Math.round(255 * Math.min(1, Math.max(0, (number - low) / (high - low || 1))));
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  font(DIGITS);
  for (let i = 0; i < down; i++) {
    for (let j = 0; j < across; j++) {
      const number = value(i, j), open = !Number.isNaN(number);
      const [paper, ink] = open ? colours[index(number)] : [masked.cell, masked.mark];
      pen.fillStyle = paper;
      pen.fillRect(left + j * w, top + i * h, w - gap, h - gap);
      const word = !open ? (w >= 10 ? "×" : "") : digits ? written(number, decimals) : "";
      if (!word) continue;
      pen.fillStyle = ink;
      pen.fillText(word, left + (j + 0.5) * w, top + (i + 0.5) * h);
    }
  }
  font(LABEL);
  pen.fillStyle = look.text;
  pen.textAlign = "right";
  every(rows, h, (label, i) => pen.fillText(shortened(pen, label, left - 8), left - 7, top + (i + 0.5) * h));
  every(columns, w, (label, j) => {
    pen.save();
    pen.translate(left + (j + 0.5) * w, top - (slanted ? 6 : 9));
    pen.textAlign = slanted ? "left" : "center";
    if (slanted) pen.rotate(SLANT);
    pen.fillText(shortened(pen, label, slanted ? long : w), 0, 0);
    pen.restore();
  });
  return { left, top, w, h };
}

// As many labels as have room.
function every(labels, step, draw) {
  const stride = Math.ceil((LABEL + 1) / step);
  for (let i = 0; i < labels.length; i += stride) draw(labels[i], i);
}

function shortened(pen, label, room) {
  if (pen.measureText(label).width <= room) return label;
  let end = label.length;
  while (end > 1 && pen.measureText(label.slice(0, end) + "…").width > room) end -= 1;
  return label.slice(0, end) + "…";
}

// What would only read 0.00 is left out, so that the eye finds the rest.
function written(number, decimals) {
  return number === 0 ? "0" : Math.abs(number) < 0.5 * 10 ** -decimals ? "" : number.toFixed(decimals).replace("-", "−");
}
