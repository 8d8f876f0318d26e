// The map of the model, large or in the corner of a page; a box with a target is a link.

import { element } from "../shared/dom.js";
import { canFillScreen } from "../shared/full_screen.js";
import { canBeTakenHome } from "../shared/take_home.js";
import { draw } from "./drawing.js";

// Tab stops once in the small drawing, on its way to the page; from there the arrow keys lead from part to part.
const STEPS = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };

function oneStop(svg) {
  const links = [...svg.querySelectorAll(".link")];
  (links.find((each) => each.matches(".highlighted")) ?? links[0]).setAttribute("tabindex", 0);
  svg.onkeydown = (event) => {
    const from = links.indexOf(event.target);
    if (!(event.key in STEPS) || from < 0) return;
    event.preventDefault();
    const next = links[from + STEPS[event.key]];
    if (!next) return;
    links[from].setAttribute("tabindex", -1);
    next.setAttribute("tabindex", 0);
    next.focus();
  };
}

// The drawing as small as a line: its parts can be seen, but not pressed or read. A press on it opens the larger one, until
// something else is pressed, or Escape.
function drawThumb(details, data) {
  const summary = details.querySelector("summary");
  summary.title = data.title;
  summary.setAttribute("aria-label", data.title);
  summary.querySelector("span").textContent = data.word;
  details.onkeydown = ({ key }) => {
    if (key !== "Escape" || !details.open) return;
    details.open = false;
    summary.focus();
  };
  const leave = ({ target }) => {
    if (!details.contains(target)) details.open = false;
  };
  details.ontoggle = () => {
    if (details.open) document.addEventListener("pointerdown", leave);
    else document.removeEventListener("pointerdown", leave);
  };
  const plain = (each) => ({ ...each, label: "", target: undefined });
  draw(
    summary.querySelector("svg"),
    { ...data, boxes: data.boxes.map(plain), frames: data.frames.map(plain), lines: [], letters: [] },
    true,
  );
}

// The pages, the one on screen among them; a part that is pointed at marks the page to which it leads.
function listPages(details, { pages }, go) {
  const links = pages.map(({ page, title, here }) => {
    const link = element("a", { href: page, text: title });
    if (here) link.setAttribute("aria-current", "page");
    link.onclick = (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return; // into a window of its own
      event.preventDefault();
      go({ page, kind: "" });
    };
    return link;
  });
  details.querySelector("nav").replaceChildren(...links);
  for (const part of details.querySelectorAll(".small .link")) {
    const meant = links.find((_link, i) => pages[i].page === part.dataset.page);
    part.onpointerenter = part.onfocus = () => meant?.classList.add("meant");
    part.onpointerleave = part.onblur = () => meant?.classList.remove("meant");
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const svg = parentElement.querySelector(".model-map:not(.thumb)");
  const details = parentElement.querySelector("details");
  if (!details) canBeTakenHome(parentElement);
  if (!details) canFillScreen(parentElement);
  svg.go = (target) => {
    if (details) details.open = false;
    setTriggerValue("go", target);
  };
  const given = JSON.stringify(data);
  if (svg.drawn === given) return; // most settings do not change it; it also keeps its focus
  svg.drawn = given;
  if (details) drawThumb(details, data);
  draw(svg, data, details !== null);
  if (!details) return;
  oneStop(svg);
  listPages(details, data, svg.go);
}
