// When pictures are asked for while a knob is moved, and who draws them.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Asking } from "../../explorer/components/live/asking.js";
import { numberIn } from "../../explorer/components/live/number.js";
import { bySight, follow, followers, wishOf } from "../../explorer/components/shared/live.js";

function asking() {
  const sent = [];
  return { sent, it: new Asking((n, question) => sent.push([n, question])) };
}

test("one question is under way, and the next asks for what is wanted by then", () => {
  const { sent, it } = asking();
  for (const value of [8, 16, 24]) it.want(value);
  assert.deepEqual(sent, [[1, 8]]);
  assert.equal(it.hear({ n: 1 }), 8);
  assert.deepEqual(sent.length, 1, "not before its picture has been painted");
  it.next();
  assert.deepEqual(sent[1], [2, 24], "16 was passed over");
  assert.equal(it.hear({ n: 2 }), 24);
  it.next();
  assert.equal(sent.length, 2);
});

test("what is out of sight comes after what is seen, if nothing else is wanted by then", () => {
  const { sent, it } = asking();
  const answered = () => {
    it.hear({ n: sent.length });
    it.next();
  };
  it.want("seen at 8", "the rest at 8");
  it.want("seen at 16", "the rest at 16");
  answered();
  answered();
  answered();
  const words = ["seen at 8", "seen at 16", "the rest at 16"];
  assert.deepEqual(
    sent.map(([, question]) => question),
    words,
  );
  it.want("seen at 24", "the rest at 24");
  it.forget();
  it.next();
  assert.equal(sent.length, 4, "what was forgotten has no rest");
});

test("views are told apart by whether they can be seen", () => {
  const at = (top) => [{ getBoundingClientRect: () => ({ top, bottom: top + 100 }) }, {}];
  globalThis.innerHeight = 700;
  const [above, touches, below] = [at(-100), at(690), at(700)];
  assert.deepEqual(bySight([above, touches, below]), [[touches], [above, below]]);
});

test("an answer that nobody waits for is not heard", () => {
  const { sent, it } = asking();
  assert.equal(it.hear({ n: 0 }), null);
  it.want(8);
  it.forget();
  assert.equal(it.hear({ n: 1 }), null);
  it.want(16);
  assert.deepEqual(sent[1], [2, 16], "what was forgotten holds up nothing");
  assert.equal(it.hear({ n: 1 }), null);
  assert.equal(it.hear({ n: 2 }), 16);
  assert.equal(it.hear({ n: 2 }), null, "nor twice");
});

function view() {
  return { isConnected: true, classList: { toggle() {} } };
}

test("a view draws what it was given last while a knob is ahead, whatever the page sends meanwhile", () => {
  const [node, drawn] = [view(), []];
  const draw = (numbers, isLive) => {
    drawn.push(numbers);
    assert.ok(!isLive, "the page may have another width, or other colours");
  };
  follow(node, { picture: "head" }, draw);
  globalThis.explorerLive.views.get(node).numbers = "of the knob";
  follow(node, { picture: "head" }, draw);
  assert.deepEqual(drawn, [null, "of the knob"]);
  follow(node, null, draw);
  assert.deepEqual([drawn.at(-1), followers().length], [null, 0], "one that waits for the page draws what that sent");
});

test("views that have left the page follow nothing", () => {
  const [stays, goes] = [view(), view()];
  for (const node of [stays, goes]) follow(node, {}, () => {});
  goes.isConnected = false;
  assert.deepEqual(
    followers().map(([node]) => node),
    [stays],
  );
});

test("on a page without a model no view follows a knob, and each keeps its name", () => {
  const node = view();
  follow(node, { picture: "race-curves" }, () => {});
  globalThis.explorerLive.told = { hasModel: false };
  assert.deepEqual([followers(), wishOf(node)], [[], { picture: "race-curves" }]);
  globalThis.explorerLive.told = null;
});

test("a slider's number is read as the page writes it, and what is none is no value", () => {
  const written = ["1.70", "1,000", "-3", "−3", "1 × 10⁻⁵", "2.5 × 10¹²", "0.1"];
  assert.deepEqual(written.map(numberIn), [1.7, 1000, -3, -3, 1e-5, 2.5e12, 0.1]);
  assert.deepEqual(["", "all", "1 × 10", "1 × 10⁻x"].map(numberIn), [undefined, undefined, undefined, undefined]);
});
