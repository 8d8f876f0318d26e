// The words on the stage: they appear, move, fall, and wait to be written again.

import { element } from "../shared/dom.js";

export function placeAt(node, { x, y, size }) {
  node.style.setProperty("--x", `${x.toFixed(1)}px`);
  node.style.setProperty("--y", `${y.toFixed(1)}px`);
  node.style.setProperty("--size", `${size.toFixed(1)}px`);
}

// Returns a word at a place, with a gloss below or beside it if there is one.
export function wordAt(text, place, { gloss = "", kind = "" } = {}) {
  const node = element("span", { class: `word ${kind}`.trim() }, element("span", { class: "text", text }));
  explain(node, gloss);
  placeAt(node, place);
  return node;
}

// Gives a word another gloss, or none.
export function explain(node, gloss = "") {
  node.querySelector(".gloss")?.remove();
  if (gloss) node.append(element("span", { class: "gloss", lang: "en", text: gloss }));
}

// Adds a word that comes into view; `before` is the node that it stands before in the text.
export function come(parent, node, before = null) {
  node.classList.add("coming");
  parent.insertBefore(node, before?.isConnected && before.parentElement === parent ? before : null);
  node.getBoundingClientRect(); // begins the transition
  node.classList.remove("coming");
  return node;
}

export function leave(node) {
  node.classList.add("going");
  setTimeout(() => node.remove(), 260);
}

export const textOf = (node) => node.firstChild.textContent;
