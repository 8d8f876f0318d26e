// The words of a drawing as outlines. A reader of SVG has other fonts than the page, few of them take a font that a file brings, and
// not all fit words to a given width: what is written as text overlaps or is cut elsewhere.

import { escaped, tag } from "./svg_pen.js";

const GLYPHS = "assets/glyphs.json";
const EM = 1000; // units of an outline for the size of its letter
const SLANT = -12; // degrees, in place of an italic
const FAMILY = /^["']?Source Sans/; // whose letters they are

let known; // weight -> letter -> its course, once they are here

const fetched = async () => {
  const answer = await fetch(new URL(GLYPHS, document.baseURI));
  if (!answer.ok) throw new Error(`${GLYPHS}: ${answer.status}`);
  return answer.json();
};

// Returns a drawing whose words need no font, but for letters that are not known here, such as Chinese ones: they stay text, each row
// of them where it stood. A group of outlines says its words as its label.
export async function outlined(svg) {
  known ??= await fetched(); // where that fails, the next drawing tries again
  const holder = document.createElement("div");
  holder.style = "position: fixed; left: 0; top: 0; visibility: hidden; pointer-events: none;";
  const drawing = new DOMParser().parseFromString(svg, "image/svg+xml").documentElement;
  drawing.style.fontVariantLigatures = "none"; // each letter has its own place
  holder.attachShadow({ mode: "open" }).append(drawing); // no style of the page reaches it there
  document.body.append(holder);
  const courses = new Map();
  try {
    const texts = [...drawing.querySelectorAll("text")];
    const written = texts.map((text) => outlineOf(text, known, courses)); // all are measured before one is replaced
    for (const [at, inner] of written.entries()) {
      const group = document.createElementNS(drawing.namespaceURI, "g");
      texts[at].replaceWith(group);
      group.outerHTML = inner;
    }
    const defs = document.createElementNS(drawing.namespaceURI, "defs");
    drawing.insertBefore(defs, drawing.querySelector(":scope > title")?.nextSibling ?? drawing.firstChild);
    defs.innerHTML = [...courses].map(([id, d]) => tag("path", { id, d })).join("");
    drawing.removeAttribute("style");
    drawing.setAttribute("xmlns:xlink", "http://www.w3.org/1999/xlink");
    return new XMLSerializer().serializeToString(drawing);
  } finally {
    holder.remove();
  }
}

// Writes the outlines of one text; courses: id -> course, to which it adds the letters that it needs.
function outlineOf(text, glyphs, courses) {
  const rows = [];
  for (const letter of lettersOf(text)) {
    const { weight, family, code } = letter;
    const d = FAMILY.test(family) ? glyphs[weight][letter.said] : undefined;
    if (d) courses.set(`g${weight}-${code}`, d);
    const kind = d !== undefined ? "outlined" : letter.said.trim() && letter.said !== "\u200b" ? "text" : "blank";
    const last = rows.at(-1);
    if (last?.kind === kind && last.letters[0].element === letter.element) last.letters.push(letter);
    else rows.push({ kind, letters: [letter] });
  }
  const inner = rows.map(({ kind, letters }) =>
    kind === "blank" ? "" : kind === "text" ? asText(letters) : asOutlines(letters),
  );
  const own = {
    transform: text.getAttribute("transform"),
    opacity: text.getAttribute("opacity") ?? (text.style.opacity || null),
  };
  return tag("g", { role: "img", "aria-label": text.textContent, ...own }, inner.join("") + decorationOf(text));
}

// Yields the letters of a text with their places, as a browser lays them out.
function* lettersOf(text) {
  const walk = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
  const count = text.getNumberOfChars();
  for (let at = 0; walk.nextNode(); ) {
    const element = walk.currentNode.parentElement;
    const css = getComputedStyle(element);
    const style = { element, fill: css.fill, "fill-opacity": css.fillOpacity === "1" ? undefined : Number(css.fillOpacity) };
    const [size, bold, family] = [Number.parseFloat(css.fontSize), Number(css.fontWeight), css.fontFamily];
    const weight = bold < 500 ? 400 : bold < 700 ? 600 : 700;
    for (const said of walk.currentNode.data) {
      if (at >= count) return;
      const { x, y } = text.getStartPositionOfChar(at);
      const slanted = css.fontStyle === "italic";
      yield { said, code: said.codePointAt(0).toString(16), x, y, ...style, size, weight, family, slanted };
      at += said.length;
    }
  }
}

function asOutlines(letters) {
  const [{ x, y, size, slanted, fill, weight, "fill-opacity": opacity }] = letters;
  const scale = size / EM;
  const uses = letters.map((letter) => {
    const to = Math.round((letter.x - x) / scale);
    return tag("use", { "xlink:href": `#g${weight}-${letter.code}`, x: to || undefined });
  });
  const slant = slanted ? ` skewX(${SLANT})` : "";
  const transform = `translate(${x.toFixed(2)} ${y.toFixed(2)}) scale(${scale})${slant}`;
  return tag("g", { transform, fill, "fill-opacity": opacity }, uses.join(""));
}

function asText(letters) {
  const [{ x, y, size, slanted, fill, weight, family, "fill-opacity": opacity }] = letters;
  const font = {
    "font-size": size,
    "font-weight": weight,
    "font-family": family,
    "font-style": slanted ? "italic" : undefined,
  };
  const said = letters.map((letter) => letter.said).join("");
  return tag("text", { x, y, ...font, fill, "fill-opacity": opacity }, escaped(said));
}

// Draws the line below or through a text.
function decorationOf(text) {
  const css = getComputedStyle(text);
  const line = css.textDecorationLine;
  if (!line || line === "none" || !text.getNumberOfChars()) return "";
  const size = Number.parseFloat(css.fontSize);
  const { x, y } = text.getStartPositionOfChar(0);
  const width = text.getEndPositionOfChar(text.getNumberOfChars() - 1).x - x;
  const heights = { underline: 0.12, "line-through": -0.24 };
  const drawn = Object.keys(heights).filter((name) => line.includes(name));
  return drawn
    .map((name) => tag("rect", { x, y: y + heights[name] * size, width, height: size / 16, fill: css.fill }))
    .join("");
}
