// Every picture can fill the screen, with letters of the size `--letter` (full_screen.css).

import { element } from "./dom.js";

// Adds the button to a picture's box; call it whenever the picture is drawn, because its name follows the language.
export function canFillScreen(box) {
  if (!document.fullscreenEnabled) return;
  let button = box.querySelector(":scope > .full-screen");
  if (!button) {
    button = element("button", { type: "button", class: "full-screen" });
    button.onclick = () => (document.fullscreenElement === box ? document.exitFullscreen() : box.requestFullscreen());
    box.onfullscreenchange = () => nameButton(box, button);
    box.classList.add("can-fill-screen");
    box.append(button);
  }
  nameButton(box, button);
}

function nameButton(box, button) {
  const { fullScreen = "", leaveFullScreen = "" } = document.documentElement.dataset;
  button.title = document.fullscreenElement === box ? leaveFullScreen : fullScreen;
  button.setAttribute("aria-label", button.title);
}

// Returns whether a node's picture fills the screen, without the page around it.
export const fillsScreen = (node) => node.closest(".can-fill-screen:fullscreen") !== null;
