import assert from "node:assert/strict";
import { test } from "node:test";
import { layout, short } from "../../explorer/components/matrices/layout.js";

const LABELS = { left: 60, long: 40, overhang: 25, rise: 30 };
const laid = (changes, room, height = null) =>
  layout({ count: 8, rows: 9, columns: 6, wide: 4, cell: 20, ...changes }, LABELS, room, height);

test("panels lie in the rows that are asked for, two on a phone, and fit into the room", () => {
  for (const [room, count, across] of [
    [1100, 8, 4],
    [1100, 3, 3],
    [350, 8, 2],
    [350, 1, 1],
  ]) {
    const plan = laid({ count }, room);
    assert.equal(plan.across, across);
    assert.ok(60 + across * 6 * plan.w + (across - 1) * plan.gap <= room);
    assert.equal(plan.h, 20);
  }
  assert.equal(laid({ count: 1, wide: 1 }, 350).across, 1);
});

test("square cells are no higher than wide, and as low as the others where there is room", () => {
  const mask = { count: 1, rows: 64, columns: 63, wide: 1, cell: 22 };
  assert.ok(laid(mask, 350).h > laid(mask, 350).w);
  const { w, h } = laid({ ...mask, square: true }, 350);
  assert.equal(h, w);
  assert.equal(laid({ ...mask, square: true }, 4000).h, 22);
});

test("slanted labels keep room for the last of them", () => {
  const plan = laid({ columns: 30 }, 1100);
  assert.ok(plan.w < LABELS.long && 60 + 4 * 30 * plan.w + 3 * plan.gap + LABELS.overhang <= 1100);
});

test("cells are no wider than they need to be, but on a screen of their own", () => {
  const plan = laid({ count: 1, columns: 2 }, 1100);
  const full = laid({ count: 1, columns: 2 }, 1900, 900);
  assert.ok(plan.w < 100 && full.w > plan.w);
  assert.equal(full.h, 100);
  assert.equal(laid({ columns: 200 }, 1100, 100).h, 20, "never lower than on the page");
});

test("cells that hold words keep their width, also where there is no room", () => {
  const words = { count: 1, columns: 12, narrowest: 44 };
  assert.equal(laid(words, 350).w, 44);
  assert.ok(laid(words, 1100).w > 44);
});

test("an overview keeps its rows on a phone, with square cells", () => {
  const plan = laid({ overview: true, cell: 20 }, 350);
  assert.equal(plan.across, 4);
  assert.equal(plan.w, plan.h);
  assert.ok(60 + 4 * 6 * plan.w + 3 * plan.gap <= 350 && plan.gap < laid({}, 350).gap);
  assert.equal(laid({ overview: true, cell: 20 }, 2000).w, 20, "no wider than high");
  assert.equal(laid({ overview: true, cell: 20, narrowest: 14 }, 350).w, 14, "what does not fit is scrolled");
});

test("the ends of a scale are short", () => {
  assert.deepEqual([0, 1, -2.4567, 0.761234, 12345].map(short), ["0", "1", "−2.46", "0.761", "12300"]);
});
