// Every picture can be taken home, as a drawing or as numbers (see take_home/, which is fetched when a menu is opened first).

import { element } from "./dom.js";

// Adds the button to a picture's box; call it before `canFillScreen`, and whenever the picture is drawn, because its name follows the
// language.
export function canBeTakenHome(box) {
  let tools = box.querySelector(":scope > .take-home");
  if (!tools) {
    const button = element("button", { type: "button", "aria-expanded": "false" });
    tools = element("div", { class: "take-home" }, button);
    button.onclick = async () => {
      const { takeHomeBy } = document.documentElement.dataset; // not where a page runs alone
      if (takeHomeBy) (await import(new URL(takeHomeBy, document.baseURI))).default(box, tools);
    };
    box.classList.add("can-be-taken");
    box.append(tools);
  }
  const button = tools.firstElementChild;
  button.title = document.documentElement.dataset.takeHome ?? "";
  button.setAttribute("aria-label", button.title);
}
