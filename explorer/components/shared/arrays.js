// The browser's end of the one codec for numbers: it reads what shared/arrays.py packs.

const TYPES = {
  f4: Float32Array,
  f8: Float64Array,
  i1: Int8Array,
  i2: Int16Array,
  i4: Int32Array,
  u1: Uint8Array,
  u2: Uint16Array,
  u4: Uint32Array,
};

// { values: a typed array, row by row; shape: its sizes }, and for a matrix: at(i, j), row(i), rows, columns.
export function unpack({ dtype, shape, bdata }) {
  const bytes = Uint8Array.from(atob(bdata), (letter) => letter.charCodeAt(0));
  const sizes = shape === "" ? [] : shape.split(",").map(Number);
  const count = sizes.reduce((product, size) => product * size, 1);
  const Type = TYPES[dtype];
  if (!Type || bytes.length !== count * Type.BYTES_PER_ELEMENT) {
    throw new Error(`${bytes.length} bytes are no array of type ${dtype} and shape (${shape})`);
  }
  const values = new Type(bytes.buffer);
  const [rows, columns] = sizes.slice(-2);
  const at = (i, j) => values[i * columns + j];
  const row = (i) => values.subarray(i * columns, (i + 1) * columns);
  return { values, shape: sizes, rows, columns, at, row };
}
