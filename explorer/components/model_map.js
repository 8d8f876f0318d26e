// Draws the model from a list of boxes and lines; a box with a target is a link.
const SVG = "http://www.w3.org/2000/svg";

function element(name, attributes, text) {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function box({ x, y, w, h, label, note, tone, target, words, lit }, go, small) {
  const link = target ? { role: "link", tabindex: small ? -1 : 0, "aria-label": words } : {};
  const group = element("g", { class: `box ${tone}${target ? " link" : ""}${lit ? " lit" : ""}`, ...link });
  group.append(element("rect", { x, y, width: w, height: h, rx: 7 }));
  const middle = x + w / 2;
  group.append(element("text", { x: middle, y: y + h / 2 + (note ? -3 : small ? 9 : 5), class: "label" }, label));
  if (note) group.append(element("text", { x: middle, y: y + h / 2 + 14, class: "note" }, note));
  if (target) {
    group.onclick = () => go(target);
    group.onkeydown = (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); go(target); } };
  }
  return group;
}

// The small drawing is one stop of the tab key, on its way to the page; from there the arrow keys go from part to part.
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

function oneStop(svg) {
  const links = [...svg.querySelectorAll(".link")];
  (links.find((each) => each.matches(".lit")) ?? links[0]).setAttribute("tabindex", 0);
  svg.onkeydown = (event) => {
    const from = links.indexOf(event.target), next = links[from + STEPS[event.key]];
    if (!(event.key in STEPS)) return;
    event.preventDefault();
    if (!next) return;
    links[from].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  };
}

export default function ({ data, parentElement, setTriggerValue }) {
  const svg = parentElement.querySelector("svg"), fold = parentElement.querySelector("details"), small = fold !== null;
  svg.go = (target) => setTriggerValue("go", target);
  const text = JSON.stringify(data);
  if (svg.drawn === text) return;  // most knobs leave it as it is: it need not be drawn again, and keeps its focus
  svg.drawn = text;
  if (small) {
    fold.querySelector("summary").textContent = data.title;
    // Folded until it is asked for where it would be in the way (a phone), or too small to be read.
    if (!fold.dataset.laid) fold.open = getComputedStyle(fold.firstElementChild).display === "none";
    fold.dataset.laid = "";
  }
  const [side, below] = small ? [12, 28] : [0, 0];  // the small one goes without its margins
  svg.setAttribute("viewBox", `${side} 0 ${data.width - 2 * side} ${data.height - below}`);
  svg.setAttribute("aria-label", data.alt);
  const marker = element("marker", { id: `map-head-${small}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" });
  marker.append(element("path", { d: "M0,0 L8,4 L0,8 z", class: "head" }));
  const defs = element("defs", {});
  defs.append(marker);
  svg.replaceChildren(
    defs,
    ...data.frames.map((frame) => {
      const group = element("g", { class: "frame" });
      group.append(element("rect", { x: frame.x, y: frame.y, width: frame.w, height: frame.h, rx: 12 }));
      group.append(element("text", { x: frame.x + frame.w / 2, y: frame.y + (small ? 23 : 18), class: "title" }, frame.label));
      return group;
    }),
    ...data.lines.map((line) => element("path", { d: line.d, class: `line ${line.tone}`, "marker-end": line.head ? `url(#map-head-${small})` : "" })),
    ...data.shapes.map((shape) => element("text", { x: shape.x, y: shape.y, class: "shape", style: `text-anchor: ${shape.anchor}` }, shape.text)),
    ...data.boxes.map((each) => box(each, (target) => svg.go(target), small)),
    ...(data.letters ?? []).map(({ letter, x, y }) => {
      const group = element("g", { class: `letter ${letter}` });
      group.append(element("circle", { cx: x, cy: y, r: 17 }), element("text", { x, y: y + 8.5 }, letter));
      return group;
    }),
  );
  if (small) oneStop(svg);
}
