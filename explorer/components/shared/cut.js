// Cuts something out of the model on screen by a click on its picture. The server does it; pictures that follow knobs show it
// ahead of the page.

import { range } from "./dom.js";

const CATCHES_UP = 5000; // ms within which the page shows a clicked cut, if it will at all

// Returns the cuts that a click on an attention means, as the address writes them. A link: both places, in some heads, or in
// all if there are none; a word: one place; heads: none. everywhere: in every layer; links are then cut in all heads, which
// have no counterparts in other layers. attention: { kind, layer, layers }.
export function cutsOf({ query = null, key = null, heads = [] }, { kind, layer, layers }, everywhere) {
  if (query !== null && key !== null) {
    if (everywhere) return [`${kind}.all.all:${query}-${key}`];
    return (heads.length ? heads : ["all"]).map((head) => `${kind}.${layer}.${head}:${query}-${key}`);
  }
  if (query !== null) return [`${kind === "encoder" ? "src" : "tgt"}:${query}`];
  if (key !== null) return [`${kind === "decoder" ? "tgt" : "src"}:${key}`];
  return heads.flatMap((head) => (everywhere ? range(layers) : [layer]).map((at) => `${kind}.${at}.${head}`));
}

// Returns the setting with some more cuts, or without the newest if there are none to add; null for too many.
export function withMore(made, more, most) {
  const cuts = made ? made.split(",") : [];
  const all = more.length ? [...new Set([...cuts, ...more])] : cuts.slice(0, -1);
  return all.length > most ? null : all.join(",");
}

// The clicked cuts that are not on the page yet.
export class Ahead {
  // Takes the page's cuts: { made, most }.
  update(cuts) {
    this.cuts = cuts;
    if (cuts?.made === this.wanted) this.wanted = undefined;
  }

  // Asks for pictures with the cuts; more: as for `withMore`.
  cut(more) {
    const { made, most } = this.cuts;
    const wanted = withMore(this.wanted ?? made, more, most);
    if (wanted === null) return; // the page says why
    this.wanted = wanted;
    this.ask();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => {
      if (this.wanted === undefined) return;
      this.wanted = undefined;
      this.ask();
    }, CATCHES_UP);
  }

  ask() {
    globalThis.explorerLive.turn?.("cut", () => this.wanted);
  }
}
