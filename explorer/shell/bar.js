// The buttons of the bar, and the two sheets of a phone: the settings and the menu are one sidebar, of which one half is shown.

import {
  APP,
  FOLD_SIDEBAR,
  keyed,
  keyOf,
  MAIN,
  MENU_LINK,
  PAGE,
  PAGE_LINK,
  SIDEBAR,
  UNFOLD_SIDEBAR,
} from "../components/shared/streamlit_dom.js";
import { searchDialog } from "./search.js";

globalThis.explorerBar ??= (() => {
  const root = document.documentElement;
  root.classList.toggle("no-full-screen", !document.fullscreenEnabled); // phones have none, nor has a frame that may not
  const find = (selector) => document.querySelector(selector);
  const fold = () => find(FOLD_SIDEBAR)?.click();
  const isOpen = () => find(SIDEBAR)?.dataset.collapsed === "false";

  // For a projector all type is large, and the settings are away (see projector.css). It stays so while this window is open.
  function project(on) {
    root.classList.toggle("projector", on);
    find(".bar-button.projector")?.setAttribute("aria-pressed", on);
    try {
      sessionStorage.setItem("projector", on ? "on" : "");
    } catch {
      // a browser that keeps nothing
    }
  }
  let openSearch = null;
  const search = () => {
    openSearch ??= searchDialog();
    const { search: title, searchHint: hint, searchFailed: failed, searchBy: path, close } = root.dataset;
    openSearch({ title, hint, failed, path, close });
  };

  function byKey(event) {
    const writes = event.target.closest?.("input, textarea, select, [contenteditable]");
    if (writes || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.toLowerCase() === "p") project(!root.classList.contains("projector"));
    if (event.key === "/") {
      event.preventDefault(); // the slash would stand in the field
      search();
    }
  }
  document.addEventListener("keydown", byKey);
  function wasProjecting() {
    try {
      return sessionStorage.getItem("projector") === "on";
    } catch {
      return false;
    }
  }

  function press(event) {
    const on = (selector) => event.target.closest?.(selector);
    if (on(".bar-button.full")) {
      if (document.fullscreenElement) document.exitFullscreen();
      else root.requestFullscreen();
    } else if (on(".bar-button.projector")) {
      project(!root.classList.contains("projector"));
    } else if (on(".bar-button.search")) {
      search();
    } else if (on(".bar-button.menu")) {
      if (isOpen() && root.dataset.sheet === "menu") fold();
      root.dataset.sheet = "menu";
      find(UNFOLD_SIDEBAR)?.click();
    } else if (event.isTrusted && on(UNFOLD_SIDEBAR)) {
      delete root.dataset.sheet; // pressed by a person: the settings
    } else if (on(PAGE_LINK)) {
      setTimeout(() => isOpen() && fold()); // on a phone of its own kind Streamlit has folded it already
    }
  }
  document.addEventListener("click", press, true);

  // In full screen this button alone is left of the bar.
  function nameFullScreen() {
    const button = find(".bar-button.full");
    if (!button) return;
    button.title = document.fullscreenElement === root ? root.dataset.leaveFullScreen : root.dataset.fullScreen;
    button.setAttribute("aria-label", button.title);
  }
  document.addEventListener("fullscreenchange", nameFullScreen);

  // A press on one of a row of options moves the focus to the one pressed last, which on a phone would scroll the row away under
  // the finger: the press would be lost.
  addEventListener(
    "pointerdown",
    (event) => {
      const row = event.target.closest?.('[role="radio"]')?.parentElement;
      if (!row) return;
      const { scrollLeft } = row;
      const pressed = new AbortController();
      const { signal } = pressed;
      row.addEventListener("focusin", () => row.scrollTo({ left: scrollLeft, behavior: "instant" }), { signal });
      // A finger that begins to scroll the row cancels the press.
      for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => pressed.abort(), { signal });
    },
    true,
  );

  // Pause, pressed by a key, can be pressed no more, nor can Resume: the focus goes to the other, which takes its place.
  const TAKES_ITS_PLACE = { "button-pause": "button-play_arrow", "button-play_arrow": "button-pause" };
  const buttonOf = (key) => find(`${keyed(key)} button`);
  let awaited = null;
  function passOn({ target, detail }) {
    const key = keyOf(target);
    const next = TAKES_ITS_PLACE[key];
    if (!next || detail) return; // pressed by a pointer
    awaited?.disconnect();
    awaited = new MutationObserver(() => {
      if (!buttonOf(key)?.disabled || buttonOf(next)?.disabled !== false) return;
      awaited.disconnect();
      const isElsewhere = ![document.body, buttonOf(key)].includes(document.activeElement);
      if (!isElsewhere) buttonOf(next).focus();
    });
    awaited.observe(find(MAIN), { subtree: true, attributeFilter: ["disabled"] });
  }
  document.addEventListener("click", passOn, true);

  // Whoever opens an entry of the menu in another window, or copies its address, takes along what is on screen; the menu itself
  // goes by the entry's name, not by its address.
  function takeAlong({ target }) {
    const link = target.closest?.(MENU_LINK);
    if (link) link.search = location.search;
  }
  for (const kind of ["pointerdown", "contextmenu", "focusin"]) document.addEventListener(kind, takeAlong, true);

  // On paper a page is as wide as it was on the screen, and smaller: see print.css.
  const PAPER = 700; // px that are free on A4, and on Letter
  addEventListener("beforeprint", () => {
    const { paddingLeft, paddingRight } = getComputedStyle(find(PAGE));
    const width = find(PAGE).clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight);
    root.style.setProperty("--drawn", `${width}px`);
    root.style.setProperty("--to-paper", Math.min(1, PAPER / width));
    root.classList.toggle("dark-page", getComputedStyle(find(APP)).colorScheme === "dark");
  });

  // A page begins at its title: Streamlit scrolls to the top only where its own menu was used.
  let shown = null;
  function fromTheTop(page) {
    if (page !== shown) find(MAIN)?.scrollTo(0, 0);
    root.dataset.page = page;
    shown = page;
  }

  // The glossary comes after the page, once for each language; Start explains nothing.
  function haveTerms(path) {
    if (!path || document.querySelector(`script[src="${path}"]`)) return;
    const script = document.createElement("script");
    script.src = path;
    document.head.append(script);
  }

  // The page and its language, the words of other scripts in it (see components/shared/full_screen.js and connection.js), and those
  // that the style writes.
  return (page, language, words, names, terms) => {
    root.lang = language;
    Object.assign(root.dataset, words);
    nameFullScreen();
    project(wasProjecting());
    for (const [name, text] of Object.entries(names)) root.style.setProperty(`--${name}`, JSON.stringify(text));
    fromTheTop(page);
    haveTerms(terms);
  };
})();
