// Draws a Plotly figure on a node that is kept: zoom, hover and focus survive every update, and nothing flickers.
// A figure's layout.meta holds what differs in the dark and on a narrow screen: {dark: {"path": value}, narrow: {...}}.

import { lookOf } from "../shared/colour.js";
import { canFillScreen, fillsScreen } from "../shared/full_screen.js";
import { follow } from "../shared/live.js";
import { canBeTakenHome } from "../shared/take_home.js";

const NARROW = 560; // px
const TYPE = 13; // px of letters of the usual size

// Shared by the page, which loads this file once per figure.
globalThis.explorerPlots ??= { waiting: new Set(), drawing: false };
const page = globalThis.explorerPlots;

function loadPlotly(url) {
  // One script tag for the page, however many figures ask for it.
  page.plotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error(`plotly.js could not be loaded from ${url}`));
    document.head.appendChild(script);
  });
  return page.plotly;
}

// Sets the value at a path like "layout.margin.l"; creates missing objects on the way.
function set(target, path, value) {
  const keys = path.split(".");
  const last = keys.pop();
  let inner = target;
  for (const key of keys) {
    inner[key] ??= {};
    inner = inner[key];
  }
  inner[last] = value;
}

// Puts the figure into the page's colours and font, in place.
export function dressed(figure, look, narrow) {
  const meta = figure.layout.meta ?? {};
  const overrides = { ...(look.dark ? meta.dark : {}), ...(narrow ? meta.narrow : {}) };
  for (const [path, value] of Object.entries(overrides)) set(figure, path, value);

  const layout = figure.layout;
  layout.paper_bgcolor = "rgba(0,0,0,0)";
  layout.plot_bgcolor ??= "rgba(0,0,0,0)";
  layout.font = { family: look.font, size: narrow ? 11 : 13, ...layout.font, color: look.text };
  layout.hoverlabel = { font: { family: look.font, size: 13 }, ...layout.hoverlabel };
  const lines = { gridcolor: look.grid, zerolinecolor: look.grid, linecolor: look.grid, automargin: true };
  for (const key of Object.keys(layout)) {
    if (/^[xy]axis\d*$/.test(key)) layout[key] = { ...lines, ...layout[key] };
  }
  return figure;
}

// Scales all letters of a figure.
export function enlarge(part, times) {
  for (const [name, inner] of Object.entries(part)) {
    if (typeof inner !== "object" || inner === null) continue;
    if (/font$/.test(name) && inner.size) inner.size *= times;
    else enlarge(inner, times);
  }
}

async function draw(node) {
  const { figure: text, name, clickable, click } = node.given;
  const look = lookOf(node),
    width = node.width ?? node.clientWidth,
    full = fillsScreen(node),
    larger = parseFloat(getComputedStyle(node).fontSize) / TYPE;
  const now = { text, look, width, full, larger };
  const same = node.shown && Object.entries(now).every(([what, value]) => node.shown[what] === value);
  node.shown = now;
  if (!same) {
    const figure = dressed(JSON.parse(text), look, width < NARROW);
    if (full) figure.layout.height = Math.max(figure.layout.height, 0.94 * innerHeight);
    else figure.layout.height *= larger;
    if (larger !== 1) for (const part of [figure.layout, ...figure.data]) enlarge(part, larger);
    node.style.height = `${figure.layout.height}px`;
    figure.layout.width = width;
    node.classList.toggle("narrow", width < NARROW);
    await window.Plotly.react(node, figure.data, figure.layout, {
      displaylogo: false,
      showSendToCloud: false,
      responsive: false,
      displayModeBar: "hover", // on a narrow screen hidden by view.css: with another configuration a zoom would be lost
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
      toImageButtonOptions: { format: "svg", filename: name },
    });
    node.dataset.drawn = Number(node.dataset.drawn ?? 0) + 1;
  }
  node.removeAllListeners("plotly_click");
  if (clickable) {
    node.on("plotly_click", (event) => {
      const { x, y, data: trace } = event.points[0];
      click({ x, y, panel: Number((trace.xaxis ?? "x").slice(1) || 1) - 1 });
    });
  }
}

const painted = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

// Draws one figure after the other, each painted before the next begins, the visible ones first.
async function drawWaiting() {
  if (page.drawing) return;
  page.drawing = true;
  while (page.waiting.size) {
    const nodes = [...page.waiting];
    const node = nodes.find((each) => each.onScreen !== false) ?? nodes[0];
    page.waiting.delete(node);
    try {
      if (node.isConnected) await draw(node);
    } catch (error) {
      node.textContent = error.message;
    }
    if (!page.waiting.has(node)) delete node.dataset.waiting;
    await painted();
  }
  page.drawing = false;
}

function ask(node) {
  node.dataset.waiting = "";
  page.waiting.add(node);
  return drawWaiting();
}

function watch(node) {
  node.sizes = new ResizeObserver(() => {
    const width = node.clientWidth;
    if (!width || Math.abs(width - (node.width ?? 0)) <= 1) return;
    node.width = width;
    if (node.shown) ask(node);
  });
  node.places = new IntersectionObserver(([...all]) => {
    node.onScreen = all.at(-1).isIntersecting;
  });
  for (const observer of [node.sizes, node.places]) observer.observe(node);
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const node = parentElement.querySelector(".explorer-plot");
  canBeTakenHome(parentElement);
  canFillScreen(parentElement);
  if (!node.sizes) watch(node);
  node.run = data.run;
  follow(node, data.live, (numbers) => {
    node.given = { ...data, ...numbers, click: (place) => setTriggerValue("click", place) };
    node.setAttribute("aria-label", node.given.alt);
    node.style.height ||= `${node.given.height}px`; // so that what is below does not jump when plotly.js has loaded
    loadPlotly(data.plotly)
      .then(() => ask(node))
      .catch((error) => {
        node.textContent = error.message;
      });
  });

  return () => {
    if (node.isConnected) return; // also called for a drawing that the next has overtaken: the node lives on
    page.waiting.delete(node);
    node.sizes.disconnect();
    node.places.disconnect();
    if (node._fullLayout) window.Plotly.purge(node);
  };
}
