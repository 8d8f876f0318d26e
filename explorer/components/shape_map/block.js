// One tensor: a button with its name, its sheets drawn to scale, and the names of its sides.

import { element, fill, svgElement } from "../shared/dom.js";
import { APART, shapeOf, sideOf } from "./sizes.js";

const EDGE = 1; // px around a drawing, for its outlines
const TALL = 30; // px to the right that the name of an axis takes which leads into the depth, with letters of the usual size
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

// Builds a block's button. look: the scale of its sides, and the size of letters relative to the usual one.
export function blockButton(block, first, changes, look, texts) {
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
    sideName(axes.at(-2)[0], changed, "down"),
    drawn(axes, changed, look),
    sideName(axes.at(-1)[0], changed, "across"),
  );
}

// Breaks a long name after its underscore.
function broken(label) {
  if (label.length <= LONG) return [label];
  return label.split(/(?<=_)/).flatMap((part, i) => (i ? [element("wbr"), part] : [part]));
}

function markOf(change) {
  return change ? (change.now > change.before ? " ▲" : " ▼") : "";
}

function sideName(name, changed, place) {
  const mark = markOf(changed.get(name));
  return element("span", { class: `side ${place}${mark ? " changed" : ""}`, text: name + mark });
}

// Draws the sheets of a block from the last to the front one. Additions are filled: at the sides of the front sheet, or whole
// sheets; if it was larger before, the old outline is dashed.
function drawn(axes, changed, { scale, type }) {
  const { width, height, sheets, fan, deep } = shapeOf(axes, scale);
  const before = (name, now) => (changed.has(name) ? sideOf(changed.get(name).before, scale) : now);
  const [was, stood] = [before(axes.at(-1)[0], width), before(axes.at(-2)[0], height)];
  const names = axes.slice(0, -2).filter(([, size]) => size > 1);
  const aside = names.length ? Math.max(deep + 4, type * TALL + (names.length - 1) * (fan + APART)) : 0;
  const [right, down] = [Math.max(width, was), Math.max(height, stood)];
  const top = Math.max(deep, aside - height);
  const [w, h] = [right + aside + 2 * EDGE, down + top + 2 * EDGE];
  const svg = svgElement("svg", { width: w, height: h, viewBox: `${-EDGE} ${-EDGE - top} ${w} ${h}`, "aria-hidden": "true" });
  const rect = (name, x, y, across, tall) => svg.append(svgElement("rect", { class: name, x, y, width: across, height: tall }));
  const known = (name) => changed.get(name)?.before ?? Number.POSITIVE_INFINITY;
  for (const { copy, head, offset } of sheets) {
    const added = copy >= known("batch") || head >= known("head");
    rect(added ? "sheet added" : "sheet", offset, -offset, width, height);
  }
  if (width > was) rect("added", was, 0, width - was, height);
  if (height > stood) rect("added", 0, stood, Math.min(width, was), height - stood);
  if (width < was || height < stood) rect("ghost", 0, 0, was, stood);
  names.reverse().forEach(([name], i) => {
    svg.append(depthName(name, changed, width + 7 + i * (fan + APART), height + 5 - i * (fan + APART)));
  });
  return svg;
}

// Writes the name of an axis that leads into the depth, along the lower right edges of the sheets.
function depthName(name, changed, x, y) {
  const mark = markOf(changed.get(name));
  const place = { x, y, transform: `rotate(-45 ${x} ${y})` };
  return svgElement("text", { class: `side${mark ? " changed" : ""}`, text: name + mark, ...place });
}
