// A browser that translates the page leaves alone what is no sentence, and React survives what it does to the others.

(() => {
  // Words of the model, its answers, names in the code, formulas; and drawings, in which the translator's elements would not show.
  const NO_SENTENCES = `code, pre, .katex, svg, .explorer-plot, [class*=st-key-answer-], .cut-answer, .attention-view .words,
    .arithmetic :is(.steps, .heading, .readout), .matrices .axes, .shape-map :is(.name, .side, .entry, dt), .st-key-foot,
    .word-field [role=option], .word-field .kinds button, .st-key-story-picture, .st-key-force-right`;
  const nodeOf = { removeChild: Node.prototype.removeChild, insertBefore: Node.prototype.insertBefore };
  const standIns = new WeakMap(); // what stands in the page in place of a text that React knows

  // What of a parent's children holds a node, or stands in for it.
  function held(parent, node) {
    let found = standIns.get(node) ?? node;
    while (found && found.parentNode !== parent) found = found.parentNode;
    return found;
  }

  // React changes and removes texts that it has made itself: https://github.com/facebook/react/issues/11538
  Node.prototype.removeChild = function (child) {
    const there = child.parentNode === this ? child : held(this, child);
    if (there) nodeOf.removeChild.call(this, there);
    return child;
  };
  Node.prototype.insertBefore = function (node, before) {
    return nodeOf.insertBefore.call(this, node, before && before.parentNode !== this ? held(this, before) : before);
  };

  // A text that React has changed takes its place again; the translator then finds it new.
  const changes = new MutationObserver((records) => {
    for (const { target } of records) {
      standIns.get(target)?.replaceWith(target);
      standIns.delete(target);
    }
  });

  function replaced(text, record) {
    const standIn = record.addedNodes[0] ?? record.previousSibling ?? record.nextSibling;
    if (standIn?.nodeName !== "FONT" || text.isConnected) return;
    standIns.set(text, standIn);
    changes.observe(text, { characterData: true });
  }

  new MutationObserver((records) => {
    for (const record of records) {
      for (const node of record.removedNodes) if (node.nodeType === Node.TEXT_NODE) replaced(node, record);
      for (const node of record.addedNodes) {
        if (node.nodeType !== Node.ELEMENT_NODE) continue;
        for (const each of [node, ...node.querySelectorAll(NO_SENTENCES)]) {
          if (each !== node || node.matches(NO_SENTENCES)) each.setAttribute("translate", "no");
        }
      }
    }
  }).observe(document, { childList: true, subtree: true });
})();
