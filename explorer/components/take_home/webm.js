// Writes a recording anew: a browser records while it paints, and leaves out how long the film is and where one can begin to play it.
// Here each picture has its own time, the length stands at the beginning, and so do the places of pictures that need no other.

const HEAD = 0x1a45dfa3;
const SEGMENT = 0x18538067;
const INFO = 0x1549a966;
const TRACKS = 0x1654ae6b;
const CUES = 0x1c53bb6b;
const CLUSTER = 0x1f43b675;
const GROUP = 0xa0; // a block with what is said of it
const BLOCK = 0xa1;
const REFERENCE = 0xfb; // within a group: its block needs another one
const SIMPLE_BLOCK = 0xa3; // one that says it by itself
const SCALE = 1_000_000; // ns of a unit of time: ms
const KEY = 0x80; // a flag of a block: it needs no picture before it
const FARTHEST = 30_000; // ms from the first picture of a cluster to its last, which 16 bits hold

// Returns a film whose pictures follow one another every `pace` ms. Throws where the recording is not a WebM as browsers make them.
export function evenly(recording, pace) {
  const bytes = new Uint8Array(recording);
  const kept = new Map();
  const blocks = [];
  for (const [id, from, start, end] of elementsOf(bytes)) {
    if (id === HEAD || id === TRACKS) kept.set(id, bytes.slice(from, end));
    else if (id === SIMPLE_BLOCK || id === BLOCK) blocks.push(bytes.slice(start, end));
    if (id === BLOCK) blocks.at(-1)[3] |= KEY;
    if (id === REFERENCE) blocks.at(-1)[3] &= ~KEY;
  }
  if (!kept.has(TRACKS) || !blocks.length) throw new Error("the browser's recording has no pictures");
  const clusters = clustersOf(blocks, pace);
  const cuesOf = (position) =>
    ebml(
      CUES,
      ...clusters.map(({ time, before, track }) =>
        ebml(0xbb, ebmlWhole(0xb3, time), ebml(0xb7, ebmlWhole(0xf7, track), ebmlWhole(0xf1, position + before))),
      ),
    );
  const info = ebml(
    INFO,
    ebmlWhole(0x2ad7b1, SCALE),
    ebml(0x4489, float64(blocks.length * pace)),
    ...[0x4d80, 0x5741].map((name) => ebml(name, new TextEncoder().encode("Transformer Explorer"))),
  );
  const first = [info, kept.get(TRACKS)];
  const position = lengthOf([...first, cuesOf(0)]); // of the first cluster within the segment
  return [kept.get(HEAD), ebml(SEGMENT, ...first, cuesOf(position), ...clusters.map((cluster) => cluster.bytes))];
}

// Counts the pictures that are whole in a recording, as far as it has come.
export function picturesIn(recording) {
  const bytes = new Uint8Array(recording);
  let count = 0;
  for (const [id, , , end] of elementsOf(bytes)) if ([SIMPLE_BLOCK, BLOCK].includes(id) && end <= bytes.length) count += 1;
  return count;
}

const lengthOf = (parts) => parts.reduce((sum, part) => sum + part.length, 0);

// Groups blocks, each group from a picture that needs no other: [{ time, track, before, bytes }, ...]; before: bytes of those before it.
function clustersOf(blocks, pace) {
  const groups = [];
  for (const [at, block] of blocks.entries()) {
    const time = Math.round(at * pace);
    const last = groups.at(-1);
    const begins = !last || block[3] & KEY || time - last.time > FARTHEST;
    if (begins) groups.push({ time, track: block[0] & 0x7f, blocks: [] });
    const group = groups.at(-1);
    const placed = block.slice();
    new DataView(placed.buffer).setInt16(1, time - group.time);
    group.blocks.push(placed);
  }
  let before = 0;
  return groups.map(({ time, track, blocks: own }) => {
    const bytes = ebml(CLUSTER, ebmlWhole(0xe7, time), ...own.map((block) => ebml(SIMPLE_BLOCK, block)));
    before += bytes.length;
    return { time, track, before: before - bytes.length, bytes };
  });
}

// Yields the elements of a WebM, those within segments, clusters and groups too: [id, where it begins, where its content begins, where it ends].
function* elementsOf(bytes) {
  for (let at = 0; at < bytes.length; ) {
    const from = at;
    const wide = Math.clz32(bytes[at]) - 23;
    let id = 0;
    for (let i = 0; i < wide; i++) id = 256 * id + bytes[at++];
    const long = Math.clz32(bytes[at]) - 23;
    let size = bytes[at++] & (0xff >> long);
    let most = 0xff >> long;
    for (let i = 1; i < long; i++) {
      size = 256 * size + bytes[at++];
      most = 256 * most + 255;
    }
    const end = size === most ? bytes.length : at + size; // the largest number stands for an unknown length
    yield [id, from, at, end];
    if (![SEGMENT, CLUSTER, GROUP].includes(id)) at = end;
  }
}

// Writes an element, with its length in eight bytes.
function ebml(id, ...contents) {
  const name = [];
  for (let rest = id; rest > 0; rest = Math.floor(rest / 256)) name.unshift(rest % 256);
  const size = lengthOf(contents);
  const head = new Uint8Array(name.length + 8);
  head.set(name);
  new DataView(head.buffer).setBigUint64(name.length, 0x0100000000000000n + BigInt(size));
  const made = new Uint8Array(head.length + size);
  made.set(head);
  let at = head.length;
  for (const part of contents) {
    made.set(part, at);
    at += part.length;
  }
  return made;
}

function ebmlWhole(id, number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(number));
  return ebml(id, bytes);
}

function float64(number) {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setFloat64(0, number);
  return bytes;
}
