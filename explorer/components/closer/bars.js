// The likeliest next words, as bars.

import { element } from "../shared/dom.js";
import { percent } from "../shared/shares.js";

const SMALL = 0.001; // of a probability, below which its bar is not seen
const TOLD = 0.01; // from which on a word's meaning is told

export function bars(list, { next, glosses }, { language, named }) {
  while (list.children.length < next.length) {
    const bar = element("span", { class: "bar" }, element("i"));
    list.append(element("li", {}, element("span", { class: "likely" }), bar, element("span", { class: "share" })));
  }
  for (const [i, [word, share]] of next.entries()) {
    const [likely, bar, of] = list.children[i].children;
    const gloss = share >= TOLD && glosses[i] !== word ? glosses[i] : "";
    const meaning = gloss ? [element("small", { lang: "en", text: gloss })] : [];
    likely.replaceChildren(element("b", { lang: language, text: named(word) }), ...meaning);
    bar.firstChild.style.width = `${100 * share}%`;
    of.textContent = percent(share, 1);
    list.children[i].classList.toggle("small", share < SMALL);
  }
}
