// A sentence with words in bold, and terms that are explained: "[text](term)" names a term, {name} a word.

import { element } from "../shared/dom.js";

const PART = /\{(\w+)\}|\[([^\]]+)\]\((\w+)\)/g;

// Returns the nodes of a sentence. words: by name, { text, lang }; term(text, name): the node of a term.
export function written(sentence, words, term) {
  const nodes = [];
  let end = 0;
  for (const match of sentence.matchAll(PART)) {
    nodes.push(sentence.slice(end, match.index));
    const [all, name, text, key] = match;
    if (key) nodes.push(term(text, key));
    else if (typeof words[name] === "object") nodes.push(element("b", { lang: words[name].lang, text: words[name].text }));
    else nodes.push(String(words[name] ?? all));
    end = match.index + all.length;
  }
  return [...nodes, sentence.slice(end)];
}
