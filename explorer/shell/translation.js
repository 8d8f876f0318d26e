// Tells the browser's translator what not to translate, and keeps the page alive where it has translated the rest.
//
// A translator puts <font> elements in place of texts, or around them. React, which draws the page, still holds the texts: it would end
// the page with an error when it removes one, and a text that it changes would not be seen (https://github.com/facebook/react/issues/11538).

import { keyed, keyedFrom } from "../components/shared/streamlit_dom.js";

(() => {
  // Tokens, answers, names in the code, formulas; and drawings, in which <font> elements would not show.
  const NOT_TRANSLATED = `code, pre, .katex, svg, canvas, .explorer-plot, ${keyedFrom("answer-")}, ${keyedFrom("right-answers")},
    .cut-answer, .attention-view .words, .arithmetic :is(.steps, .heading, .readout), .matrices .axes, ${keyed("foot")},
    .shape-map :is(.name, .side, .entry, dt), .word-field [role=option], .word-field .kinds button,
    ${["story-picture", "both-sentences", "force-wrong", "force-right"].map(keyed)}`;
  const { removeChild, insertBefore } = Node.prototype;
  const standIns = new WeakMap(); // text that React holds -> the element that stands in its place

  // The child of a parent that holds a node, or stands in its place; the node itself where there is none, for the browser to refuse.
  function childFor(parent, node) {
    for (const record of seen.takeRecords()) note(record);
    let found = standIns.get(node) ?? node;
    while (found && found.parentNode !== parent) found = found.parentNode;
    return found ?? node;
  }
  Node.prototype.removeChild = function (child) {
    removeChild.call(this, child.parentNode === this ? child : childFor(this, child));
    return child;
  };
  Node.prototype.insertBefore = function (node, before) {
    return insertBefore.call(this, node, before && before.parentNode !== this ? childFor(this, before) : before);
  };

  // A text that React changes takes its place again. To the translator it is a new one.
  const changed = new MutationObserver((records) => {
    for (const { target } of records) {
      standIns.get(target)?.replaceWith(target);
      standIns.delete(target);
    }
  });

  function note({ addedNodes, removedNodes, previousSibling, nextSibling }) {
    const standIn = addedNodes[0] ?? previousSibling ?? nextSibling;
    for (const node of removedNodes) {
      if (node.nodeType !== Node.TEXT_NODE || node.isConnected || standIn?.nodeName !== "FONT") continue;
      standIns.set(node, standIn);
      changed.observe(node, { characterData: true });
    }
    for (const node of addedNodes) {
      if (node.nodeType !== Node.ELEMENT_NODE) continue;
      for (const each of node.querySelectorAll(NOT_TRANSLATED)) each.setAttribute("translate", "no");
      if (node.matches(NOT_TRANSLATED)) node.setAttribute("translate", "no");
    }
  }
  const seen = new MutationObserver((records) => records.forEach(note));
  seen.observe(document, { childList: true, subtree: true });
})();
