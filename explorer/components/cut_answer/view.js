// The answers before and after a cut, in one sentence.

import { element } from "../shared/dom.js";
import { follow } from "../shared/live.js";

// Returns the nodes of the sentence, with the pieces of the answer in the place of {after}.
function sentence({ texts, cut, before, after, between }) {
  const said = !cut ? texts.whole : after.length ? texts.changed : texts.same;
  const [begun, ended = ""] = said.replace("{before}", () => before).split("{after}");
  const pieces = after.flatMap(([text, differs], at) => [
    ...(at ? [between] : []),
    differs ? element("strong", { text }) : text,
  ]);
  return [begun, ...pieces, ended];
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".cut-answer");
  follow(root, data.live, (numbers) => {
    const said = { ...data, ...numbers };
    root.classList.toggle("cuts", said.cut);
    root.replaceChildren(...sentence(said));
  });
}
