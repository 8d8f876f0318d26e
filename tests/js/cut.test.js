// What has been clicked to be cut, while the page has not caught up with it.

import assert from "node:assert/strict";
import { mock, test } from "node:test";
import { Ahead } from "../../explorer/components/shared/cut.js";

function ahead(made = "", most = 3) {
  const asked = [];
  globalThis.explorerLive = { turn: (name, read) => asked.push([name, read()]) };
  const it = new Ahead();
  it.update({ made, most });
  return { it, asked };
}

test("each click adds to what the page will say, and no click leaves its newest out", () => {
  const { it, asked } = ahead("src:0");
  it.cut(["src:1"]);
  it.cut(["tgt:1"]);
  it.cut([]);
  assert.deepEqual(asked, [
    ["cut", "src:0,src:1"],
    ["cut", "src:0,src:1,tgt:1"],
    ["cut", "src:0,src:1"],
  ]);
});

test("nothing is asked for beyond the most that fit: the page says so", () => {
  const { it, asked } = ahead("src:0,src:1,src:2");
  it.cut(["src:3"]);
  assert.deepEqual(asked, []);
});

test("a page that has caught up is what counts; one of an earlier click is not", () => {
  const { it, asked } = ahead();
  it.cut(["src:1"]);
  it.cut(["src:2"]);
  it.update({ made: "src:1", most: 3 });
  assert.equal(it.wanted, "src:1,src:2");
  it.update({ made: "src:1,src:2", most: 3 });
  assert.equal(it.wanted, undefined);
  it.update({ made: "", most: 3 });
  it.cut(["src:2"]);
  assert.deepEqual(asked.at(-1), ["cut", "src:2"]);
});

test("a page that does not do what was clicked is shown as it is after a while", () => {
  mock.timers.enable({ apis: ["setTimeout"] });
  const { it, asked } = ahead();
  it.cut(["src:1"]);
  mock.timers.tick(60_000);
  assert.deepEqual(asked.at(-1), ["cut", undefined]);
  mock.timers.reset();
});
