// What the groups cost together: one bar for each sum, its shares as wide as they are large.

import { element } from "../shared/dom.js";

export function sumsOf({ sums, texts }) {
  return [element("p", { class: "heading", text: texts.sums }), ...sums.map(sumNode)];
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
