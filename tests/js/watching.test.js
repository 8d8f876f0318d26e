// When a model that is learning is asked for, and when its page is drawn anew.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Watching } from "../../explorer/components/live/watching.js";

// A Watching with a clock that stands: pass(ms) lets the time go by. asked: the steps after which it has asked.
function watching({ isWhole = true, answers = true } = {}) {
  const it = { asked: [], redrawn: 0, busy: false, time: 0, due: null };
  it.watching = new Watching({
    ask: (after) => {
      it.asked.push(after);
      return answers;
    },
    redraw: () => {
      it.redrawn += 1;
    },
    isWhole: () => isWhole,
    isBusy: () => it.busy,
    now: () => it.time,
    later: (run, ms) => {
      it.due = { run, at: it.time + ms };
    },
  });
  it.pass = (ms) => {
    const end = it.time + ms;
    while (it.due && it.due.at <= end) {
      const { run, at } = it.due;
      Object.assign(it, { time: at, due: null });
      run();
    }
    it.time = end;
  };
  return it;
}

const answer = (newest, more = {}) => ({ over: false, note: "", newest, pause: 0.1, pictures: [{}], ...more });

test("it asks for what is newer than what is drawn, as often as the server says", () => {
  const it = watching();
  it.watching.update({ newest: 0, note: "" });
  it.pass(100);
  assert.deepEqual(it.asked, [0]);
  it.watching.hear(answer(20), true);
  it.pass(99);
  assert.deepEqual(it.asked, [0]);
  it.pass(1);
  assert.deepEqual(it.asked, [0, 20]);
  it.watching.hear(answer(40, { pause: 0.5 }), false);
  it.pass(500);
  assert.deepEqual(it.asked, [0, 20, 20], "not all views have that step");
  it.watching.update(null);
  it.pass(60_000);
  assert.equal(it.asked.length, 3, "it has learned");
});

test("a page that was on its way when somebody stepped back does not ask for another", () => {
  const it = watching();
  it.watching.update({ newest: 0, note: "" });
  it.watching.rest();
  it.watching.update({ newest: 20, note: "" }, true);
  it.watching.hear(answer(40, { over: true }), true);
  it.pass(4999);
  assert.equal(it.redrawn, 0);
  it.watching.update({ newest: 0, note: "" }, false);
  it.watching.hear(answer(40, { over: true }), true);
  assert.equal(it.redrawn, 1);
});

test("it does not ask for the page while somebody has just asked for it", () => {
  const it = watching();
  it.watching.update({ newest: 0, note: "" });
  it.busy = true;
  it.watching.hear(answer(40, { over: true }), true);
  assert.equal(it.redrawn, 0);
  it.pass(100); // it asks again, and is answered the same
  assert.equal(it.asked.length, 1);
  it.busy = false;
  it.watching.hear(answer(40, { over: true }), true);
  assert.equal(it.redrawn, 1);
});

test("where all pictures follow, the page is drawn when there is nothing to wait for any more", () => {
  const it = watching();
  it.watching.update({ newest: 0, note: "" });
  for (let step = 1; step <= 300; step++) {
    it.pass(100);
    it.watching.hear(answer(step), true);
  }
  assert.deepEqual([it.redrawn, it.asked.length], [0, 300]);
  it.watching.hear(answer(300, { over: true, pictures: null }), true);
  assert.equal(it.redrawn, 1);
});

// When the page is drawn in so many seconds, if it is there at once.
function drawings(seconds, options, pictures) {
  const it = watching(options);
  const at = [];
  it.watching.update({ newest: 0, note: "" });
  for (let step = 1; step <= 10 * seconds; step++) {
    const before = it.redrawn;
    it.pass(100);
    if (options.answers !== false) it.watching.hear(answer(step, { pictures }), true);
    if (it.redrawn === before) continue;
    at.push(it.time / 1000);
    it.watching.update({ newest: step, note: "" });
  }
  return at;
}

test("what else is on the page is drawn at growing intervals", () => {
  assert.deepEqual(drawings(30, { isWhole: false }, [{}]), [3, 6, 12, 24]);
});

test("a page without pictures that follow, or without a connection, is drawn more often", () => {
  assert.deepEqual(drawings(8, {}, []), [1, 2, 3, 4, 5.4, 7.2]);
  assert.deepEqual(drawings(8, {}, null), [1, 2, 3, 4, 5.4, 7.2]);
  const without = drawings(8, { answers: false }, null);
  assert.ok(without.length >= 4 && without.length <= 6, String(without));
});

test("a note of the server's is drawn at once, and a page that does not come is asked for again", () => {
  const it = watching();
  it.watching.update({ newest: 5, note: "" });
  it.watching.hear(answer(5, { note: "The worker process ended." }), true);
  assert.equal(it.redrawn, 1);
  it.watching.hear(answer(5, { note: "The worker process ended." }), true);
  assert.equal(it.redrawn, 1, "it is on its way");
  it.pass(5000);
  it.watching.hear(answer(5, { note: "The worker process ended." }), true);
  assert.equal(it.redrawn, 2);
});

test("while somebody goes back in the history, the page is not asked for as well, until that has been drawn", () => {
  const it = watching();
  it.watching.update({ newest: 5, note: "" });
  it.watching.rest();
  it.watching.hear(answer(5, { over: true }), true);
  it.pass(4900);
  assert.equal(it.redrawn, 0);
  it.watching.update({ newest: 5, note: "" });
  it.watching.hear(answer(5, { over: true }), true);
  assert.equal(it.redrawn, 1);
});

test("an answer that gets lost is asked for again", () => {
  const it = watching();
  it.watching.update({ newest: 5, note: "" });
  it.pass(100);
  it.pass(5000);
  assert.deepEqual(it.asked, [5, 5]);
});
