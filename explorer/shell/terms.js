// Marks the terms of the glossary where a page uses them first, and explains one that is pointed at, tapped, or chosen in the list at
// the page's foot. The texts themselves stay as React has drawn them: terms are marked with the CSS Custom Highlight API.

import { MAIN, PAGE, WIDGET_LABEL, WRITTEN } from "../components/shared/streamlit_dom.js";
import { addressOf } from "./address.js";

globalThis.explorerTerms ??= (() => {
  const NOT_MARKED = `h1, h2, button, a, label, summary, pre, code, .katex, ${WIDGET_LABEL}`;
  const GAP = 6; // px between a term and its card
  const MARGIN = 8; // px between a card and the window's edge
  const WAIT = 250; // ms in which a pointer may cross from a term to its card; and in which a page may still be drawn
  const root = document.documentElement;
  const find = (selector) => document.querySelector(selector);

  let entries = [];
  let words = {};
  let byForm = new Map();
  let pattern = /$^/;
  let found = new Map(); // entry -> range of its first place on the page

  const card = document.createElement("div");
  card.className = "term-card";
  card.id = "term-card";
  card.role = "tooltip";
  card.popover = "manual";
  document.body.append(card);

  // A word of letters ends where its letters end; Chinese characters stand side by side.
  const LETTER = "[\\p{Script=Latin}\\p{N}_]";
  const edged = (form) => {
    const [before, after] = [/^[\p{Script=Latin}\d]/u.test(form), /[\p{Script=Latin}\d]$/u.test(form)];
    const letters = form.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
    return `${before ? `(?<!${LETTER})` : ""}${letters}${after ? `(?!${LETTER})` : ""}`;
  };

  function take(given, told) {
    [entries, words] = [given, told];
    byForm = new Map(entries.flatMap((each) => each.forms.map((form) => [form.toLowerCase(), each])));
    const forms = [...byForm.keys()].sort((a, b) => b.length - a.length);
    pattern = new RegExp(forms.map(edged).join("|"), "giu");
    scan();
  }

  function scan() {
    found = new Map();
    const page = find(PAGE);
    if (page && root.dataset.page !== "home") {
      const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT);
      while (walker.nextNode()) mark(walker.currentNode);
    }
    if (found.size) CSS.highlights?.set("term", new Highlight(...found.values()));
    else CSS.highlights?.delete("term");
    list();
  }

  function mark(node) {
    const box = node.parentElement;
    if (!box?.closest(WRITTEN) || box.closest(NOT_MARKED) || !box.checkVisibility()) return;
    for (const match of node.data.matchAll(pattern)) {
      const entry = byForm.get(match[0].toLowerCase());
      if (!entry || found.has(entry) || (entry.only.length && !entry.only.includes(root.dataset.page))) continue;
      const range = new Range();
      range.setStart(node, match.index);
      range.setEnd(node, match.index + match[0].length);
      found.set(entry, range);
    }
  }

  // The list at the foot, for a keyboard and for who wants to read them all.
  function list() {
    const place = find(".term-list");
    const names = [...found.keys()];
    const key = names.map((each) => each.term).join();
    if (!place || place.dataset.terms === key) return;
    place.dataset.terms = key;
    place.hidden = !names.length;
    const summary = document.createElement("summary");
    summary.textContent = words.list;
    const buttons = names.map((each) => {
      const button = document.createElement("button");
      button.textContent = each.term;
      button.setAttribute("aria-describedby", card.id);
      button.addEventListener("focus", () => show(each, button.getBoundingClientRect()));
      button.addEventListener("click", () => show(each, button.getBoundingClientRect()));
      button.addEventListener("blur", () => leave());
      return button;
    });
    place.replaceChildren(summary, ...buttons);
  }

  function termAt({ target, clientX: x, clientY: y }) {
    const box = target.closest?.(WRITTEN);
    if (!box) return null;
    for (const [entry, range] of found) {
      if (!box.contains(range.startContainer)) continue;
      for (const line of range.getClientRects()) {
        if (x >= line.left && x <= line.right && y >= line.top && y <= line.bottom) return [entry, line];
      }
    }
    return null;
  }

  let shown = null;
  let leaving = 0;

  function show(entry, line) {
    clearTimeout(leaving);
    if (shown !== entry) fill(entry);
    shown = entry;
    card.style.fontFamily = getComputedStyle(find(PAGE)).fontFamily;
    card.showPopover();
    const { width, height } = card.getBoundingClientRect();
    const below = line.bottom + GAP;
    card.style.left = `${Math.max(MARGIN, Math.min(line.left, innerWidth - width - MARGIN))}px`;
    card.style.top = `${below + height < innerHeight - MARGIN ? below : Math.max(MARGIN, line.top - GAP - height)}px`;
  }

  function fill({ term, words: said, formula, page, part, folded, title }) {
    const line = (name, text) => {
      const made = document.createElement(name);
      made.textContent = text;
      return made;
    };
    const lines = [line("b", term), line("p", said)];
    if (formula) lines.push(line("code", formula));
    const here = new URLSearchParams(location.search);
    const isHere = page === root.dataset.page && (!part || here.get("part") === part);
    if (!isHere || (folded && !here.has(`details-${part}`))) {
      const link = line("a", words.see.replace("{page}", title));
      link.href = addressOf({ page, part, folded });
      lines.push(link);
    }
    card.replaceChildren(...lines);
  }

  function leave() {
    clearTimeout(leaving);
    leaving = setTimeout(hide, WAIT);
  }
  function hide() {
    shown = null;
    if (card.matches(":popover-open")) card.hidePopover();
  }

  let moved = null;
  addEventListener("pointermove", (event) => {
    if (event.pointerType === "touch") return;
    if (!moved) requestAnimationFrame(() => follow(moved));
    moved = event;
  });
  function follow(event) {
    moved = null;
    const at = termAt(event);
    find(MAIN)?.classList.toggle("on-a-term", Boolean(at));
    if (at) show(...at);
    else if (shown && card.contains(event.target)) clearTimeout(leaving);
    else if (shown && !card.contains(document.activeElement) && !document.activeElement?.closest(".term-list")) leave();
  }
  addEventListener("click", (event) => {
    if (card.contains(event.target) || event.target.closest?.(".term-list")) return;
    const at = termAt(event);
    if (at) show(...at);
    else hide();
  });
  addEventListener("keydown", (event) => event.key === "Escape" && hide());
  function stay(event) {
    const button = document.activeElement?.closest(".term-list button");
    if (!shown || card.contains(event.target)) return;
    if (button) show(shown, button.getBoundingClientRect());
    else hide();
  }
  addEventListener("scroll", stay, true);

  let due = 0;
  const changes = new MutationObserver(() => {
    clearTimeout(due);
    due = setTimeout(scan, WAIT);
  });
  changes.observe(find(MAIN) ?? document.body, { childList: true, characterData: true, subtree: true });
  return take;
})();
