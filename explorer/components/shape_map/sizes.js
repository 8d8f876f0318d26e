// The drawn sizes of blocks, and the changes of their sides: no nodes, no colours.

const SCALES = [6.5, 5.5, 4.5, 3.6, 2.9, 2.3, 1.8, 1.4]; // px: the side of an axis of size 1
const SHEETS = 16; // drawn sheets of a fan at most: a label gives the number of heads
const COPIES = 3; // the same for the batch
const FAN = 22; // px that the heads' sheets may take...
const STEP = 3.5; // ... each at most
const APART = 6; // px from one sequence of the batch to the next

// A side is as long as the root of its size: in proportion to the sizes themselves, a vocabulary would dwarf six tokens.
export const sideOf = (size, scale) => Math.max(2, scale * Math.sqrt(size));

const sizeOf = (axes, name) => axes.find(([axis]) => axis === name)?.[1] ?? 1;

// Returns the largest scale with which every block is at most so wide and so high.
export function scaleFor(blocks, width, height) {
  const fits = (scale) =>
    blocks.every(({ axes }) => sideOf(axes.at(-1)[1], scale) <= width && sideOf(axes.at(-2)[1], scale) <= height);
  return SCALES.find(fits) ?? SCALES.at(-1);
}

// Returns the sides of a block's front sheet, and its sheets from the last to the front one: each is `offset` px to the right
// of the front one and above it. `deep`: the extent of all sheets.
export function shapeOf(axes, scale) {
  const heads = Math.min(SHEETS, sizeOf(axes, "head"));
  const copies = Math.min(COPIES, sizeOf(axes, "batch"));
  const step = heads > 1 ? Math.min(STEP, FAN / (heads - 1)) : 0;
  const fan = (heads - 1) * step;
  const sheets = [];
  for (let copy = copies - 1; copy >= 0; copy--) {
    for (let head = heads - 1; head >= 0; head--) sheets.push({ copy, head, offset: copy * (fan + APART) + head * step });
  }
  const [width, height] = [sideOf(axes.at(-1)[1], scale), sideOf(axes.at(-2)[1], scale)];
  return { width, height, sheets, deep: sheets[0].offset };
}

// Returns the changes in the sizes of the axes, in order: [{ name, before, now }, ...].
export function changesOf(before, now) {
  const sizes = new Map(before);
  return now
    .filter(([name, size]) => sizes.has(name) && sizes.get(name) !== size)
    .map(([name, size]) => ({
      name,
      before: sizes.get(name),
      now: size,
    }));
}

// Returns the changes of every block that existed before, by its id; a block of another layer counts as the same one.
export function changedBlocks(before, now) {
  const sameLayer = (id) => id.replace(/\.\d+\./, ".");
  const known = new Map(before.map(({ id, axes }) => [sameLayer(id), axes]));
  return new Map(
    now.map(({ id, axes }) => [id, changesOf(known.get(sameLayer(id)) ?? [], axes)]).filter(([, changes]) => changes.length),
  );
}
