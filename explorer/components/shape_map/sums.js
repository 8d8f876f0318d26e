// The costs of the groups together: one bar for each sum, with shares in proportion.

import { element, fill } from "../shared/dom.js";

export const grouped = (number) => number.toLocaleString("en");

// Returns a sum over all layers and its parts: { title, total, shares: [{ stack, tone, label, value, words }, ...] }.
export function sumOf(name, columns, texts) {
  const [title, unit] = texts.totals[name];
  const shares = columns.flatMap(({ stack, groups }) =>
    groups.map(({ id, tone, in_all }) => {
      const label = texts.groups[id];
      const whole = fill(texts.part, { stack: texts.stacks[stack], part: label });
      return { stack, tone, label, value: in_all[name], words: `${whole}: ${fill(unit, { n: grouped(in_all[name]) })}` };
    }),
  );
  const total = shares.reduce((sum, { value }) => sum + value, 0);
  return { title, total: fill(unit, { n: grouped(total) }), shares };
}

export function sumNodes({ columns, texts }) {
  const nodes = Object.keys(texts.totals).map((name) => sumNode(sumOf(name, columns, texts)));
  return [element("p", { class: "heading", text: texts.sums }), ...nodes];
}

function sumNode({ title, total, shares }) {
  const bar = element("div", { class: "bar", role: "list", "aria-label": `${title}: ${total}` });
  let stack = shares[0].stack;
  for (const share of shares.filter(({ value }) => value > 0)) {
    const turn = share.stack === stack ? "" : " turn";
    stack = share.stack;
    const part = element("span", { class: share.tone + turn, role: "listitem", title: share.words, "aria-label": share.words });
    part.style.flexGrow = share.value;
    part.append(element("span", { text: share.label }));
    bar.append(part);
  }
  return element("div", { class: "sum" }, element("b", { text: title }), bar, element("span", { class: "total", text: total }));
}
