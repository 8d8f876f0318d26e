// Where the arrow keys lead among the words.

import { clamp } from "../shared/dom.js";

const WAYS = { ArrowUp: ["down", -1], ArrowDown: ["down", 1], ArrowLeft: ["across", -1], ArrowRight: ["across", 1] };

// The word that a key leads to from another, { side, place }; null where it leads nowhere. `counts`: how many words each side
// has; `upright`: words stand in columns, one side left of the other; `bothSides`: both are there.
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
  for (const each of children) each.tabIndex = -1; // of the words of one side, one is reached by Tab; the arrows do the rest
  children[to.place].tabIndex = 0;
  children[to.place].focus();
}
