// One tensor: a button with its name, its sheets drawn to scale, and its shape in figures.

import { element, fill, svgElement } from "../shared/dom.js";
import { shapeOf, sideOf } from "./sizes.js";

const EDGE = 1; // px around a drawing, for its outlines
const LONG = 9; // letters of a name that stay in one line
const SIGNS = { k: "", v: "", q: "", positions: "+", tokens: "", norm_in: "" }; // the sign before a block; an arrow by default

// Returns the words for a block and its axes, with its changes.
export function blockWords({ id, axes }, changes, texts) {
  const sizes = axes.map(([name, size]) => fill(texts.axis, { name, size }));
  return [
    fill(texts.block, { name: id, axes: sizes.join(texts.separator) }),
    ...changes.map((each) => changeWords(each, texts)),
  ].join(texts.separator);
}

export const changeWords = (change, texts) => fill(change.now > change.before ? texts.grew : texts.shrank, change);

// Builds a block's button, its sides drawn to this scale.
export function blockButton(block, first, changes, scale, texts) {
  const { id, label, axes } = block;
  const changed = new Map(changes.map((each) => [each.name, each]));
  const words = blockWords(block, changes, texts);
  const sign = first ? "" : (SIGNS[label] ?? "→");
  return element(
    "button",
    {
      type: "button",
      class: `block${block.after ? " after" : ""}`,
      tabindex: -1,
      "data-id": id,
      "aria-label": words,
      title: words,
    },
    element("span", { class: "sign", text: sign, "aria-hidden": "true" }),
    element("span", { class: "name" }, ...broken(label)),
    drawn(axes, changed, scale),
    figures(axes, changed),
  );
}

// Breaks a long name after its underscore.
function broken(label) {
  if (label.length <= LONG) return [label];
  return label.split(/(?<=_)/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
}

// Writes the shape, with a mark after each size that has changed.
function figures(axes, changed) {
  const sizes = axes.flatMap(([name, size], i) => {
    const change = changed.get(name);
    const mark = change ? (change.now > change.before ? "▲" : "▼") : "";
    return [...(i ? [", "] : []), change ? element("b", { text: `${size}${mark}` }) : String(size)];
  });
  return element("span", { class: "shape", "aria-hidden": "true" }, "(", ...sizes, ")");
}

// Draws the sheets of a block from the last to the front one. Additions are filled: at the sides of the front sheet, or whole
// sheets; if it was larger before, the old outline is dashed.
function drawn(axes, changed, scale) {
  const { width, height, sheets, deep } = shapeOf(axes, scale);
  const before = (name, now) => (changed.has(name) ? sideOf(changed.get(name).before, scale) : now);
  const [was, stood] = [before(axes.at(-1)[0], width), before(axes.at(-2)[0], height)];
  const [w, h] = [Math.max(width, was) + deep + 2 * EDGE, Math.max(height, stood) + deep + 2 * EDGE];
  const svg = svgElement("svg", { width: w, height: h, viewBox: `${-EDGE} ${-EDGE - deep} ${w} ${h}`, "aria-hidden": "true" });
  const rect = (name, x, y, across, tall) => svg.append(svgElement("rect", { class: name, x, y, width: across, height: tall }));
  const known = (name) => changed.get(name)?.before ?? Number.POSITIVE_INFINITY;
  for (const { copy, head, offset } of sheets) {
    const added = copy >= known("batch") || head >= known("head");
    rect(added ? "sheet added" : "sheet", offset, -offset, width, height);
  }
  if (width > was) rect("added", was, 0, width - was, height);
  if (height > stood) rect("added", 0, stood, Math.min(width, was), height - stood);
  if (width < was || height < stood) rect("ghost", 0, 0, was, stood);
  return svg;
}
