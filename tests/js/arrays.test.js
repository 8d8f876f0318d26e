// The codec's end in the browser. That both ends agree is tested from Python, in tests/components/test_codec.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { unpack } from "../../explorer/components/shared/arrays.js";

const base64 = (values) => Buffer.from(values.buffer).toString("base64");

test("a matrix is read row by row", () => {
  const matrix = unpack({ dtype: "f4", shape: "2, 3", bdata: base64(Float32Array.of(0.5, 1, NaN, -2, 3, Infinity)) });
  assert.deepEqual([matrix.rows, matrix.columns, matrix.shape], [2, 3, [2, 3]]);
  assert.deepEqual([...matrix.row(1)], [-2, 3, Infinity]);
  assert.equal(matrix.at(1, 0), -2);
  assert.ok(Number.isNaN(matrix.at(0, 2)));
});

test("what is no array of that type and shape is refused", () => {
  const bdata = base64(Uint8Array.of(1, 0, 1, 1, 0, 1));
  assert.deepEqual([...unpack({ dtype: "u1", shape: "3, 2", bdata }).values], [1, 0, 1, 1, 0, 1]);
  for (const wrong of [
    { dtype: "u1", shape: "3, 3" },
    { dtype: "i8", shape: "3, 2" },
    { dtype: "u2", shape: "6" },
  ]) {
    assert.throws(() => unpack({ ...wrong, bdata }), /6 bytes are no array/);
  }
});
