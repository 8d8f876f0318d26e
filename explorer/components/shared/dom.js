// Nodes of the page, their texts, and canvases.

// Fills in a text's named places: fill("{n} heads", { n: 8 }). A name without a value stays as it is, to be noticed.
export const fill = (template, values) => template.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

export const clamp = (low, value, high) => Math.max(low, Math.min(value, high));

export const range = (count) => Array.from({ length: count }, (_, i) => i);

export function element(name, attributes = {}, ...children) {
  return furnished(document.createElement(name), attributes, children);
}

export function svgElement(name, attributes = {}, ...children) {
  return furnished(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function furnished(node, { text, ...attributes }, children) {
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  node.append(...children);
  return node;
}

// Lays a node over a part of its parent: left, top, width and height in CSS pixels.
export function put(node, ...sides) {
  ["left", "top", "width", "height"].forEach((name, at) => {
    node.style[name] = `${sides[at]}px`;
  });
}

// Returns the pen of a canvas. While a picture is taken home it has another one, which writes (see take_home/page_svg.js).
export const penOf = (canvas, ...size) => globalThis.explorerPens?.(canvas, ...size) ?? canvas.getContext("2d");

// Returns a pen on a cleared canvas of so many CSS pixels. Browsers draw nothing on a canvas with a side of more than 16384.
export function penOn(canvas, width, height) {
  const pen = penOf(canvas, width, height);
  if (globalThis.explorerPens) return pen;
  const ratio = Math.min(globalThis.devicePixelRatio || 1, 16000 / Math.max(width, height));
  const [w, h] = [Math.ceil(width * ratio), Math.ceil(height * ratio)];
  if (canvas.width !== w || canvas.height !== h) {
    canvas.width = w;
    canvas.height = h;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
