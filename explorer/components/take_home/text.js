// Numbers and words as files say them: a table for spreadsheets (CSV), and an object for programs (JSON).

const RUNS = /^\s*[=+\-@]|^[\t\r]/; // what a spreadsheet takes for a formula

// Returns a number as it is written: with as few digits as say it exactly, where it is one of 32 bits; null for NaN and ∞.
export function exact(value, isSingle) {
  if (!Number.isFinite(value)) return null;
  if (!isSingle) return value;
  return [6, 7, 8, 9].map((digits) => Number(value.toPrecision(digits))).find((each) => Math.fround(each) === value) ?? value;
}

// Returns the reader of a list or typed array: the value at a place as `exact` writes it, and words as they are.
export function reader(values) {
  const isSingle = values instanceof Float32Array;
  return (at) => (typeof values[at] === "number" ? exact(values[at], isSingle) : (values[at] ?? null));
}

// Words from a figure of Plotly, without its marks and entities.
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'", "#39": "'", nbsp: " " };
export function unmarked(words) {
  return String(words ?? "")
    .replace(/<br ?\/?>/g, " ")
    .replace(/<\/?[a-z][^>]*>/g, "")
    .replace(/&([a-z]+|#x27|#39);/g, (whole, name) => ENTITIES[name] ?? whole);
}

// Returns a table with a mark by which spreadsheets know UTF-8. table: { columns: [names], rows: [[cells], ...] }
export function csvOf({ columns, rows }) {
  return `\uFEFF${[columns, ...rows].map((row) => `${row.map(cell).join()}\r\n`).join("")}`;
}

// Writes a cell. Words that a spreadsheet would compute are given an apostrophe; a number stays a number, also a negative one.
function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const words = RUNS.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(words) ? `"${words.replaceAll('"', '""')}"` : words;
}

// Returns the same with what is known of the picture before it, and each row with the names of its cells.
export function jsonOf({ columns, rows }, about) {
  const named = rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at] ?? null])));
  return `${JSON.stringify({ ...about, rows: named }, null, 1)}\n`;
}

// Returns the name of a file: its page, its picture and which of several it is.
export function fileName(parts) {
  const said = parts.filter((part) => part !== undefined && part !== null && part !== "");
  const plain = said.map((part) =>
    String(part)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-"),
  );
  // The name of a picture often begins with that of its page.
  const once = plain.filter((part, at) => part !== plain[at - 1]);
  return once.join("-").replace(/-+/g, "-").slice(0, 100).replace(/-$/, "");
}
