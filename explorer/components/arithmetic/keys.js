// Arrow keys in the matrix.

import { clamp } from "../shared/dom.js";

// Returns the cell that a key leads to from cell [i, j] of a matrix of so many rows and columns; null for any other key.
export function cellAt(key, [i, j], [rows, columns]) {
  const steps = { ArrowUp: [i - 1, j], ArrowDown: [i + 1, j], ArrowLeft: [i, j - 1], ArrowRight: [i, j + 1] };
  const to = { ...steps, Home: [i, 0], End: [i, columns - 1], PageUp: [0, j], PageDown: [rows - 1, j] }[key];
  return to ? [clamp(0, to[0], rows - 1), clamp(0, to[1], columns - 1)] : null;
}
