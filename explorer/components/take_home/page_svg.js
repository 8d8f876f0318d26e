// What is on screen as one drawing: a walk through a picture's elements, which writes each box, line, word and inner drawing where it
// stands. Canvases are drawn anew by their own view, to pens that write SVG.

import { escaped, fontOf, SvgPath, SvgPen, tag, words } from "./svg_pen.js";

const EDGE = 16; // px around the picture
const TITLE = 19; // px of the letters of its title, ...
const MODEL = 13; // ... and of the line that names the model
const LEFT_OUT =
  ".take-home, .full-screen, .tip, .player, .close, .hint, .pictures, .modes, .attention-view:not(.some) .said, " +
  ".start :is(.pill, .skip, .play, .from, .to, .ticks, form), .film > button, :is(.word-map, .one-step) .ways, input, script, style, [hidden]";
const SVG = "http://www.w3.org/2000/svg";
const COPIED = [
  ...["fill", "fill-opacity", "stroke", "stroke-width", "stroke-dasharray", "stroke-opacity", "opacity", "text-anchor"],
  ...["font-size", "font-weight", "font-family", "text-decoration-line"],
];

const ruler = (kind) => document.createElement("canvas").getContext("2d", kind);

// Returns a function that tells a colour as every reader of SVG knows it: [#rrggbb, opacity]; null for one that is not seen.
function paints() {
  const pen = ruler({ willReadFrequently: true });
  const known = new Map();
  return (css) => {
    if (!known.has(css)) {
      pen.clearRect(0, 0, 1, 1);
      pen.fillStyle = css;
      pen.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = pen.getImageData(0, 0, 1, 1).data;
      const hex = `#${[r, g, b].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
      known.set(css, css !== "none" && a ? [hex, a < 255 ? Math.round((100 * a) / 255) / 100 : undefined] : null);
    }
    return known.get(css);
  };
}

// Draws a view again, with a pen of SVG for every canvas of it; returns what they wrote.
export function redrawn(draw) {
  const pens = new Map();
  const own = globalThis.Path2D;
  globalThis.explorerPens = (canvas, width, height) => {
    if (width !== undefined && !canvas.style.width) Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    if (width !== undefined) pens.set(canvas, new SvgPen(ruler()));
    return pens.get(canvas);
  };
  globalThis.Path2D = SvgPath;
  try {
    draw();
  } finally {
    delete globalThis.explorerPens;
    globalThis.Path2D = own;
  }
  return pens;
}

// Returns a drawing of a picture's box with a title over it: { svg, width, height }. model: a line that says what was drawn;
// pens: see `redrawn`; inner: { node, svg }, a node whose drawing is given.
export function drawingOf(box, { title, model }, pens, inner) {
  const { left, top } = box.getBoundingClientRect();
  const css = getComputedStyle(box);
  const paint = paints();
  const text = css.getPropertyValue("--st-text-color");
  const width = box.clientWidth + 2 * EDGE;
  const heads = [
    [title, TITLE, 600],
    [model, MODEL, 400],
  ].filter(([line]) => line);
  const pen = ruler();
  let y = EDGE / 2;
  const written = heads.flatMap(([whole, size, weight]) =>
    lines(pen, whole, `${weight} ${size}px ${css.fontFamily}`, width - 2 * EDGE).map((line) => {
      y += 1.35 * size;
      return words(line.text, {
        x: EDGE,
        y,
        width: line.width,
        "font-size": size,
        "font-weight": weight,
        fill: paint(text)[0],
      });
    }),
  );
  const walk = new Walk({ paint, pens, inner, family: css.fontFamily, dx: EDGE - left, dy: y + EDGE - top });
  walk.children(box, { clip: null, decoration: "" });
  const height = Math.ceil(Math.max(y + box.clientHeight + EDGE, walk.bottom) + EDGE);
  const across = Math.ceil(Math.max(width, walk.right + EDGE));
  const [paper] = paint(css.getPropertyValue("--st-background-color"));
  const size = { width: across, height, viewBox: `0 0 ${across} ${height}` };
  const back = tag("rect", { width: "100%", height: "100%", fill: paper });
  const named = tag("title", {}, escaped(title));
  const font = { "font-family": css.fontFamily, "xml:space": "preserve" };
  const svg = tag("svg", { xmlns: SVG, ...size, ...font }, named + back + written.join("") + walk.parts.join(""));
  return { svg, width: across, height };
}

// Breaks a line where it is too long.
function lines(pen, whole, font, room) {
  pen.font = font;
  const made = [];
  for (const word of whole.match(/\S+\s*|[\u2e80-\uffff]/g) ?? []) {
    const longer = (made.at(-1) ?? "") + word;
    if (made.length && pen.measureText(longer).width <= room) made[made.length - 1] = longer;
    else made.push(word);
  }
  return made.map((line) => ({ text: line.trimEnd(), width: pen.measureText(line.trimEnd()).width }));
}

class Walk {
  constructor(given) {
    Object.assign(this, given, { parts: [], pen: ruler(), right: 0, bottom: 0, scales: 0 });
  }

  // Writes the children of an element in the order in which a browser paints them. around: { clip, decoration } of what they stand in.
  children(element, around) {
    const nodes = [...element.childNodes].map((node) => [depthOf(node), node]).sort(([a], [b]) => a - b);
    for (const [, node] of nodes) {
      if (node.nodeType === Node.TEXT_NODE) this.text(node, element, around);
      else if (node.nodeType === Node.ELEMENT_NODE) this.element(node, around);
    }
  }

  element(node, around) {
    if (node.matches(LEFT_OUT)) return;
    const css = getComputedStyle(node);
    if (css.display === "none" || css.visibility === "hidden" || css.opacity === "0") return;
    if (css.clipPath === "inset(50%)") return; // for screen readers
    const box = this.placed(node.getBoundingClientRect());
    const whole = this.parts;
    this.parts = [];
    if (node === this.inner?.node) this.add(tag("g", { transform: `translate(${box.x} ${box.y})` }, this.inner.svg), box);
    else if (node instanceof HTMLCanvasElement) this.canvas(node, box);
    else if (node instanceof SVGSVGElement) this.add(this.drawing(node, box), box);
    else {
      if (css.display !== "contents") this.box(node, css, box, around.clip);
      this.children(node, this.within(css, box, around));
    }
    const opacity = css.opacity === "1" ? undefined : Number(css.opacity);
    if (opacity === undefined) whole.push(...this.parts);
    else if (this.parts.length) whole.push(tag("g", { opacity }, this.parts.join("")));
    this.parts = whole;
  }

  placed({ x, y, width, height }) {
    return { x: x + this.dx, y: y + this.dy, width, height };
  }

  add(part, { x, y, width, height }) {
    this.right = Math.max(this.right, x + width);
    this.bottom = Math.max(this.bottom, y + height);
    this.parts.push(part);
  }

  // What the children of a box stand in. What is wider than its frame is drawn whole, for a file is not scrolled.
  within(css, box, { clip, decoration }) {
    const line = [decoration, css.textDecorationLine === "none" ? "" : css.textDecorationLine].filter(Boolean).join(" ");
    const hides = css.overflowY === "hidden" || (css.overflowY === "auto" && css.maxHeight !== "none");
    return { clip: hides ? cut(box, clip) : clip, decoration: line };
  }

  // --- boxes ---

  box(node, css, box, clip) {
    const { x, y, width, height } = cut(box, clip);
    if (width <= 0 || height <= 0) return;
    const rx = Number.parseFloat(css.borderTopLeftRadius) || undefined;
    const rect = (more, by = 0) =>
      this.add(tag("rect", { x: x - by, y: y - by, width: width + 2 * by, height: height + 2 * by, rx, ...more }), box);
    const fill = this.filled("fill", css.backgroundColor);
    const [, thin] = css.backgroundSize.match(/^100% ([\d.]+)px$/) ?? [];
    const stops = [...css.backgroundImage.matchAll(/((?:rgba?|color)\([^)]*\))(?: ([\d.]+)%)?/g)];
    if (thin && stops.length) {
      const line = { x, y: y + (height - thin) / 2, width, height: Number(thin) };
      this.parts.push(tag("rect", { ...line, ...this.filled("fill", stops[0][1]) }));
    } else if (stops.length && stops[0][2]) this.gradient(stops, rect);
    else if (fill) rect(fill);
    this.borders(css, box, rect);
    this.shadows(css.boxShadow, { x, y, width, height }, rect);
    if (css.outlineStyle !== "none" && !node.matches(":focus-visible")) {
      const wide = Number.parseFloat(css.outlineWidth);
      rect({ ...this.filled("stroke", css.outlineColor), fill: "none", "stroke-width": wide }, wide / 2);
    }
    this.before(node, css, box);
  }

  // Rings round a box, or within it, and sheets that seem to lie below it: shadows with sharp edges.
  shadows(css, { x, y, width, height }, rect) {
    const each = [...css.matchAll(/([a-z]+\([^)]*\)) (-?[\d.]+)px (-?[\d.]+)px 0px (-?[\d.]+)px( inset)?/g)];
    const frame = (left, top, wide, high) => `M${left} ${top}h${wide}v${high}h-${wide}z`;
    for (const [, colour, right, down, spread, inset] of each.reverse()) {
      const [dx, dy, by] = [right, down, spread].map(Number);
      const fill = this.filled("fill", colour);
      if (!fill) continue;
      if (inset) rect({ ...this.filled("stroke", colour), fill: "none", "stroke-width": by }, -by / 2);
      else {
        const outer = frame(x + dx - by, y + dy - by, width + 2 * by, height + 2 * by);
        this.parts.push(tag("path", { d: `${outer}${frame(x, y, width, height)}`, ...fill, "fill-rule": "evenodd" }));
      }
    }
  }

  borders(css, { x, y, width, height }, rect) {
    const sides = ["Top", "Right", "Bottom", "Left"].map((side) => {
      const wide = css[`border${side}Style`] === "none" ? 0 : Number.parseFloat(css[`border${side}Width`]);
      return { wide, style: css[`border${side}Style`], paint: wide ? this.filled("stroke", css[`border${side}Color`]) : null };
    });
    const alike = (side) => JSON.stringify(side) === JSON.stringify(sides[0]);
    const isFrame = sides[0].paint && alike(sides[1]) && alike(sides[2]);
    if (isFrame) {
      const [{ wide, style, paint }] = sides;
      rect({ ...paint, fill: "none", "stroke-width": wide, ...dashed(style, wide) }, -wide / 2);
    }
    const [t, r, b, l] = sides.map(({ wide }) => wide / 2);
    const ends = [
      [x, y + t, x + width, y + t],
      [x + width - r, y, x + width - r, y + height],
      [x, y + height - b, x + width, y + height - b],
      [x + l, y, x + l, y + height],
    ];
    sides.forEach(({ wide, style, paint }, at) => {
      const [x1, y1, x2, y2] = ends[at];
      if (paint && !(isFrame && alike(sides[at])))
        this.parts.push(tag("line", { x1, y1, x2, y2, ...paint, "stroke-width": wide, ...dashed(style, wide) }));
    });
  }

  // A mark before the words of a box, such as the colour of a head.
  before(node, css, { x, y, height }) {
    const mark = getComputedStyle(node, "::before");
    if (mark.content === "none" || mark.position === "absolute") return;
    const [wide, tall] = [mark.width, mark.height].map(Number.parseFloat);
    const fill = this.filled("fill", mark.backgroundColor);
    if (!fill || !(wide > 0)) return;
    const left = x + Number.parseFloat(css.borderLeftWidth) + Number.parseFloat(css.paddingLeft);
    const place = { x: left, y: y + (height - tall) / 2, width: wide, height: tall };
    const opacity = mark.opacity === "1" ? undefined : Number(mark.opacity);
    this.parts.push(tag("rect", { ...place, rx: Number.parseFloat(mark.borderTopLeftRadius), ...fill, opacity }));
  }

  gradient(stops, rect) {
    this.scales += 1;
    const id = `scale-${this.scales}`;
    const inner = stops.map(([, colour, at]) => tag("stop", { offset: `${at}%`, "stop-color": this.paint(colour)[0] }));
    this.parts.push(tag("defs", {}, tag("linearGradient", { id }, inner.join(""))));
    rect({ fill: `url(#${id})` });
  }

  // Returns a colour as the attributes of what it fills; null for one that is not seen.
  filled(name, css) {
    const [colour, opacity] = this.paint(css) ?? [];
    return colour ? { [name]: colour, [`${name}-opacity`]: opacity } : null;
  }

  // --- drawings ---

  canvas(node, box) {
    const drawn = this.pens.get(node)?.end();
    if (drawn) this.add(tag("g", { transform: `translate(${box.x} ${box.y})` }, drawn), box);
  }

  // Copies a drawing of the page with the style that it has there.
  drawing(node, { x, y, width, height }) {
    const copy = node.cloneNode(true);
    const [from, to] = [node, copy].map((each) => [each, ...each.querySelectorAll("*")]);
    for (const [at, each] of from.entries()) this.dress(each, to[at]);
    for (const [at, each] of from.entries()) if (getComputedStyle(each).display === "none") to[at].remove();
    for (const [name, value] of Object.entries({ x, y, width, height, overflow: "visible" })) copy.setAttribute(name, value);
    return new XMLSerializer().serializeToString(copy);
  }

  dress(from, to) {
    const css = getComputedStyle(from);
    for (const { name } of [...to.attributes]) {
      if (/^(class|style|role|tabindex|aria-.*|data-.*)$/.test(name) || to.getAttribute(name) === "") to.removeAttribute(name);
    }
    const shapes = "rect, path, circle, line, text, polygon, ellipse";
    if (!from.matches(`${shapes}, g, svg`)) return;
    const own = from.matches(shapes) ? COPIED : ["opacity"];
    for (const name of own) {
      const value = css.getPropertyValue(name);
      if (name === "text-decoration-line") {
        if (value !== "none") to.setAttribute("text-decoration", value);
      } else if (name === "fill" || name === "stroke") {
        const [colour, opacity] = this.paint(value) ?? ["none"];
        to.setAttribute(name, colour);
        if (opacity !== undefined) to.setAttribute(`${name}-opacity`, opacity);
      } else if (!["", "none", "normal", "1"].includes(value) && !(name.startsWith("font") && !from.matches("text"))) {
        to.setAttribute(name, value.replace(/(\d)px/g, "$1"));
      }
    }
  }

  // --- words ---

  text(node, element, { clip, decoration }) {
    if (!node.data.trim()) return;
    const css = getComputedStyle(element);
    if (css.visibility === "hidden") return;
    this.pen.font = `${css.fontWeight} ${css.fontSize} ${css.fontFamily}`;
    const { fontBoundingBoxAscent: above, fontBoundingBoxDescent: below } = this.pen.measureText("x");
    const more = {
      ...this.filled("fill", css.color),
      ...fontOf(this.pen.font),
      "font-style": css.fontStyle === "normal" ? undefined : css.fontStyle,
      "text-decoration": decoration || undefined,
    };
    delete more["font-family"];
    const upright = css.writingMode.startsWith("vertical");
    for (const line of linesOf(node, upright)) {
      const box = this.placed(line.box);
      if (clip && outside(box, clip)) continue;
      const said = css.textOverflow === "ellipsis" && clip ? this.shortened(line.text, clip.x + clip.width - box.x) : line.text;
      const width = said === line.text ? (upright ? box.height : box.width) : this.pen.measureText(said).width;
      const share = above / (above + below);
      if (upright) {
        const turned = css.rotate === "180deg"; // read from below
        const [x, y] = turned ? [box.x + share * box.width, box.y + box.height] : [box.x + (1 - share) * box.width, box.y];
        this.add(words(said, { x, y, width, transform: `rotate(${turned ? -90 : 90} ${x} ${y})`, ...more }), box);
      } else {
        this.add(words(said, { x: box.x, y: box.y + share * box.height, width, ...more }), { ...box, width });
      }
    }
  }

  shortened(text, room) {
    if (this.pen.measureText(text).width <= room + 1) return text;
    let end = text.length;
    while (end > 1 && this.pen.measureText(`${text.slice(0, end)}…`).width > room) end -= 1;
    return `${text.slice(0, end)}…`;
  }
}

// Returns how far in front of its neighbours a browser paints an element: what is placed lies over what is not.
function depthOf(node) {
  if (node.nodeType !== Node.ELEMENT_NODE) return 0;
  const { position, zIndex } = getComputedStyle(node);
  const given = Number.parseInt(zIndex, 10) || 0;
  return position === "static" ? 0 : given < 0 ? given : given + 1;
}

const dashed = (style, wide) =>
  style === "dashed" || style === "dotted" ? { "stroke-dasharray": `${3 * wide} ${2 * wide}` } : {};

// Returns the part of a box that lies in another one, if there is one.
function cut(box, clip) {
  if (!clip) return box;
  const [x, y] = [Math.max(box.x, clip.x), Math.max(box.y, clip.y)];
  const [right, bottom] = [
    Math.min(box.x + box.width, clip.x + clip.width),
    Math.min(box.y + box.height, clip.y + clip.height),
  ];
  return { x, y, width: right - x, height: bottom - y };
}

function outside(box, clip) {
  const [x, y] = [box.x + Math.min(box.width / 2, 6), box.y + box.height / 2];
  return x < clip.x || x > clip.x + clip.width || y < clip.y || y > clip.y + clip.height;
}

// Returns the lines into which the page has broken some words: [{ text, box }, ...].
function linesOf(node, upright) {
  const range = document.createRange();
  const said = node.data.trim();
  range.setStart(node, node.data.indexOf(said));
  range.setEnd(node, range.startOffset + said.length);
  if (range.getClientRects().length <= 1) return [{ text: said.replace(/\s+/g, " "), box: range.getBoundingClientRect() }];
  const found = [];
  let at = 0;
  for (const letter of node.data) {
    range.setStart(node, at);
    range.setEnd(node, at + letter.length);
    at += letter.length;
    const box = range.getBoundingClientRect();
    if (!box.width && !box.height) continue;
    const last = found.at(-1);
    const same = last && (upright ? Math.abs(last.box.x - box.x) < 2 : Math.abs(last.box.y - box.y) < 2);
    if (same) {
      last.text += letter;
      const right = Math.max(last.box.x + last.box.width, box.right);
      const bottom = Math.max(last.box.y + last.box.height, box.bottom);
      Object.assign(last.box, { width: right - last.box.x, height: bottom - last.box.y });
    } else found.push({ text: letter, box: { x: box.x, y: box.y, width: box.width, height: box.height } });
  }
  return found.filter(({ text }) => text.trim());
}
