// A pen that writes SVG: it has of a canvas's pen what our pictures draw with, so that the same functions draw to it. Its lengths are
// CSS pixels.

const SHORT = /^[\w×]{1,2}$/; // words that are as wide in every font, as far as one sees
const SAME = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

// Escapes words for XML, and leaves out the signs that it cannot hold.
export const escaped = (words) =>
  String(words)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are meant
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])/g, "")
    .replace(/(?<![\ud800-\udbff])[\udc00-\udfff]/g, "")
    .replace(/[&<>"]/g, (sign) => SAME[sign]);

export const digits = (number) => String(Math.round(number * 100) / 100);

// Returns an element of SVG; attributes that are undefined or null are left out.
export function tag(name, attributes, inner = "") {
  const given = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  const written = given.map(([key, value]) => ` ${key}="${typeof value === "number" ? digits(value) : escaped(value)}"`);
  return `<${name}${written.join("")}${inner === "" ? "/>" : `>${inner}</${name}>`}`;
}

// Returns words where they begin, `width` px wide in whatever font is found where they are read.
export function words(text, { x, y, width, ...more }) {
  return tag("text", { x, y, ...(width && !SHORT.test(text) ? fitted(width) : {}), ...more }, escaped(text));
}

const fitted = (textLength) => ({ textLength, lengthAdjust: "spacingAndGlyphs" });

// Returns a colour as attributes; not all readers know one that holds its own opacity, #rrggbbaa.
function seen(name, colour) {
  const [, opaque, share] = /^(#[\da-f]{6})([\da-f]{2})$/i.exec(colour) ?? [];
  return opaque ? { [name]: opaque, [`${name}-opacity`]: Number.parseInt(share, 16) / 255 } : { [name]: colour };
}

// In place of a browser's Path2D, whose course cannot be read.
export class SvgPath {
  constructor() {
    this.d = "";
  }

  moveTo(x, y) {
    this.d += `M${digits(x)} ${digits(y)}`;
  }

  bezierCurveTo(...points) {
    this.d += `C${points.map(digits).join(" ")}`;
  }
}

export class SvgPen {
  // ruler: a pen of a canvas, which measures words.
  constructor(ruler) {
    Object.assign(this, { ruler, parts: [], cells: new Map(), states: [], transform: "" });
    Object.assign(this, { fillStyle: "#000", strokeStyle: "#000", globalAlpha: 1, lineWidth: 1, dashes: [] });
    Object.assign(this, { font: "10px sans-serif", textAlign: "left", textBaseline: "alphabetic" });
  }

  get opacity() {
    return this.globalAlpha < 1 ? this.globalAlpha : undefined;
  }

  get turned() {
    return this.transform || undefined;
  }

  // Returns all that was drawn.
  end() {
    this.flush();
    return this.parts.join("");
  }

  // Cells of one colour are one path, which is a third as long.
  flush() {
    for (const [fill, d] of this.cells) this.parts.push(tag("path", { d, ...seen("fill", fill) }));
    this.cells.clear();
  }

  add(part) {
    this.flush();
    this.parts.push(part);
  }

  clearRect() {
    this.parts = [];
    this.cells.clear();
  }

  fillRect(x, y, width, height) {
    if (width <= 0 || height <= 0) return;
    const [w, h] = [digits(width), digits(height)];
    if (this.turned || this.opacity !== undefined) {
      this.add(tag("rect", { x, y, width, height, ...this.inside }));
      return;
    }
    const before = this.cells.get(this.fillStyle) ?? "";
    this.cells.set(this.fillStyle, `${before}M${digits(x)} ${digits(y)}h${w}v${h}h-${w}z`);
  }

  strokeRect(x, y, width, height) {
    this.add(tag("rect", { x, y, width, height, fill: "none", ...this.line }));
  }

  get line() {
    const dashes = this.dashes.length ? this.dashes.map(digits).join(" ") : undefined;
    const { strokeStyle, lineWidth, opacity, turned } = this;
    return {
      ...seen("stroke", strokeStyle),
      "stroke-width": lineWidth,
      "stroke-dasharray": dashes,
      opacity,
      transform: turned,
    };
  }

  get inside() {
    return { ...seen("fill", this.fillStyle), opacity: this.opacity, transform: this.turned };
  }

  setLineDash(dashes) {
    this.dashes = dashes;
  }

  beginPath() {
    this.boxes = [];
  }

  roundRect(x, y, width, height, rx) {
    this.boxes.push({ x, y, width, height, rx });
  }

  fill() {
    for (const box of this.boxes) this.add(tag("rect", { ...box, ...this.inside }));
  }

  stroke(path) {
    this.add(tag("path", { d: path.d, fill: "none", ...this.line }));
  }

  measureText(text) {
    this.ruler.font = this.font;
    return this.ruler.measureText(text);
  }

  fillText(given, at, y) {
    const text = given.trimEnd(); // a reader of SVG drops a blank at the end
    const { width } = this.measureText(text);
    const x = this.textAlign === "right" ? at + width - this.measureText(given).width : at;
    const anchor = { right: "end", center: "middle" }[this.textAlign];
    const down = this.textBaseline === "middle" ? 0.33 * fontOf(this.font)["font-size"] : 0; // not all readers know baselines
    this.add(
      words(text, {
        x,
        y: y + down,
        width,
        "text-anchor": anchor,
        ...fontOf(this.font),
        ...this.inside,
      }),
    );
  }

  save() {
    this.states.push(this.transform);
  }

  restore() {
    this.transform = this.states.pop() ?? "";
  }

  translate(x, y) {
    this.transform += `translate(${digits(x)} ${digits(y)})`;
  }

  rotate(angle) {
    this.transform += `rotate(${digits((180 * angle) / Math.PI)})`;
  }
}

// Returns the font of a pen, "600 12px serif", as attributes.
export function fontOf(font) {
  const [, weight, size, family] = font.match(/^(?:(\S+) )?([\d.]+)px (.*)$/);
  return { "font-size": Number(size), "font-weight": weight, "font-family": family };
}
