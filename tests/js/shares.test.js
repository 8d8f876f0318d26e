import assert from "node:assert/strict";
import { test } from "node:test";
import { percent } from "../../explorer/components/shared/shares.js";

test("100% is said of all, and 0% of none", () => {
  const shares = [0, 0.0004, 0.004, 0.126, 0.994, 0.9962, 0.9999, 1];
  const words = ["0%", "< 0.1%", "0.4%", "13%", "99%", "99.6%", "> 99.9%", "100%"];
  assert.deepEqual(
    shares.map((share) => percent(share)),
    words,
  );
});

test("with decimals, too", () => {
  assert.deepEqual(
    [0, 0.00004, 0.034, 0.9962, 0.99996, 1].map((share) => percent(share, 1)),
    ["0.0%", "< 0.1%", "3.4%", "99.6%", "> 99.9%", "100.0%"],
  );
});
