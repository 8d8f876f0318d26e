// A picture as a page of its own: one file with the view's code and its data, which needs no server. It still answers the pointer,
// and shows the cuts that the data holds.

import { element } from "../shared/dom.js";

const VIEW_PARTS = "assets/views";
const KIND = { Float32Array: "f4", Float64Array: "f8", Int8Array: "i1", Int16Array: "i2", Int32Array: "i4" };
Object.assign(KIND, { Uint8Array: "u1", Uint16Array: "u2", Uint32Array: "u4" });
const CHUNK = 32_768; // bytes that become letters at once

const textOf = async (address) => {
  const answer = await fetch(new URL(address, document.baseURI));
  if (!answer.ok) throw new Error(`${address}: ${answer.status}`);
  return answer.text();
};

function inBase64(bytes) {
  let letters = "";
  for (let at = 0; at < bytes.length; at += CHUNK) letters += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return btoa(letters);
}

// Packs an array that came in a frame, as `unpack` reads it from a page's data.
function packed({ values, shape }) {
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return { dtype: KIND[values.constructor.name], bdata: inBase64(bytes), shape: shape.join() };
}

// Writes data as a script says it, where no text can end the script.
const scriptOf = (data) =>
  JSON.stringify(data, (_, value) => (ArrayBuffer.isView(value?.values) ? packed(value) : value)).replaceAll("<", "\\u003c");
const inScript = (code) => code.replace(/<(?=\/script|!--)/gi, "\\x3C");

// Packs a script that is long, so that a file is half as large.
async function squeezed(text) {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream("gzip"));
  return inBase64(new Uint8Array(await new Response(packed).arrayBuffer()));
}

// Returns the theme as the page has it: the values of all its variables that the view's style names.
function themeOf(box, css) {
  const has = getComputedStyle(box);
  const names = new Set(css.match(/--[\w-]+/g));
  const all = ["--st-text-color", "--st-background-color", "--st-primary-color", "--st-font", "--accent", ...names];
  const values = all.map((name) => [name, has.getPropertyValue(name).trim()]).filter(([, value]) => value);
  return [...new Map(values)].map(([name, value]) => `${name}: ${value};`).join(" ");
}

// Returns the file. box: of the picture; numbers: newer ones than the page's, if any; title, shows, address: what is said of it;
// still: its drawing.
export async function pageOf(box, numbers, { title, shows, address, says }, still) {
  const { name, data } = box.explorerView;
  const { html, css, js } = JSON.parse(await textOf(`${VIEW_PARTS}/${name}`));
  const texts = data.texts?.offline ? { texts: { ...data.texts, away: data.texts.offline } } : {};
  const alone = { ...data, ...numbers, ...texts, live: null, cuts: name === "start" ? data.cuts : null, clickable: false };
  const plotly = data.plotly ? await squeezed(await textOf(data.plotly)) : "";
  const { lang, dataset } = document.documentElement;
  const { fullScreen = "", leaveFullScreen = "" } = dataset;
  const scheme = getComputedStyle(box).colorScheme;
  const heading = element("h1", { text: title });
  const link = element("a", { href: address, text: address });
  return `<!doctype html>
${element("html", { lang, "data-full-screen": fullScreen, "data-leave-full-screen": leaveFullScreen }).outerHTML.slice(0, -7)}
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${element("title", { text: title }).outerHTML}
<style>
:root { color-scheme: ${scheme}; ${themeOf(box, css)} }
*, ::before, ::after { box-sizing: border-box; }
[hidden] { display: none !important; }
body { margin: 0 auto; max-width: 1200px; padding: 16px 24px; font: 16px/1.5 var(--st-font); color: var(--st-text-color);
  background: var(--st-background-color); }
h1 { font-size: 28px; line-height: 1.25; margin: 0 0 4px; }
body > p { margin: 0 0 16px; }
.shape-map .hint { display: none; }
#still > svg { max-width: 100%; height: auto; }
body > footer { margin-top: 24px; font-size: 13px; opacity: 0.8; overflow-wrap: anywhere; }
a { color: inherit; }
.take-home, .start form { display: none !important; }
</style>
<style>${css.replaceAll("</", "<\\/")}</style>
${heading.outerHTML}
${element("p", { text: shows }).outerHTML}
<div id="picture">${html}</div>
${element("div", { id: "still", role: "img", "aria-label": says }).outerHTML.slice(0, -6)}${still}</div>
<footer>${link.outerHTML}</footer>
<script type="module">
const plotly = "${plotly}";
if (plotly) {
  const bytes = Uint8Array.from(atob(plotly), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}
globalThis.explorerPlots = { waiting: new Set(), drawing: false, plotly: Promise.resolve(window.Plotly) };
${inScript(js.replace(/^export default /m, "const mount = "))}
const parentElement = document.getElementById("picture");
mount({ parentElement, data: ${scriptOf(alone)}, setStateValue() {}, setTriggerValue() {} });
document.getElementById("still").remove();
</script>
`;
}
