// A line of text and its caret when words are completed or inserted. Words are sent in lower case.

const LETTERS = /[\p{L}\p{N}'’-]/u;
const MOST = 6; // words on offer at once

// Returns the letters of a word right before the caret; none in the middle of a word.
export function begunAt(text, caret) {
  if (LETTERS.test(text[caret] ?? " ")) return "";
  let start = caret;
  while (start > 0 && LETTERS.test(text[start - 1])) start--;
  return text.slice(start, caret);
}

// Returns the completions of the word before the caret, the shortest first; none for one letter alone.
export function completionsOf(text, caret, words) {
  const begun = begunAt(text, caret).toLowerCase();
  if (begun.length < 2) return [];
  const longer = words.filter((word) => word.startsWith(begun) && word !== begun);
  return longer.sort((a, b) => a.length - b.length || (a < b ? -1 : 1)).slice(0, MOST);
}

// Returns the letters of the word before the caret if no known word begins with them; "" otherwise, and for one letter alone.
// Contractions are left to the server.
export function beginsNone(text, caret, known) {
  const begun = begunAt(text, caret).toLowerCase();
  if (begun.length < 2 || /['’]/.test(begun)) return "";
  for (const word of known) if (word.startsWith(begun)) return "";
  return begun;
}

// Completes the word before the caret, with a space after it.
export function completed(text, caret, word) {
  const before = `${text.slice(0, caret - begunAt(text, caret).length)}${word} `;
  return { text: before + text.slice(caret).replace(/^ /, ""), caret: before.length };
}

// Inserts a word at the caret, or after the word that the caret is in.
export function inserted(text, caret, word) {
  let at = caret;
  while (at > 0 && LETTERS.test(text[at - 1]) && LETTERS.test(text[at] ?? " ")) at++;
  const before = text.slice(0, at) + (/[^ ]$/.test(text.slice(0, at)) ? " " : "") + word;
  const behind = text.slice(at);
  return { text: before + (/^[^ ]/.test(behind) ? " " : "") + behind, caret: before.length };
}

// Returns the unknown words of a line, each once, without the one that is being typed. Contractions (doesn't, Anna's) are left
// to the server.
export function unknownIn(text, caret, known) {
  const being = caret - begunAt(text, caret).length;
  const found = new Set();
  for (const { 0: word, index } of text.matchAll(/[\p{L}\p{N}'’-]+/gu)) {
    const typing = index === being && caret > index;
    if (!typing && !/['’]/.test(word) && !known.has(word.toLowerCase())) found.add(word);
  }
  return [...found];
}

// Returns all single words of the list, each once, with those of phrases; without endings such as 's.
export function singleWords(kinds) {
  const parts = kinds.flatMap(({ entries }) => entries.flat().flatMap((form) => form.split(" ")));
  return [...new Set(parts)].filter((word) => !word.startsWith("'"));
}

// Filters the kinds of words by a search in all their forms; words that begin with it come first.
export function matching(kinds, searched) {
  const wanted = searched.trim().toLowerCase();
  const begins = (entry) => Number(!entry.some((form) => form.startsWith(wanted)));
  const found = (entries) => entries.filter((entry) => entry.some((form) => form.includes(wanted)));
  return kinds
    .map(({ title, entries }) => ({ title, entries: found(entries).sort((a, b) => begins(a) - begins(b)) }))
    .filter(({ entries }) => entries.length > 0);
}

// Returns the index among `count` after an arrow key, from 0; -1 is none of them, between the last and the first.
export const moved = (place, by, count) => ((place + 1 + by + count + 1) % (count + 1)) - 1;
