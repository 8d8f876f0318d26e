// Every picture can fill the screen. Its letters are then as large as `--letter` says (full_screen.css).

import { element } from "./dom.js";

// Gives a picture's box the button in its corner; call it whenever the picture is drawn, as its name follows the language.
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

// Whether the picture of a node fills the screen, and not the page around it.
export const fillsScreen = (node) => node.closest(".can-fill-screen:fullscreen") !== null;
