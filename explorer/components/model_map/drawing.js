// Draws the model from a list of boxes and lines; a box with a target is a link.

import { svgElement } from "../shared/dom.js";

const text = (x, y, words, attributes) => svgElement("text", { x, y, text: words, ...attributes });

// share: of its width, painted behind its label, if it is given.
function box({ x, y, w, h, label, note, tone, target, name, highlighted, cut, share }, go, small) {
  const kinds = ["box", tone, target && "link", highlighted && "highlighted", cut && "cut"].filter(Boolean).join(" ");
  const link = target ? { role: "link", tabindex: small ? -1 : 0, "aria-label": name, "data-page": target.page } : {};
  const middle = x + w / 2;
  const group = svgElement(
    "g",
    { class: kinds, ...link },
    svgElement("rect", { x, y, width: w, height: h, rx: 7 }),
    ...(share === undefined ? [] : [svgElement("rect", { x, y, width: share * w, height: h, class: "share" })]),
    text(middle, y + h / 2 + (note ? -3 : small && h > 30 ? 7 : 5), label, { class: "label" }),
  );
  if (note) group.append(text(middle, y + h / 2 + 14, note, { class: "note" }));
  if (target) {
    group.onclick = () => go(target);
    group.onkeydown = (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      go(target);
    };
  }
  return group;
}

function frame({ x, y, w, h, label }, small) {
  return svgElement(
    "g",
    { class: "frame" },
    svgElement("rect", { x, y, width: w, height: h, rx: 12 }),
    text(x + w / 2, y + (small ? 23 : 18), label, { class: "title" }),
  );
}

function arrowHead(id) {
  const place = { viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" };
  const head = svgElement("path", { d: "M0,0 L8,4 L0,8 z", class: "head" });
  return svgElement("defs", {}, svgElement("marker", { id, ...place }, head));
}

const letter = ({ letter, x, y }) =>
  svgElement("g", { class: `letter ${letter}` }, svgElement("circle", { cx: x, cy: y, r: 17 }), text(x, y + 8.5, letter, {}));

// svg.go(target) is called with the target of a box that is pressed. small: as in the corner of a page.
export function draw(svg, data, small) {
  const [side, below] = small ? [12, 28] : [0, 0]; // margins that the small drawing lacks
  const head = `map-head-${small}`;
  svg.setAttribute("viewBox", `${side} 0 ${data.width - 2 * side} ${data.height - below}`);
  svg.setAttribute("aria-label", data.alt);
  svg.replaceChildren(
    arrowHead(head),
    ...data.frames.map((each) => frame(each, small)),
    ...data.lines.map((line) =>
      svgElement("path", { d: line.d, class: `line ${line.tone}`, "marker-end": line.head ? `url(#${head})` : "" }),
    ),
    ...data.shapes.map(({ x, y, text: words, anchor }) =>
      text(x, y, words, { class: "shape", style: `text-anchor: ${anchor}` }),
    ),
    ...data.boxes.map((each) => box(each, (target) => svg.go(target), small)),
    ...(data.letters ?? []).map(letter),
  );
}
