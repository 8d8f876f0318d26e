// How the windows of a room listen: a stream that fails is opened again whatever the answer was, and windows share one.

import assert from "node:assert/strict";
import { test } from "node:test";
import { ask, listen, merged } from "../../explorer/shell/room_page/stream.js";

const settle = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

// A browser with windows: streams are opened by hand, timers run when time passes.
function browser(t) {
  const it = { streams: [], timers: [], channels: [], now: 0 };
  const before = { ...globalThis };
  globalThis.EventSource = class {
    constructor(address) {
      Object.assign(this, { address, isOpen: true });
      it.streams.push(this);
    }
    close() {
      this.isOpen = false;
    }
    says(told) {
      this.onmessage({ data: JSON.stringify(told) });
    }
  };
  globalThis.BroadcastChannel = class {
    constructor(name) {
      Object.assign(this, { name, onmessage: null });
      it.channels.push(this);
    }
    postMessage(data) {
      for (const other of it.channels)
        if (other !== this && other.name === this.name) other.onmessage?.({ data: structuredClone(data) });
    }
  };
  globalThis.addEventListener = (name, act) => {
    it[name] = [...(it[name] ?? []), act];
  };
  globalThis.setTimeout = (run, ms) => {
    const timer = { run, at: it.now + ms };
    it.timers.push(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => {
    it.timers = it.timers.filter((each) => each !== timer);
  };
  t.after(() => Object.assign(globalThis, { setTimeout: before.setTimeout, clearTimeout: before.clearTimeout }));
  it.pass = (ms) => {
    const end = it.now + ms;
    for (;;) {
      const due = it.timers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!due) break;
      it.timers = it.timers.filter((each) => each !== due);
      it.now = due.at;
      due.run();
    }
    it.now = end;
  };
  it.passUntil = (isSo) => {
    for (let turn = 0; turn < 1000 && !isSo(); turn++) it.pass(100);
    assert.ok(isSo(), "it never came");
  };
  it.open = () => it.streams.filter((each) => each.isOpen);
  it.window = (address = "/room/ABCDEF/events") => {
    const window = { heard: [], failed: [] };
    listen(
      address,
      (state) => window.heard.push(state),
      (why) => window.failed.push(why),
    );
    return window;
  };
  return it;
}

test("a state takes in what is new, and curves the points that have come", () => {
  const state = merged(null, { all: true, at: 1, curves: [[[10, 0.1]], []] });
  const next = merged(state, { at: 2, more: [[[20, 0.2]], [[10, 0.3]]] });
  assert.deepEqual(
    [next.at, next.curves],
    [
      2,
      [
        [
          [10, 0.1],
          [20, 0.2],
        ],
        [[10, 0.3]],
      ],
    ],
  );
  assert.deepEqual(merged(next, { curves: null }).curves, null);
  assert.deepEqual(merged(next, { all: true, at: 9 }), { all: true, at: 9 });
});

test("a stream that is refused is opened again, with pauses that grow, and goes on where it answers", (t) => {
  const it = browser(t);
  const window = it.window();
  it.pass(1000);
  assert.equal(it.streams.length, 1);
  const pauses = [];
  for (let turn = 0; turn < 6; turn++) {
    const [failed, count] = [it.now, it.streams.length];
    it.open()[0].onerror();
    it.passUntil(() => it.streams.length > count);
    pauses.push(it.now - failed);
  }
  assert.ok(pauses[0] < 1500 && pauses[5] > pauses[0] && pauses[5] <= 19_000, `${pauses}`);
  assert.deepEqual([window.failed[0], it.open().length], ["connecting", 1]);
  it.open()[0].says({ all: true, at: 3 });
  assert.equal(window.heard[0].at, 3);
  const failed = it.now;
  it.open()[0].onerror();
  it.passUntil(() => it.open().length);
  assert.ok(it.now - failed < 1500, "the pause begins anew once it has answered");
});

test("seven windows of a browser share one stream, and one takes over when that window closes", (t) => {
  const it = browser(t);
  const first = it.window();
  it.pass(1000);
  it.open()[0].says({ all: true, at: 1, title: "one" });
  const others = Array.from({ length: 6 }, () => it.window());
  it.pass(2000);
  assert.equal(it.open().length, 1);
  assert.ok(
    others.every((each) => each.heard.at(-1).title === "one"),
    "a window that comes late is told all",
  );
  it.open()[0].says({ at: 2 });
  assert.ok([first, ...others].every((each) => each.heard.at(-1).at === 2 && each.heard.at(-1).title === "one"));
  it.pagehide[0]();
  it.pass(500);
  assert.ok(it.open().length >= 1, "another window listens");
});

test("where the window that listens falls silent, another one listens", (t) => {
  const it = browser(t);
  it.window();
  it.pass(1000);
  it.open()[0].says({ all: true, at: 1 });
  it.window();
  for (let turn = 0; turn < 8; turn++) {
    it.pass(15_000);
    it.open()[0].says({ alive: true });
  }
  assert.equal(it.open().length, 1, "a sign of life is enough");
  it.pass(90_000);
  assert.equal(it.open().length, 2);
});

test("a room that is over is not asked for again", (t) => {
  const it = browser(t);
  const window = it.window();
  it.pass(1000);
  it.open()[0].says({ over: true });
  it.pass(60_000);
  assert.deepEqual([window.heard, it.open().length, it.streams.length], [[null], 0, 1]);
});

test("a vote that is not answered has a limit, and is said again", async (t) => {
  const it = browser(t);
  let asked = 0;
  const before = globalThis.fetch;
  t.after(() => {
    globalThis.fetch = before;
  });
  globalThis.fetch = (_address, { signal }) => {
    asked += 1;
    if (asked === 3) return Promise.resolve({ json: async () => ({ number: 7 }) });
    return new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  };
  let told = null;
  ask("/join", {}).then((answer) => {
    told = answer;
  });
  for (let turn = 0; turn < 4 && !told; turn++) {
    await settle();
    it.pass(8000);
    await settle();
    it.pass(1000);
  }
  await settle();
  assert.deepEqual([told, asked], [{ number: 7 }, 3]);
  asked = -10;
  ask("/join", {}, 2).then((answer) => {
    told = answer;
  });
  for (let turn = 0; turn < 4; turn++) {
    await settle();
    it.pass(8000);
    await settle();
    it.pass(1000);
  }
  await settle();
  assert.deepEqual([told, asked], [{ error: "no answer" }, -8]);
});
