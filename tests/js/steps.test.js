// Which steps of the browser's history Streamlit hears of, and what it may write into it.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

const LOST = 6000; // ms after which a step that was not answered is asked for again

// Lets the time go by: what a timer starts has its time as well.
function pass(ms) {
  for (let gone = 0; gone < ms; gone += 10) mock.timers.tick(10);
}

let [heard, written, app, popped] = [];

// The script is run once in a page: each test has a page of its own.
beforeEach(async () => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  [heard, written, popped] = [[], [], []];
  app = { "data-test-script-state": "notRunning", "data-test-connection-state": "CONNECTED" };
  const write = (name) => (_state, _title, url) => {
    written.push([name, url]);
    const [pathname, search] = url.split("?");
    Object.assign(location, { pathname, search: search ? `?${search}` : "" });
  };
  Object.assign(globalThis, {
    location: { pathname: "/heads", search: "?step=3" },
    history: { state: null, pushState: write("push"), replaceState: write("replace") },
    document: { querySelector: () => ({ getAttribute: (name) => app[name] }) },
    addEventListener: (_kind, listener) => popped.push(listener),
    PopStateEvent: class {},
    dispatchEvent: (event) => {
      let goesOn = true;
      popped[0](Object.assign(event, { stopImmediatePropagation: () => (goesOn = false) }));
      if (goesOn) heard.push(location.pathname + location.search);
    },
  });
  await import(`../../explorer/shell/steps.js?${Math.random()}`);
});

function step(address) {
  const [pathname, search] = address.split("?");
  Object.assign(location, { pathname, search: search ? `?${search}` : "" });
  dispatchEvent(new PopStateEvent());
}

test("Streamlit hears of one step at a time, and of the last", () => {
  for (const address of ["/masks", "/shapes", "/story"]) step(address);
  assert.deepEqual(heard, ["/masks"]);
  history.pushState({}, "", "/masks");
  assert.deepEqual(written, [], "it would be an entry that nobody has made");
  explorerSteps.follow(0);
  assert.deepEqual(heard, ["/masks"], "a page that was on its way before");
  explorerSteps.follow(1);
  assert.deepEqual(heard, ["/masks", "/story"]);
  assert.ok(explorerSteps.areOnTheirWay);
  explorerSteps.follow(2);
  assert.deepEqual(heard, ["/masks", "/story"]);
  assert.ok(!explorerSteps.areOnTheirWay);
});

test("a step of a lesson is one entry, though its address is written before its page", () => {
  const click = (isWay) => popped[1]({ target: { closest: () => isWay } });
  click(true);
  history.pushState({}, "", "/heads?at=2");
  history.pushState({}, "", "/masks?at=2");
  click(true);
  history.pushState({}, "", "/masks?at=3");
  click(false);
  history.pushState({}, "", "/masks?at=3&pad_src=2");
  history.pushState({}, "", "/masks?at=3&pad_src=3");
  assert.deepEqual(
    written.map(([name]) => name),
    ["push", "replace", "push", "push", "push"],
  );
});

test("an address that hands over a draft is no entry", () => {
  location.search = "?step=3&draft=abc";
  history.pushState({}, "", "/heads?step=3");
  history.pushState({}, "", "/heads?step=4");
  assert.deepEqual(
    written.map(([name]) => name),
    ["replace", "push"],
  );
});

test("what the page that a step leads to says of itself takes the place of the step", () => {
  step("/masks");
  app["data-test-script-state"] = "running";
  explorerSteps.follow(1);
  pass(100);
  history.pushState({}, "", "/masks?run=1");
  app["data-test-script-state"] = "notRunning";
  pass(100);
  history.pushState({}, "", "/masks?run=1&pad_src=3");
  assert.deepEqual(written, [
    ["replace", "/masks?run=1"],
    ["push", "/masks?run=1&pad_src=3"],
  ]);
});

test("a step whose answer something else has taken is asked for again, once the server rests", () => {
  app["data-test-script-state"] = "running";
  step("/masks");
  pass(LOST);
  assert.deepEqual(heard, ["/masks"]);
  app["data-test-script-state"] = "notRunning";
  pass(LOST);
  assert.deepEqual(heard, ["/masks", "/masks"]);
  explorerSteps.follow(1);
  pass(LOST);
  assert.deepEqual(heard, ["/masks", "/masks"]);
});

test("a step to a heading of the page is none that is waited for", () => {
  step("/heads?step=3");
  history.pushState({}, "", "/masks");
  assert.deepEqual(written, [["push", "/masks"]]);
});
