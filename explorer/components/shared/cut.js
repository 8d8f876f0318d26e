// Cutting something out of the model on screen by a click on its picture. The page does it; the pictures that follow knobs show it
// ahead of the page.

import { range } from "./dom.js";

const CATCHES_UP = 5000; // ms in which the page has done what was clicked, or will not do it

// What a click on an attention means, as the address writes cuts. A link: both places, in some heads, or in all for none; a word:
// one place; heads: none. everywhere: in every layer, where a link is cut in all heads, for they have no name from layer to layer.
// attention: { kind, layer, layers }.
export function cutsOf({ query = null, key = null, heads = [] }, { kind, layer, layers }, everywhere) {
  if (query !== null && key !== null) {
    if (everywhere) return [`${kind}.all.all:${query}-${key}`];
    return (heads.length ? heads : ["all"]).map((head) => `${kind}.${layer}.${head}:${query}-${key}`);
  }
  if (query !== null) return [`${kind === "encoder" ? "src" : "tgt"}:${query}`];
  if (key !== null) return [`${kind === "decoder" ? "tgt" : "src"}:${key}`];
  return heads.flatMap((head) => (everywhere ? range(layers) : [layer]).map((at) => `${kind}.${at}.${head}`));
}

// The setting with some more cuts, or for none without the newest; null where there would be too many.
export function withMore(made, more, most) {
  const cuts = made ? made.split(",") : [];
  const all = more.length ? [...new Set([...cuts, ...more])] : cuts.slice(0, -1);
  return all.length > most ? null : all.join(",");
}

// What has been clicked and is not on the page yet.
export class Ahead {
  // The page says what is cut: { made, most }.
  update(cuts) {
    this.cuts = cuts;
    if (cuts?.made === this.wanted) this.wanted = undefined;
  }

  // Pictures are asked for; more: as for `withMore`.
  cut(more) {
    const { made, most } = this.cuts;
    const wanted = withMore(this.wanted ?? made, more, most);
    if (wanted === null) return; // the page says so
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
