// Colours: of the page's theme, of the scales for numbers, and of readable text on them.

export const rgb = (hex) => hex.match(/[0-9a-f]{2}/gi).map((pair) => parseInt(pair, 16));

// Returns the lightness of a colour (red, green, blue, each 0 to 255), from 0 to 1: the relative luminance of WCAG 2.
export function luminance(colour) {
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  const [r, g, b] = colour.map((part) => linear(part / 255));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// Returns black or white, whichever has more contrast with a colour.
export const inkOn = (colour) => (luminance(colour) > 0.179 ? "#000" : "#fff");

// Expands a scale of `stops`, [[share, "#rrggbb"], ...] from 0 to 1, to 256 colours with their ink: [["rgb(r,g,b)", ink], ...].
const scales = new Map();
export function scaleOf(stops) {
  const name = String(stops);
  if (!scales.has(name)) {
    scales.set(
      name,
      Array.from({ length: 256 }, (_, i) => {
        const colour = between(stops, i / 255);
        return [`rgb(${colour})`, inkOn(colour)];
      }),
    );
  }
  return scales.get(name);
}

// The same 256 colours as pixels of an image, and that of one colour.
const pixelScales = new Map();
export function pixelsOf(stops) {
  const name = String(stops);
  if (!pixelScales.has(name))
    pixelScales.set(
      name,
      Uint32Array.from({ length: 256 }, (_, i) => asPixel(between(stops, i / 255))),
    );
  return pixelScales.get(name);
}

export const pixelOf = (hex) => asPixel(rgb(hex));

const asPixel = ([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0; // every processor of today has the last byte first

function between(stops, share) {
  const next = Math.max(
    1,
    stops.findIndex(([at]) => at >= share),
  );
  const [[low, from], [high, to]] = [stops[next - 1], stops[next]];
  const end = rgb(to);
  const part = (share - low) / (high - low);
  return rgb(from).map((value, i) => Math.round(value + (end[i] - value) * part));
}

// The page's own colours and font. Computing a colour takes long in browsers, so each set is computed once a page.
globalThis.explorerLooks ??= new Map();
export function lookOf(node) {
  const css = getComputedStyle(node);
  const names = ["text-color", "background-color", "primary-color", "font"];
  const [text, background, primary, font] = names.map((name) => css.getPropertyValue(`--st-${name}`).trim());
  const set = [text, background, primary, font].join();
  const looks = globalThis.explorerLooks;
  if (!looks.has(set)) {
    const pen = document.createElement("canvas").getContext("2d");
    const hex = (colour) => {
      pen.fillStyle = colour;
      return pen.fillStyle;
    };
    const name = luminance(rgb(hex(background))) < 0.2 ? "dark" : "light";
    looks.set(set, { text, primary, font, name, dark: name === "dark", grid: `${hex(text)}26` }); // 26: an opacity of 15 %
  }
  return looks.get(set);
}
