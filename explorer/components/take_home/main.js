// Takes pictures home: the menu at a picture, and the files that it makes. It is fetched when a menu is opened first, and all that it
// writes is in the page already.

import { unpack } from "../shared/arrays.js";
import { element } from "../shared/dom.js";
import { newestOf, shownModel, wishOf } from "../shared/live.js";
import { ICON, keyed, keyedFrom, keyOf, PART, WRITTEN } from "../shared/streamlit_dom.js";
import { pageOf } from "./page_html.js";
import { canBeFilmed, filmOf, grown } from "./film.js";
import { outlined } from "./outlines.js";
import { drawingOf, redrawn } from "./page_svg.js";
import {
  tableOfArithmetic,
  tableOfAttention,
  tableOfMatrices,
  tableOfModel,
  tableOfOneStep,
  tableOfPlot,
  tableOfShapes,
  tableOfStart,
  tableOfWordMap,
} from "./tables.js";
import { csvOf, fileName, jsonOf } from "./text.js";

const SHARPER = 2; // pixels of a PNG for each of the page
const LARGEST = 8000; // pixels of one of its sides
const NAMED = ["kind", "stack", "layer", "head"]; // choices that the name of a file says

// The kinds of pictures. Each: what finds it in its box; its numbers; how it is drawn anew; and for a picture that brings its own
// drawing, that.
const KINDS = [
  {
    at: ".explorer-plot",
    table: (node) => tableOfPlot(node._fullData, node._fullLayout),
    own: (node, until) => {
      const { width, height } = node._fullLayout;
      const figure = until === undefined ? node : grown(node, until);
      return window.Plotly.toImage(figure, { format: "svg", imageDataOnly: true, width, height });
    },
  },
  { at: ".matrices", table: (node) => tableOfMatrices(node.matrices), draw: (node) => node.matrices.draw() },
  { at: ".attention-view", table: (node) => tableOfAttention(node.view), draw: (node) => node.view.layOut() },
  { at: ".arithmetic", table: (node) => tableOfArithmetic(node.arithmetic), draw: (node) => node.arithmetic.draw() },
  {
    at: ".shape-map",
    table: ({ view: { data } }) =>
      tableOfShapes({ ...data, selected: data.selected && { ...data.selected, values: unpack(data.selected.values) } }),
    draw: (node) => node.view.details.draw(),
  },
  { at: ".start[data-state]", table: ({ start }) => tableOfStart(start) },
  { at: ".one-step", table: ({ oneStep }) => tableOfOneStep(oneStep.data) },
  { at: ".word-map", table: ({ wordMap }) => tableOfWordMap(wordMap) },
  { at: ".model-map", table: (node) => tableOfModel(JSON.parse(node.drawn)) },
];

const SECONDS = [10, 30, 60]; // of a film: to be shown alone, or to be talked over

const codedOf = (node) => (node.run ? { run: node.run } : (node.code ?? wishOf(node))); // what the server can write as code
const isCoded = (box) => Boolean(globalThis.explorerLive.told && codedOf(pictureIn(box).node));
const isFilmed = (box) => canBeFilmed(pictureIn(box).node);

// The files that a picture becomes. Each: its ending; its name, if it is not that in capitals; how it is made; which pictures offer it, if
// not all do.
const FILES = [
  { ending: "svg", make: async (box) => [(await drawn(box)).svg, "image/svg+xml"] },
  { ending: "png", make: async (box) => [await painted(await drawn(box)), "image/png"] },
  { ending: "html", make: async (box) => [await page(box), "text/html;charset=utf-8"] },
  { ending: "csv", make: async (box) => [csvOf(tableOf(box)), "text/csv;charset=utf-8"] },
  { ending: "json", make: async (box) => [jsonOf(tableOf(box), about(box)), "application/json"] },
  { ending: "py", offered: isCoded, make: async (box) => [await codeOf(box, "py"), "text/x-python"] },
  { ending: "ipynb", offered: isCoded, make: async (box) => [await codeOf(box, "ipynb"), "application/x-ipynb+json"] },
  ...SECONDS.map((seconds) => ({ ending: "webm", name: `WebM ${seconds} s`, offered: isFilmed, make: filmOver(seconds) })),
];

