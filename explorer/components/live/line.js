// The line at the foot of the page that names the model on screen. The page's own line is kept, to be restored.

import { shownModel } from "../shared/live.js";

export class Line {
  // facts: the values of its attributes; words: its phrases by topic, as `ui/model_line.py` writes them.
  write({ facts, words }) {
    const node = shownModel();
    if (!node) return;
    if (this.node !== node) Object.assign(this, { node, own: node.outerHTML });
    for (const [name, value] of Object.entries(facts)) node.setAttribute(`data-${name}`, value);
    node.replaceChildren(
      ...Object.entries(words).map(([name, each], i) => {
        const span = document.createElement("span");
        span.className = `fact-${name}`;
        span.textContent = (i ? " · " : "") + each;
        return span;
      }),
    );
  }

  restore() {
    if (this.node?.isConnected) this.node.outerHTML = this.own;
    this.node = null;
  }
}
