// Arrow keys among the blocks.

const ORDER = { ArrowRight: 1, ArrowLeft: -1 };
const LINES = { ArrowDown: 1, ArrowUp: -1 };

// Returns the index of the block that a key leads to; null for none. Left and right follow the reading order, up and down lead
// to the nearest block of the line above or below. boxes: { left, right, top, bottom } of every block, in reading order.
export function blockAt(key, place, boxes) {
  if (key === "Home") return 0;
  if (key === "End") return boxes.length - 1;
  if (key in ORDER) return boxes[place + ORDER[key]] ? place + ORDER[key] : null;
  if (!(key in LINES)) return null;
  const from = boxes[place];
  const beyond = (box) => (LINES[key] > 0 ? box.top - from.bottom : from.top - box.bottom);
  const aside = (box) => Math.abs(box.left + box.right - from.left - from.right) / 2;
  const away = (box) => (beyond(box) < -1 ? Number.POSITIVE_INFINITY : 2 * beyond(box) + aside(box));
  const nearest = boxes.reduce((best, box, i) => (away(box) < away(boxes[best]) ? i : best), place);
  return away(boxes[nearest]) < Number.POSITIVE_INFINITY && nearest !== place ? nearest : null;
}