const nameOfFile = ({ name, ending }) => name ?? ending.toUpperCase();

class Refused extends Error {}

// Asks the server for a program that draws the picture. Throws Refused, one sentence, where there is none.
async function codeOf(box, ending) {
  const { settings, language } = globalThis.explorerLive.told;
  const { step } = shownModel()?.dataset ?? {};
  const wanted = { ...settings, step: step ? Number(step) : settings.step }; // of a model that is learning: what is on screen
  const { title, address } = about(box);
  const body = JSON.stringify({ ...codedOf(pictureIn(box).node), settings: wanted, language, ending, title, address });
  const answer = await fetch(new URL("code", document.baseURI), { method: "POST", body });
  if (!answer.ok) throw new Refused(await answer.text());
  return answer.text();
}

function pictureIn(box) {
  const kind = KINDS.find(({ at }) => box.querySelector(at));
  return { ...kind, node: box.querySelector(kind.at) };
}

function tableOf(box) {
  const { table, node } = pictureIn(box);
  return table(node);
}

// The cuts of the model on screen and its changed weights, in words.
function changesMade() {
  return [...document.querySelectorAll(`${keyed("cuts-made")} ${keyedFrom("uncut-")}:not(${keyed("uncut-all")})`)].map(
    (box) => {
      const label = box.querySelector(WRITTEN).cloneNode(true);
      for (const icon of label.querySelectorAll(ICON)) icon.remove();
      return `${box.matches(keyedFrom("uncut-weight-")) ? "✎" : "✂"} ${label.textContent.trim()}`;
    },
  );
}

// Says what a picture is: its page and part, its name and choices, and the model that it shows.
function about(box) {
  const { node } = pictureIn(box);
  const root = document.documentElement;
  const wish = wishOf(node);
  const model = shownModel();
  return {
    title: [document.querySelector("h1")?.textContent, document.querySelector(PART)?.textContent].filter(Boolean).join(" · "),
    page: root.dataset.page,
    picture: keyOf(box) ?? "",
    drawing: wish?.picture,
    choices: wish?.choices ?? {},
    model: model ? { ...model.dataset, testid: undefined } : {},
    shows: [model?.textContent, ...changesMade()].filter(Boolean).join(" · "),
    address: location.href,
    says: node.getAttribute("aria-label") ?? "",
  };
}

function nameOf(box) {
  const { page, picture, choices, model } = about(box);
  const chosen = NAMED.flatMap((name) => {
    if (choices[name] === undefined) return [];
    return [typeof choices[name] === "number" ? `${name}-${choices[name]}` : choices[name]];
  });
  return fileName(["transformer", page, picture, ...chosen, model.step && `step-${model.step}`]);
}

// Returns the drawing of a picture that needs no font of its reader's.
async function drawn(box, said, until) {
  const drawing = await written(box, { said, until });
  return { ...drawing, svg: await outlined(drawing.svg) };
}

// Returns a picture as a page of its own. It says title and model in its own words; its drawing is what is seen where no script runs.
async function page(box) {
  const { svg } = await written(box, { said: "", title: "" });
  return pageOf(box, newestOf(pictureIn(box).node), about(box), svg);
}

function filmOver(seconds) {
  return async (box, tell) => [
    await filmOf(pictureIn(box).node, seconds, (line, until) => drawn(box, line, until), tell),
    "video/webm",
  ];
}

