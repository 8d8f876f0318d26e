// Arrow keys among the words.

import { clamp } from "../shared/dom.js";

const WAYS = { ArrowUp: ["down", -1], ArrowDown: ["down", 1], ArrowLeft: ["across", -1], ArrowRight: ["across", 1] };

// Returns the word that a key leads to from another, { side, place }; null if it leads nowhere. `counts`: the number of words
// on each side; `upright`: words are in columns, side by side; `bothSides`: both sides are shown.
export function wordAt(key, { side, place }, { counts, upright, bothSides }) {
  const last = counts[side] - 1;
  if (key === "Home") return { side, place: 0 };
  if (key === "End") return { side, place: last };
  const [direction, by] = WAYS[key] ?? [];
  if (direction === undefined) return null;
  if (direction === (upright ? "down" : "across")) return { side, place: clamp(0, place + by, last) };
  if (!bothSides) return null;
  const other = by < 0 ? "query" : "key";
  return { side: other, place: Math.min(place, counts[other] - 1) };
}

// Moves the focus from the word that has it.
export function focusByKey({ attention, upright, bothSides, lists }, event) {
  const word = event.target.closest(".word");
  if (!word || event.ctrlKey || event.metaKey || event.altKey) return;
  const counts = { query: attention.queries, key: attention.keys };
  const from = { side: word.dataset.axis, place: Number(word.dataset.place) };
  const to = wordAt(event.key, from, { counts, upright, bothSides });
  if (!to) return;
  event.preventDefault();
  const { children } = lists[to.side];
  for (const each of children) each.tabIndex = -1; // Tab reaches one word of each side, the arrow keys the others
  children[to.place].tabIndex = 0;
  children[to.place].focus();
}
