// Says that the page is not connected: all that it shows comes over a WebSocket, and some networks let none through.

import { CLOSE_DIALOG, connectionState } from "../components/shared/streamlit_dom.js";

globalThis.explorerConnection = (told, language, patience) => {
  const PAUSE = 1000; // ms between two looks
  const root = document.documentElement;
  const isConnected = () => connectionState() === "CONNECTED";
  const box = document.createElement("p");
  box.setAttribute("role", "alert"); // it is read aloud when its words come
  box.style = `position: fixed; z-index: 1000000; inset: 4.5rem 1rem auto; max-width: 40rem; margin: auto; padding: 1rem 1.25rem;
    border: 2px solid currentColor; border-radius: 0.5rem; font: 1.125rem/1.5 sans-serif; color: CanvasText; background: Canvas;
    color-scheme: light dark;`;

  function say(words, inLanguage) {
    if (isConnected()) return;
    box.lang = inLanguage;
    if (!box.isConnected) document.body.append(box);
    if (box.textContent !== words) box.textContent = words;
  }

  // Why it never was connected.
  async function reason() {
    const asked = fetch("_stcore/health", { cache: "no-store", signal: AbortSignal.timeout(5000) }); // it lies beside the page
    const answer = await asked.catch(() => null);
    return answer?.ok ? told.blocked : told.away;
  }

  let waited = 0;
  async function look() {
    if (isConnected()) {
      waited = 0;
      box.remove();
    } else if (connectionState()) waited += PAUSE;
    if (waited >= patience) {
      if (root.dataset.lost)
        say(root.dataset.lost, root.lang); // it was connected: see bar.js
      else say(await reason(), language);
    }
    setTimeout(look, PAUSE);
  }
  look();

  // Streamlit says it as well, in English, and lets nobody read the page meanwhile.
  const close = () => {
    if (!isConnected()) document.querySelector(CLOSE_DIALOG)?.click();
  };
  addEventListener("DOMContentLoaded", () => new MutationObserver(close).observe(document.body, { childList: true }));
};
