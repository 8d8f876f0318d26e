// Where words stand on the stage, and where lines begin and end. On a wide screen the source is above and the answer below, each
// in as many rows as keep it legible; on a narrow one they are two columns.

import { isNarrow } from "../shared/curves.js";
import { clamp, range } from "../shared/dom.js";

const EM = 18; // px of the stage's letters on a usual screen; on a projector all is larger in proportion
const LARGEST = 50; // px, of a word
const SMALLEST = 28; // px, below which a sentence goes on in another row
const MOST_ROWS = 4;
const LEAST_GAP = 26; // px between two words of a row
const FOOT = 72; // px from the middle of the lowest words to the foot of the stage: a gloss stands there
const BETWEEN = 46; // px between the words of two rows of an answer, a gloss among them
const LINES = 120; // px at least for the lines
const STEP = [27, 60]; // px between two words of a column, at least and at most

const pen = () => document.createElement("canvas").getContext("2d");
let measuring = null;

// Widths of words, in px, at a size of 1 px.
function widths(words, stage) {
  measuring ??= pen();
  measuring.font = `500 100px ${getComputedStyle(stage).fontFamily}`;
  return words.map((word) => measuring.measureText(word).width / 100);
}

const emOf = (stage) => Number.parseFloat(getComputedStyle(stage).fontSize) / EM;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// Returns the places in rows of about the same width.
export function broken(wide, rows) {
  const whole = sum(wide);
  const made = range(rows).map(() => []);
  let begun = 0;
  for (const [i, width] of wide.entries()) {
    made[Math.min(rows - 1, Math.floor(((begun + width / 2) / whole) * rows))].push(i);
    begun += width;
  }
  return made.filter((row) => row.length);
}

// Returns the words' indices row by row, the room that each word takes, and the size of all.
function fitted(words, glosses, stage) {
  const em = emOf(stage);
  const room = stage.clientWidth - 24;
  const largest = clamp(24, (LARGEST * room) / 1130, LARGEST * em);
  const [letters, small] = [widths(words, stage), widths(glosses, stage)];
  const taken = (i, size) => Math.max(letters[i] * size, (small[i] ?? 0) * EM * em);
  const width = (row, size) => sum(row.map((i) => taken(i, size))) + LEAST_GAP * em * (row.length - 1);
  for (let n = 1; ; n++) {
    const rows = broken(letters, n);
    let size = largest;
    while (size > 12 && rows.some((row) => width(row, size) > room)) size -= 0.5;
    if (size >= Math.min(SMALLEST * em, 0.75 * largest) || n === MOST_ROWS)
      return { rows, size, room, em, taken: (i) => taken(i, size) };
  }
}

// Returns { x, y, size } of the middle of each word, in px.
function inRows(words, glosses, stage, side) {
  const { rows, size, room, em, taken } = fitted(words, glosses, stage);
  const places = [];
  for (const [at, row] of rows.entries()) {
    const all = sum(row.map(taken));
    const gap = row.length > 1 ? clamp(LEAST_GAP * em, (room - all) / (row.length - 1), size * 2.7) : 0;
    const fromFoot = FOOT * em + (rows.length - 1 - at) * (size + BETWEEN * em);
    const y = side === "source" ? 32 * em + at * size * 1.3 : stage.clientHeight - fromFoot;
    let x = (stage.clientWidth - all - gap * (row.length - 1)) / 2;
    for (const i of row) {
      places.push({ x: x + taken(i) / 2, y, size });
      x += taken(i) + gap;
    }
  }
  return places;
}

function column(words, stage, x, room) {
  const step = Math.min(STEP[1], stage.clientHeight / Math.max(words.length, 3));
  const top = (stage.clientHeight - step * words.length) / 2;
  const size = Math.min(30, room / Math.max(...widths(words, stage), 0.1), step * 0.8);
  return range(words.length).map((i) => ({ x, y: top + step * (i + 0.5), size }));
}

export function placesOf(words, glosses, stage, side) {
  if (!isNarrow(stage)) return inRows(words, glosses, stage, side);
  const width = stage.clientWidth;
  return side === "source" ? column(words, stage, width * 0.34, width * 0.32) : column(words, stage, width * 0.6, width * 0.26);
}

// Returns the height that a sentence and its answer need, in px.
export function heightFor(source, answer, glosses, stage) {
  if (isNarrow(stage)) return STEP[0] * Math.max(source.length, answer.length);
  const [above, below] = [fitted(source, [], stage), fitted(answer, glosses, stage)];
  const { em } = above;
  const top = 32 * em + (above.rows.length - 1) * above.size * 1.3 + above.size;
  return top + LINES * em + FOOT * em + (below.rows.length - 1) * (below.size + BETWEEN * em) + below.size;
}

// Returns how many words of an answer there is room for.
export function roomFor(stage) {
  return isNarrow(stage) ? Math.max(3, Math.floor(stage.clientHeight / (STEP[0] - 4))) : Number.POSITIVE_INFINITY;
}

// Returns for each word of the new answer the place of the old one that it takes; null where there is no such place for one.
export function alignment(old, now) {
  const cost = range(old.length + 1).map((i) => range(now.length + 1).map((j) => (i && j ? 0 : i + j)));
  for (let i = 1; i <= old.length; i++) {
    for (let j = 1; j <= now.length; j++) {
      const change = cost[i - 1][j - 1] + (old[i - 1] === now[j - 1] ? 0 : 1);
      cost[i][j] = Math.min(cost[i - 1][j] + 1, cost[i][j - 1] + 1, change);
    }
  }
  const takes = [];
  for (let [i, j] = [old.length, now.length]; j > 0; ) {
    const isSame = i > 0 && old[i - 1] === now[j - 1];
    if (isSame && cost[i][j] === cost[i - 1][j - 1]) takes[--j] = --i;
    else if (i > 0 && cost[i][j] === cost[i - 1][j] + 1) i -= 1;
    else if (i > 0 && cost[i][j] === cost[i - 1][j - 1] + 1) takes[--j] = --i;
    else return null;
  }
  return takes;
}
