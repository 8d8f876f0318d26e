// The browser's side of the codec for numbers: it reads what shared/arrays.py packs.

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

// Returns { values: a typed array, row by row; shape: its sizes }, and for a matrix: at(i, j), row(i), rows, columns. Arrays of
// a frame are unpacked already.
export function unpack(packed) {
  if (packed.values) return packed;
  const letters = atob(packed.bdata);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = letters.charCodeAt(at); // Uint8Array.from takes ten times as long
  return arrayOf(packed, bytes.buffer);
}

// Unpacks a message that shared/arrays.py has framed. It begins at `from`, a multiple of 8.
export function unframe(buffer, from = 0) {
  const size = new DataView(buffer).getUint32(from, true);
  const head = new TextDecoder().decode(new Uint8Array(buffer, from + 4, size));
  const start = from + 4 + size;
  const isArray = (value) => value !== null && typeof value === "object" && "dtype" in value;
  return JSON.parse(head, (_, value) => (isArray(value) ? arrayOf(value, buffer, start) : value));
}

// Returns an array whose bytes are a whole buffer; or, in a frame, begin at `at` after its head.
function arrayOf({ dtype, shape, at: place }, buffer, start = 0) {
  const sizes = shape === "" ? [] : shape.split(",").map(Number);
  const count = sizes.reduce((product, size) => product * size, 1);
  const Type = TYPES[dtype];
  const size = count * Type?.BYTES_PER_ELEMENT;
  const left = buffer.byteLength - start - (place ?? 0);
  if (!Type || !(place === undefined ? left === size : left >= size)) {
    throw new Error(`${left} bytes are no array of type ${dtype} and shape (${shape})`);
  }
  const values = new Type(buffer, start + (place ?? 0), count);
  const [rows, columns] = sizes.slice(-2);
  const at = (i, j) => values[i * columns + j];
  const row = (i) => values.subarray(i * columns, (i + 1) * columns);
  return { values, shape: sizes, rows, columns, at, row };
}
