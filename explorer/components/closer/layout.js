// Where the words of Look closer stand: the source above and the answer below, or, on a narrow stage, two columns. The word that is
// being written is large.

import { isNarrow } from "../shared/curves.js";
import { clamp, range } from "../shared/dom.js";

const LARGEST = 44; // px, of a word of the source
const GAP = [16, 150]; // px between two words of a row, at least and at most

let measuring = null;

function widthOf(text, size, font) {
  measuring ??= document.createElement("canvas").getContext("2d");
  measuring.font = `600 ${size}px ${font}`;
  return measuring.measureText(text).width;
}

const fontOf = (stage) => getComputedStyle(stage).fontFamily;

// Returns { x, y, size } of the middle of each word of a row, which shrinks until it fits.
function row(texts, sizes, stage, y) {
  const room = stage.clientWidth - 24;
  const widths = texts.map((text, i) => widthOf(text, sizes[i], fontOf(stage)));
  const sum = widths.reduce((total, width) => total + width, 0);
  const fit = Math.min(1, (room - GAP[0] * (texts.length - 1)) / sum);
  const gap = texts.length > 1 ? clamp(GAP[0], (room - sum * fit) / (texts.length - 1), GAP[1]) : 0;
  let x = (stage.clientWidth - sum * fit - gap * (texts.length - 1)) / 2;
  return widths.map((width, i) => {
    const place = { x: x + (width * fit) / 2, y, size: sizes[i] * fit };
    x += width * fit + gap;
    return place;
  });
}

function column(texts, sizes, stage, x, room) {
  const step = Math.min(52, stage.clientHeight / Math.max(texts.length, 3));
  const top = (stage.clientHeight - step * texts.length) / 2;
  return range(texts.length).map((i) => {
    const fit = Math.min(1, room / widthOf(texts[i], sizes[i], fontOf(stage)), step / (sizes[i] * 1.25));
    return { x, y: top + step * (i + 0.5), size: sizes[i] * fit };
  });
}

// Returns the places of the words of the source, and of those of the answer, of which the one `at` is being written.
export function layOut(stage, source, answer, at) {
  const { clientWidth: width, clientHeight: height } = stage;
  const now = (large, small) => answer.map((_, i) => (i === at ? large : small));
  if (isNarrow(stage))
    return [
      column(source, Array(source.length).fill(26), stage, width * 0.34, width * 0.32),
      column(answer, now(40, 18), stage, width * 0.56, width * 0.28),
    ];
  const size = clamp(24, (LARGEST * width) / 1130, LARGEST);
  return [
    row(source, Array(source.length).fill(size), stage, size * 0.7),
    row(answer, now(size * 1.65, size * 0.62), stage, height - size * 1.35),
  ];
}
