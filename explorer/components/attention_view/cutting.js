// The effects of a click: it selects a word, or cuts a line, a cell of the matrix, a word, or a head.

import { cutsOf } from "../shared/cut.js";
import { element } from "../shared/dom.js";
import { headsOn, lineAt } from "./lines.js";

export const LOOK = "look";
const MODES = [LOOK, "cut", "everywhere"]; // the last: a link or a head in every layer

const cuts = (view) => view.mode !== LOOK && view.data.cuts;

// Cuts `what`, { query, key, heads }; null undoes the newest cut.
function cut(view, what) {
  const more = what ? cutsOf(what, view.data.cuts, view.mode === MODES[2]) : [];
  view.tellCut({ more });
  view.ahead.cut(more);
}

// Writes the choice of a click's effect, if the page can cut.
export function writeModes(view, node, { texts, cuts: may }) {
  node.hidden = !may;
  node.setAttribute("aria-label", texts.click);
  const button = (mode) => {
    const made = element("button", { type: "button", text: texts.modes[mode] });
    made.onclick = () => {
      view.mode = mode;
      markMode(view, node);
      view.drawSoon(false);
    };
    return made;
  };
  node.replaceChildren(...MODES.map(button));
  markMode(view, node);
}

function markMode(view, node) {
  view.root.classList.toggle("cuts", cuts(view));
  for (const [at, button] of [...node.querySelectorAll("button")].entries()) {
    button.setAttribute("aria-pressed", MODES[at] === view.mode);
  }
}

export function pressStage(view, event, word) {
  if (!cuts(view)) {
    if (word) view.select(word);
    return;
  }
  const { left, top } = view.stage.getBoundingClientRect();
  const what = word ?? lineAt(view, event.clientX - left, event.clientY - top);
  if (what) cut(view, what);
}

// Cuts a cell in the heads that are on.
export function pressCell(view, cell) {
  if (!cell) return;
  if (cuts(view)) cut(view, { ...cell, heads: headsOn(view) });
  else view.select({ query: cell.query });
}

export function pressHead(view, turned, head) {
  if (cuts(view) && head !== undefined) cut(view, { heads: [head] });
  else view.turnHeads(turned, head);
}

export function undoByKey(view, event) {
  if (event.key !== "Backspace" || !view.data.cuts || event.target.matches("input")) return;
  event.preventDefault();
  cut(view, null);
}
