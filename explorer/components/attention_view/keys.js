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
