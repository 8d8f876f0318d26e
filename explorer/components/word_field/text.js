// What becomes of a line of text and the place of its caret when words are completed or inserted. Words are sent in lower case.

const LETTERS = /[\p{L}\p{N}'’-]/u;
const MOST = 6; // words that are offered at once

// The letters of a word that stand right before the caret; none in the middle of a word.
export function begunAt(text, caret) {
  if (LETTERS.test(text[caret] ?? " ")) return "";
  let start = caret;
  while (start > 0 && LETTERS.test(text[start - 1])) start--;
  return text.slice(start, caret);
}

// The words that the one before the caret may become: the shortest first. One letter alone says too little.
export function completionsOf(text, caret, words) {
  const begun = begunAt(text, caret).toLowerCase();
  if (begun.length < 2) return [];
  const longer = words.filter((word) => word.startsWith(begun) && word !== begun);
  return longer.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, MOST);
}

// The line in which the word before the caret is this one, and a blank stands behind it.
export function completed(text, caret, word) {
  const before = `${text.slice(0, caret - begunAt(text, caret).length)}${word} `;
  return { text: before + text.slice(caret).replace(/^ /, ""), caret: before.length };
}

// The line with a word more where the caret is, or behind the word in whose middle it stands.
export function inserted(text, caret, word) {
  let at = caret;
  while (at > 0 && LETTERS.test(text[at - 1]) && LETTERS.test(text[at] ?? " ")) at++;
  const before = text.slice(0, at) + (/[^ ]$/.test(text.slice(0, at)) ? " " : "") + word;
  const behind = text.slice(at);
  return { text: before + (/^[^ ]/.test(behind) ? " " : "") + behind, caret: before.length };
}

// The words of a line that are not known, each once, but for the one that is being typed. Contractions (doesn't, Anna's) are the
// server's business.
export function unknownIn(text, caret, known) {
  const being = caret - begunAt(text, caret).length;
  const found = new Set();
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}'’-]+/gu)) {
    const typing = index === being && caret > index;
    if (!typing && !/['’]/.test(word) && !known.has(word.toLowerCase())) found.add(word);
  }
  return [...found];
}

// All single words of the list, each once, with those that phrases are made of; not the endings, such as 's.
export function singleWords(kinds) {
  const parts = kinds.flatMap(({ entries }) => entries.flat().flatMap((form) => form.split(" ")));
  return [...new Set(parts)].filter((word) => !word.startsWith("'"));
}

// The kinds of words with those alone that hold what is searched for, in any of their forms; those that begin with it first.
export function matching(kinds, searched) {
  const wanted = searched.trim().toLowerCase();
  const begins = (entry) => Number(!entry.some((form) => form.startsWith(wanted)));
  const found = (entries) => entries.filter((entry) => entry.some((form) => form.includes(wanted)));
  return kinds
    .map(({ title, entries }) => ({ title, entries: found(entries).sort((a, b) => begins(a) - begins(b)) }))
    .filter(({ entries }) => entries.length > 0);
}

// The place among `count` after a press of an arrow key, from 0; -1 is none of them, which lies between the last and the first.
export const moved = (place, by, count) => ((place + 1 + by + count + 1) % (count + 1)) - 1;
