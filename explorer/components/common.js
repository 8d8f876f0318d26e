// What the views have in common. It stands before the code of each of them.

const fill = (template, words) => template.replace(/\{(\w+)\}/g, (_, name) => words[name] ?? "");

function element(name, { text, ...attributes } = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  if (text !== undefined) node.textContent = text;
  node.append(...children);
  return node;
}

const rgb = (hex) => hex.match(/[0-9a-f]{2}/gi).map((pair) => parseInt(pair, 16));

// How light a colour is, 0 to 1.
function luminance(colour) {
  const [r, g, b] = colour.map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// The page's own colours and font. Asking the browser what a colour is takes long, so each set is asked for once.
const looks = (window.explorerLooks ??= new Map());
function lookOf(node) {
  const css = getComputedStyle(node);
  const [text, background, primary, font] = ["text-color", "background-color", "primary-color", "font"].map(
    (name) => css.getPropertyValue(`--st-${name}`).trim());
  const set = [text, background, primary, font].join();
  if (!looks.has(set)) {
    const pen = document.createElement("canvas").getContext("2d");
    const hex = (colour) => { pen.fillStyle = colour; return pen.fillStyle; };
    const dark = luminance(rgb(hex(background))) < 0.2;
    looks.set(set, { text, primary, font, dark, name: dark ? "dark" : "light", grid: hex(text) + "26" });  // the grid: 15 % of the text's own colour
  }
  return looks.get(set);
}
