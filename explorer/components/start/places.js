// Where words stand on the stage, and where lines begin and end. On a wide screen the source is a row above, the answer a row
// below; on a narrow one they are two columns.

import { isNarrow } from "../shared/curves.js";
import { clamp, range } from "../shared/dom.js";

const LARGEST = 50; // px, of a word
const LEAST_GAP = 26; // px between two words of a row
const ROW_AT_MOST = 60; // px between two words of a column

const pen = () => document.createElement("canvas").getContext("2d");
let measuring = null;

function widths(words, size, font) {
  measuring ??= pen();
  measuring.font = `500 ${size}px ${font}`;
  return words.map((word) => measuring.measureText(word).width);
}

// Returns { x, y, size } of the middle of each word, in px.
function row(words, stage, y) {
  const room = stage.clientWidth - 24;
  const size = clamp(24, (LARGEST * room) / 1130, LARGEST);
  const found = widths(words, size, getComputedStyle(stage).fontFamily);
  const sum = found.reduce((total, width) => total + width, 0);
  const fit = Math.min(1, (room - LEAST_GAP * (words.length - 1)) / sum);
  const gap = words.length > 1 ? clamp(LEAST_GAP, (room - sum * fit) / (words.length - 1), size * 2.7) : 0;
  let x = (stage.clientWidth - sum * fit - gap * (words.length - 1)) / 2;
  return found.map((width) => {
    const place = { x: x + (width * fit) / 2, y, size: size * fit };
    x += width * fit + gap;
    return place;
  });
}

function column(words, stage, x, room) {
  const step = Math.min(ROW_AT_MOST, stage.clientHeight / Math.max(words.length, 3));
  const top = (stage.clientHeight - step * words.length) / 2;
  const widest = Math.max(...widths(words, 30, getComputedStyle(stage).fontFamily), 1);
  const size = Math.min(30, (30 * room) / widest, step * 0.8);
  return range(words.length).map((i) => ({ x, y: top + step * (i + 0.5), size }));
}

export function placesOf(words, stage, side) {
  const { clientWidth: width, clientHeight: height } = stage;
  if (isNarrow(stage))
    return side === "source"
      ? column(words, stage, width * 0.34, width * 0.32)
      : column(words, stage, width * 0.6, width * 0.26);
  return row(words, stage, side === "source" ? 32 : height - 72);
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
