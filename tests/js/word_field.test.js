// The pure parts of the word field: what becomes of a line and its caret.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  beginsNone,
  begunAt,
  completed,
  completionsOf,
  inserted,
  matching,
  moved,
  singleWords,
  unknownIn,
} from "../../explorer/components/word_field/text.js";

const WORDS = ["horses", "horse", "house", "a", "an", "cat", "cats", "french"];
const at = (line) => [line.replace("|", ""), line.indexOf("|")]; // the caret is written |
const written = ({ text, caret }) => `${text.slice(0, caret)}|${text.slice(caret)}`;

test("the word that is being typed ends at the caret", () => {
  const begun = { "the hor|": "hor", "the |": "", "|the": "", "th|e": "", "don't| go": "don't", "a|": "a", "l’é|": "l’é" };
  for (const [line, word] of Object.entries(begun)) assert.equal(begunAt(...at(line)), word, line);
});

test("a word is completed by longer ones, the shortest first, from two letters on", () => {
  const offered = (line) => completionsOf(...at(line), WORDS);
  assert.deepEqual(offered("the ho|"), ["horse", "house", "horses"]);
  assert.deepEqual(offered("The Cat| sleeps"), ["cats"]);
  assert.deepEqual([offered("a|"), offered("zeb|"), offered("the |"), offered("ho|rse")], [[], [], [], []]);
  assert.deepEqual(
    completionsOf(
      "xy",
      2,
      Array.from({ length: 9 }, (_, i) => `xy${i}`),
    ).length,
    6,
  );
  assert.deepEqual(WORDS[0], "horses", "the list itself stays in its order");
});

test("a completed word is followed by one blank, and the caret", () => {
  const done = (line) => written(completed(...at(line), "horse"));
  assert.equal(done("the ho| sleeps"), "the horse |sleeps");
  assert.equal(done("ho|"), "horse |");
  assert.equal(done("a Ho|, now"), "a horse |, now");
});

test("an inserted word stands apart from its neighbours", () => {
  const done = (line) => written(inserted(...at(line), "cat"));
  assert.equal(done("|"), "cat|");
  assert.equal(done("the|"), "the cat|");
  assert.equal(done("the |"), "the cat|");
  assert.equal(done("t|he dog"), "the cat| dog");
  assert.equal(done("|the dog"), "cat| the dog");
  assert.equal(done("the | dog"), "the cat| dog");
  assert.equal(done("  |dog"), "  cat| dog");
});

test("unknown words are named once, but not while they are being typed", () => {
  const known = new Set(["the", "horse"]);
  const found = (line) => unknownIn(...at(line), known);
  assert.deepEqual(found("The zebra sees the zebra |"), ["zebra", "sees"]);
  assert.deepEqual(found("the zeb|"), []);
  assert.deepEqual(found("zebra| the okapi"), ["okapi"]);
  assert.deepEqual(found("the horse doesn't, the horse’s. |"), []);
});

const KINDS = [
  { title: "nouns", entries: [["bored"], ["mouse", "mice"], ["red"]] },
  { title: "phrases", entries: [["how red"], ["'s"]] },
];

test("a search keeps the kinds that hold it in any form, and words that begin with it stand first", () => {
  assert.deepEqual(matching(KINDS, " RED "), [
    { title: "nouns", entries: [["red"], ["bored"]] },
    { title: "phrases", entries: [["how red"]] },
  ]);
  assert.deepEqual(matching(KINDS, "mic"), [{ title: "nouns", entries: [["mouse", "mice"]] }]);
  assert.deepEqual(matching(KINDS, ""), KINDS);
  assert.deepEqual(matching(KINDS, "zebra"), []);
});

test("the words of the list stand alone, once, without endings", () => {
  assert.deepEqual(singleWords(KINDS), ["bored", "mouse", "mice", "red", "how"]);
});

test("arrow keys go round, past none of them", () => {
  assert.deepEqual([moved(-1, 1, 3), moved(0, 1, 3), moved(2, 1, 3)], [0, 1, -1]);
  assert.deepEqual([moved(-1, -1, 3), moved(0, -1, 3), moved(2, -1, 3)], [2, -1, 1]);
});

test("letters with which no known word begins are said, while they are typed", () => {
  const said = (line) => beginsNone(...at(line), new Set(WORDS));
  assert.deepEqual(["the qu|", "Qux|"].map(said), ["qu", "qux"]);
  assert.deepEqual(["the ho|", "the cat|", "q|", "the |", "qu|een", "doesn't|"].map(said), ["", "", "", "", "", ""]);
});
