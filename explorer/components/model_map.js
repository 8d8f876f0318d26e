// Draws the model from a list of boxes and lines; a box with a target is a link.
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function box({ x, y, w, h, label, note, tone, target, words }, go) {
  const group = element("g", target ? { class: `box ${tone} link`, role: "link", tabindex: 0, "aria-label": words } : { class: `box ${tone}` });
  group.append(element("rect", { x, y, width: w, height: h, rx: 7 }));
  const middle = x + w / 2;
  group.append(element("text", { x: middle, y: y + h / 2 + (note ? -3 : 5), class: "label" }, label));
  if (note) group.append(element("text", { x: middle, y: y + h / 2 + 14, class: "note" }, note));
  if (target) {
    group.onclick = () => go(target);
    group.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(target); } };
  }
  return group;
}

export default function ({ data, parentElement, setTriggerValue }) {
  const svg = parentElement.querySelector("svg");
  svg.setAttribute("viewBox", `0 0 ${data.width} ${data.height}`);
  svg.setAttribute("aria-label", data.alt);
  const marker = element("marker", { id: "map-head", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" });
  marker.append(element("path", { d: "M0,0 L8,4 L0,8 z", class: "head" }));
  const defs = element("defs", {});
  defs.append(marker);
  const go = (target) => setTriggerValue("go", target);
  svg.replaceChildren(
    defs,
    ...data.frames.map((frame) => {
      const group = element("g", { class: "frame" });
      group.append(element("rect", { x: frame.x, y: frame.y, width: frame.w, height: frame.h, rx: 12 }));
      group.append(element("text", { x: frame.x + frame.w / 2, y: frame.y + 18, class: "title" }, frame.label));
      return group;
    }),
    ...data.lines.map((line) => element("path", { d: line.d, class: `line ${line.tone}`, "marker-end": line.head ? "url(#map-head)" : "" })),
    ...data.shapes.map((shape) => element("text", { x: shape.x, y: shape.y, class: "shape", style: `text-anchor: ${shape.anchor}` }, shape.text)),
    ...data.boxes.map((each) => box(each, go)),
  );
}
