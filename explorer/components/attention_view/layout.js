// The layout that follows from the width of the view and the number of words.

import { clamp } from "../shared/dom.js";
import { fillsScreen } from "../shared/full_screen.js";
import { keyed, MAIN } from "../shared/streamlit_dom.js";

const UPRIGHT = 280; // px: from here on words stand in columns...
const NARROW = 480; // ... from here on with room...
const BESIDE = 860; // ... and from here on with the matrix beside them
const FEET = `.presenting .slides, ${keyed("foot")}, ${keyed("foot")} > *`; // what lies over the end of a window; on a phone, one line of it
const EDGE = 16; // px between the words and what stands below them
const ENOUGH = 200; // px for all words, however many
const TIGHT = 44; // letters of width from which there is space for two weights at a word

// Returns the view's classes. width, letter: px; text: as a coloured text; same: both sides are one sentence; matrix: if there
// is one
export function classesAt(width, { letter, text, same, matrix, heads }) {
  const upright = width >= UPRIGHT && !text;
  const roomy = upright && width >= TIGHT * letter && heads > 1;
  return { upright, narrow: width < NARROW, text, single: text && same, tight: !roomy, beside: matrix && width >= BESIDE };
}

// Returns the px from the top of the page, or of the full screen, to the picture.
export function topOf(stage) {
  const scrolled = fillsScreen(stage) ? 0 : (stage.closest(MAIN)?.scrollTop ?? 0);
  return Math.round(stage.getBoundingClientRect().top + scrolled);
}

// Returns the px of the window's height for words: a share of it; or less, if that puts the whole picture, with the names above
// (`around`) and the sentence below, on the first screen.
export function roomFor(top, share, height, around) {
  const left = height - top - around;
  return left >= ENOUGH ? Math.min(share, left) : share;
}

// Returns the px that the foot of the window, the names above the columns and the sentence below them take.
export function aroundWords(stage, said) {
  const feet = fillsScreen(stage) ? [] : [...document.querySelectorAll(FEET)];
  const foot = Math.max(0, ...feet.map((each) => each.offsetHeight));
  return foot + EDGE + parseFloat(getComputedStyle(stage.querySelector(".side")).paddingTop) + said.offsetHeight;
}

// Returns sizes in px: of a row of the columns, of a word, and of the weights beside it. Words in columns are as large as the
// `room` in the window allows for so many; on a phone also as its width allows for the letters of the `longest`.
export function sizesOf({ upright, narrow }, { letter, room, words, longest = 0 }) {
  const most = narrow ? 2.9 * letter : clamp(2.9 * letter, 0.085 * room, 3.5 * letter); // of a low window few words take less
  const row = clamp(18, clamp(240, room, 56 * letter) / words, most);
  const word = upright
    ? clamp(11, 0.55 * row, (narrow ? clamp(1.15, 17 / longest, 1.4) : 1.5) * letter)
    : (narrow ? 1.1 : 1.5) * letter;
  return { row, word, note: clamp(10.5, 0.66 * word, (narrow ? 0.75 : 1.2) * letter) };
}

// Returns the number of letters of the longest word in some lists.
export const longestOf = (...lists) => Math.max(...lists.flat().map((word) => word.length));

// Returns the boxes of a list of words, measured from the stage's corner.
export function boxesOf(list, from) {
  return [...list.children].map((word) => {
    const { left, right, top, bottom } = word.getBoundingClientRect();
    return { left: left - from.left, right: right - from.left, top: top - from.top, bottom: bottom - from.top };
  });
}
