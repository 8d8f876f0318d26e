// The dialog of the search: asks the server at every letter, and lists what it has found. By the keys: / opens it, arrows go through
// what was found, Enter opens the first.

import { APP } from "../components/shared/streamlit_dom.js";
import { addressOf } from "./address.js";

const SOON = 120; // ms without a letter, after which the server is asked

// `told` has its words, and the path of the server's answers.
export function searchDialog() {
  const make = (name, className = "", text = "") =>
    Object.assign(document.createElement(name), { className, textContent: text });
  const dialog = make("dialog", "search");
  const field = Object.assign(make("input"), { type: "search", autocomplete: "off", enterKeyHint: "go", maxLength: 200 });
  const close = Object.assign(make("button", "close", "×"), { type: "button" });
  const found = make("div", "found");
  found.ariaLive = "polite";
  const top = make("div", "top");
  top.append(field, close);
  dialog.append(top, found);
  document.body.append(dialog);
  let told = {};
  let due = 0;
  let asked = 0;

  function list({ groups, note }) {
    const lines = groups.flatMap(({ title, results }) => {
      const items = make("ul");
      items.append(...results.map(item));
      return [make("h2", "", title), items];
    });
    found.replaceChildren(...(note ? [make("p", "", note)] : []), ...lines);
  }

  function item(result) {
    const link = Object.assign(make("a"), { href: addressOf(result) });
    link.append(make("b", "", result.name), make("i", "", result.of));
    if (result.said) link.append(make("span", "", result.said));
    const line = make("li");
    line.append(link);
    return line;
  }

  async function ask() {
    const typed = field.value.trim();
    const mine = ++asked;
    if (!typed) return list({ groups: [], note: told.hint });
    let answer = { groups: [], note: told.failed };
    try {
      const response = await fetch(new URL(`${told.path}?${new URLSearchParams({ q: typed })}`, document.baseURI));
      if (response.ok) answer = await response.json();
    } catch {
      // the server is away
    }
    if (mine === asked) list(answer);
  }

  field.addEventListener("input", () => {
    clearTimeout(due);
    due = setTimeout(ask, SOON);
  });
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("a")) dialog.close(); // beside it, or followed
  });
  dialog.addEventListener("keydown", async (event) => {
    event.stopPropagation(); // no key of the page
    if (event.isComposing) return;
    if (event.key === "Escape") dialog.close(); // a search field would only be emptied
    if (event.key === "Enter" && event.target === field) {
      clearTimeout(due);
      await ask();
      found.querySelector("a")?.click();
    }
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [field, ...found.querySelectorAll("a")];
    all[(all.indexOf(event.target) + step + all.length) % all.length]?.focus();
    event.preventDefault();
  });

  return (words) => {
    told = words;
    dialog.ariaLabel = field.ariaLabel = told.title;
    field.placeholder = told.title;
    close.ariaLabel = told.close;
    if (dialog.open) return;
    const { colorScheme, fontFamily } = getComputedStyle(document.querySelector(APP)); // the theme, which the page's body lacks
    Object.assign(dialog.style, { colorScheme, fontFamily });
    dialog.showModal();
    field.select();
    ask();
  };
}