// said, title: the line below its title, the model that it shows unless told, and that title; until: where curves end.
async function written(box, { said = about(box).shows, title = about(box).title, until }) {
  const { node, draw, own } = pictureIn(box);
  const inner = own && { node, svg: (await own(node, until)).replace(/^<\?xml[^>]*>/, "") };
  const scrolled = () => [...box.querySelectorAll("*")].map((each) => [each.scrollLeft, each.scrollTop]);
  const before = scrolled();
  const sticks = [...box.querySelectorAll("*")].filter((each) => getComputedStyle(each).position === "sticky");
  for (const each of sticks) each.style.position = "static"; // wherever the page is scrolled to
  const pens = draw ? redrawn(() => draw(node)) : new Map();
  const drawing = drawingOf(box, { title, model: said }, pens, inner);
  for (const each of sticks) each.style.position = "";
  if (draw) draw(node); // what was made anew gets its own canvases back
  [...box.querySelectorAll("*")].forEach((each, at) => {
    const [left, top] = before[at] ?? [0, 0];
    if (left || top) each.scrollTo({ left, top, behavior: "instant" });
  });
  return drawing;
}

// Paints a drawing, and returns the PNG.
async function painted({ svg, width, height }) {
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  const times = Math.min(SHARPER, LARGEST / Math.max(width, height));
  const canvas = element("canvas", { width: Math.ceil(times * width), height: Math.ceil(times * height) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  URL.revokeObjectURL(image.src);
  return new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
}

function save(content, type, name) {
  const link = element("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

// Opens the menu of a picture, or closes it. tools: the box of the button.
export default function toggle(box, tools) {
  tools.menu ??= new Menu(box, tools);
  tools.menu.open(tools.menu.node.hidden);
}

class Menu {
  constructor(box, tools) {
    const items = FILES.map((file) => {
      const item = element("button", { type: "button", text: nameOfFile(file) });
      item.onclick = () => this.take(box, file);
      return item;
    });
    Object.assign(this, { box, items, tools, button: tools.firstElementChild });
    this.progress = element("progress", { hidden: "" });
    this.refusal = element("p", { role: "alert" });
    this.node = element("div", { role: "group", hidden: "" }, ...items, this.progress, this.refusal);
    this.leave = ({ target, relatedTarget }) => {
      if (!tools.contains(relatedTarget ?? target)) this.open(false);
    };
    tools.append(this.node);
    tools.addEventListener("focusout", this.leave);
    tools.onkeydown = (event) => {
      if (event.key !== "Escape" || this.node.hidden) return;
      event.stopPropagation();
      this.open(false);
      this.button.focus();
    };
  }

  open(on) {
    this.node.hidden = !on;
    this.node.setAttribute("aria-label", this.button.title); // in the language of now
    FILES.forEach(({ offered }, at) => {
      this.items[at].hidden = offered?.(this.box) === false;
    });
    this.refusal.textContent = "";
    this.button.setAttribute("aria-expanded", on);
    if (on) this.node.firstElementChild.focus();
    if (on) document.addEventListener("pointerdown", this.leave);
    else document.removeEventListener("pointerdown", this.leave);
  }

  async take(box, file) {
    if (this.node.hasAttribute("aria-busy")) return;
    this.node.setAttribute("aria-busy", true);
    let refused = document.documentElement.dataset.takeHomeFailed;
    try {
      const [content, type] = await file.make(box, (at, all) => this.tell(file, at, all));
      if (content !== null) save(content, type, `${nameOf(box)}.${file.ending}`);
      refused = "";
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      refused = error.message;
    } finally {
      this.node.removeAttribute("aria-busy");
      this.progress.hidden = true;
      this.refusal.textContent = refused;
      if (!refused) {
        if (!this.node.hidden) this.button.focus(); // unless its visitor has gone on to something else
        this.open(false);
      }
    }
  }

  // Says how far a file has come that takes its time.
  tell(file, at, all) {
    this.progress.hidden = false;
    this.progress.setAttribute("aria-label", nameOfFile(file));
    Object.assign(this.progress, { max: all, value: at });
  }
}
