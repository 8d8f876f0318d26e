// The answers before and after the changes, in a sentence.

import { element } from "../shared/dom.js";
import { follow } from "../shared/live.js";

// Returns the nodes of the sentence, with the pieces of the answer in the place of {after}.
function sentence({ texts, cut, edited, before, after, between }) {
  const said = !cut && !edited ? texts.unchanged : after.length ? texts.changed : texts.same;
  const [begun, ended = ""] = said.replace("{before}", () => before).split("{after}");
  const pieces = after.flatMap(([text, differs], at) => [
    ...(at ? [between] : []),
    differs ? element("strong", { text }) : text,
  ]);
  return [edited ? `${edited} ` : "", begun, ...pieces, ended];
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".cut-answer");
  follow(root, data.live, (numbers) => {
    const said = { ...data, ...numbers };
    root.classList.toggle("cuts", said.cut);
    root.classList.toggle("edits", Boolean(said.edited));
    root.replaceChildren(...sentence(said));
  });
}
