// Every picture can fill the screen.

import { element } from "./dom.js";

// Gives a picture's box the button in its corner; call it whenever the picture is drawn, as its name follows the language.
export function canFillScreen(box) {
  if (!document.fullscreenEnabled) return;
  let button = box.querySelector(":scope > .full-screen");
  if (!button) {
    button = element("button", { type: "button", class: "full-screen" });
    button.onclick = () => (document.fullscreenElement === box ? document.exitFullscreen() : box.requestFullscreen());
    box.classList.add("can-fill-screen");
    box.append(button);
  }
  button.title = document.documentElement.dataset.fullScreen ?? "";
  button.setAttribute("aria-label", button.title);
}

export const fillsScreen = (node) => document.fullscreenElement?.contains(node) ?? false;
