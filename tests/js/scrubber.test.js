// The pure parts of the scrubber: where it stands between a person and a server, and what is drawn along it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { duration, jumpsOf, outline, placeOf, rightAt, shareOfWay } from "../../explorer/components/scrubber/course.js";
import { Position } from "../../explorer/components/scrubber/position.js";

const STEPS = [0, 10, 40];

function standing(position = null, answered = 0) {
  const it = new Position();
  it.hear({ position, answered });
  return it;
}

function chosen(it, step) {
  it.choose(step);
  return it.next();
}

test("a choice is told once, with a number, and the next when it was answered", () => {
  const it = standing();
  assert.deepEqual(chosen(it, 10), { step: 10, number: 1 });
  assert.equal(it.next(), null);
  assert.deepEqual([chosen(it, 40), chosen(it, 0)], [null, null]);
  it.hear({ position: 10, answered: 1 });
  assert.deepEqual(it.next(), { step: 0, number: 2 }, "40 was passed over");
  it.hear({ position: 0, answered: 2 });
  assert.equal(it.next(), null);
});

test("what a person chose does not jump back while older answers arrive", () => {
  const it = standing();
  chosen(it, 10);
  it.hear({ position: null, answered: 0 }); // drawn before the choice arrived: a redraw by itself
  assert.deepEqual([it.wanted, it.next()], [10, null]);
  chosen(it, 40);
  it.hear({ position: 10, answered: 1 });
  assert.equal(it.wanted, 40);
  it.next();
  it.hear({ position: 10, answered: 1 });
  assert.equal(it.wanted, 40);
  it.hear({ position: 40, answered: 2 });
  assert.equal(it.wanted, 40);
});

test("the server moves it as well: the address, another control, or where there is no such step", () => {
  const it = standing(40);
  assert.equal(it.wanted, 40);
  it.hear({ position: 10, answered: 0 });
  assert.equal(it.wanted, 10);
  chosen(it, 39);
  it.hear({ position: 10, answered: 1 });
  assert.deepEqual([it.wanted, it.next()], [10, null], "it answers with another place, which is not told again");
  it.hear({ position: null, answered: 1 });
  assert.equal(it.wanted, null);
});

test("what the server knows already is not told", () => {
  const it = standing(10);
  assert.equal(chosen(it, 10), null);
  assert.deepEqual(chosen(it, null), { step: null, number: 1 });
  chosen(it, 10);
  chosen(it, null);
  it.hear({ position: null, answered: 1 });
  assert.equal(it.next(), null, "there and back while it waited");
});

test("a view that is drawn anew counts on, and one whose server has forgotten it waits no longer", () => {
  const it = standing(10, 7);
  assert.deepEqual(chosen(it, 40), { step: 40, number: 8 });
  it.hear({ position: null, answered: 0 });
  assert.equal(it.wanted, null);
  assert.deepEqual(chosen(it, 10), { step: 10, number: 9 });
});

test("a scrubber stands at the last step that is not behind the wanted one", () => {
  assert.deepEqual(
    [null, 0, 9, 10, 39, 99, -1].map((wanted) => placeOf(STEPS, wanted)),
    [2, 0, 0, 1, 1, 2, 0],
  );
});

test("steps stand evenly, and what was measured between two of them lies between them", () => {
  assert.deepEqual(
    [0, 5, 10, 25, 40, 99].map((step) => shareOfWay(STEPS, step)),
    [0, 0.25, 0.5, 0.75, 1, 1],
  );
  assert.equal(shareOfWay([0], 0), 0);
});

test("the share right is the last that was measured by then", () => {
  const curve = [
    [10, 0.2],
    [30, 0.9],
  ];
  assert.deepEqual(
    [0, 10, 29, 30, 99].map((step) => rightAt(curve, step)),
    [null, 0.2, 0.2, 0.9, 0.9],
  );
});

test("the curve goes up to the last step kept, and no line is drawn through one point", () => {
  const curve = [
    [0, 0],
    [25, 0.5],
    [40, 1],
    [50, 1],
  ];
  assert.deepEqual(outline(STEPS, curve), { line: "M0 100L75 50L100 0", area: "M0 100L75 50L100 0L100 100L0 100Z" });
  assert.deepEqual(outline([0], curve), { line: "", area: "" });
  assert.deepEqual(outline(STEPS, []), { line: "", area: "" });
});

test("how long it has learned, in words", () => {
  const texts = { initial: "not yet", duration: "{step} of {last}", soFar: "{step} so far" };
  const words = (at, live = false) => duration({ steps: STEPS, live, texts }, at);
  assert.deepEqual(
    [words(0), words(1), words(2), words(1, true), words(2, true)],
    ["not yet", "10 of 40", "40 of 40", "10 of 40", "40 so far"],
  );
});

test("jumps: to steps that are there, and to the latest while the model learns", () => {
  const texts = { jump: "{name} at {step}", nowhere: "{name}, not yet", latest: "latest" };
  const jumps = [
    { name: "right", step: 30 },
    { name: "best", step: null },
  ];
  const named = [
    { name: "right", detail: "30", text: "right at 30", step: 30, open: true },
    { name: "best", detail: "–", text: "best, not yet", step: null, open: false },
  ];
  assert.deepEqual(jumpsOf({ jumps, texts, live: false }, 30), named);
  const latest = { name: "latest", detail: "", text: "latest", step: null, open: true, pressed: true };
  assert.deepEqual(jumpsOf({ jumps, texts, live: true }, null), [latest, ...named]);
  assert.equal(jumpsOf({ jumps, texts, live: true }, 30)[0].pressed, false);
});
