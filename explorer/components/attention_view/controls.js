// The words and the buttons. They are rebuilt only if they differ, so that the keyboard's focus is kept.

import { element, fill } from "../shared/dom.js";
import { MEAN } from "./lines.js";

export const changed = (before, now) => JSON.stringify(before) !== JSON.stringify(now);

// Writes the words of both sides. lists: { query, key } nodes.
export function writeWords(lists, data, before) {
  for (const [side, tokens, title] of [
    ["query", data.rows, data.row_title],
    ["key", data.columns, data.column_title],
  ]) {
    const list = lists[side];
    list.previousElementSibling.textContent = title;
    list.setAttribute("aria-label", title);
    if (changed(before && (side === "query" ? before.rows : before.columns), tokens)) {
      list.replaceChildren(...tokens.map((token, place) => word(token, side, place)));
    }
  }
}

// Crosses out the words that the mask hides from a query, and those from which it hides a key. view: { lists, bothSides,
// attention }
export function crossOut({ lists, bothSides, attention }, query, key) {
  const cross = (list, hides) => {
    for (const [at, word] of [...list.children].entries()) word.classList.toggle("masked", hides(at));
  };
  cross(bothSides ? lists.key : lists.query, (at) => query !== null && !attention.open(query, at));
  if (bothSides) cross(lists.query, (at) => key !== null && !attention.open(at, key));
}

function word(token, side, place) {
  const number = element("small", { text: place });
  const attributes = { class: "word", tabindex: place ? -1 : 0, title: token, "data-axis": side, "data-place": place };
  return element("button", { type: "button", ...attributes }, number, element("span", {}, ...named(token)));
}

// Splits a pair into the word that is read, which is small, and the one that is written.
function named(token) {
  const [read, written] = token.split(/(?<= → )/);
  return written ? [element("span", { class: "read", text: read }), written] : [token];
}

// Writes a button for every head, and for several heads one for all and one for their mean. turn: called with the heads that are on
// after a change, and the head that was pressed, or MEAN.
export function writeHeads(node, { texts, numbered = true }, on, colour, turn) {
  const button = (label, tone, press) => {
    const made = element("button", { type: "button", text: label });
    if (tone) made.style.setProperty("--head", tone);
    made.onclick = press;
    return made;
  };
  const each = on.map((_, head) =>
    button(numbered ? head : "", colour(head), () => turn((now) => now.map((is, i) => (i === head ? !is : is)), head)),
  );
  if (!numbered) for (const made of each) made.setAttribute("aria-label", fill(texts.one, { n: on.length }));
  const all = button(texts.all, null, () => turn((now) => now.map((_, head) => !now.every(Boolean) || head === 0)));
  const mean = button(texts.average, null, () => turn((now) => now.map(() => true), MEAN));
  node.setAttribute("aria-label", texts.heads);
  node.replaceChildren(element("span", { class: "name", text: texts.heads }), ...each, ...(on.length > 1 ? [all, mean] : []));
}

// merged: whether the lines are those of the mean.
export function pressHeads(node, on, merged) {
  const every = on.every(Boolean);
  const pressed = merged ? [...on.map(() => false), false, true] : [...on, every, false];
  [...node.querySelectorAll("button")].forEach((button, at) => {
    button.setAttribute("aria-pressed", pressed[at]);
  });
}

// Marks the heads and the words that are cut out.
export function markCuts(node, lists, without) {
  for (const [side, list] of Object.entries(lists)) {
    for (const [at, word] of [...list.children].entries()) word.classList.toggle("cut", without[side].includes(at));
  }
  for (const [head, button] of [...node.querySelectorAll("button")].entries())
    button.classList.toggle("cut", without.heads.includes(head));
}

// Writes the choice between lines and coloured text.
export function writeViews(node, { texts }, choose) {
  node.setAttribute("aria-label", texts.view);
  node.replaceChildren(
    ...["lines", "text"].map((name) => {
      const button = element("button", { type: "button", "data-picture": name, text: texts[name] });
      button.onclick = () => choose(name);
      return button;
    }),
  );
}
