// The page that is left to keep: its pictures, drawn once, as wide as half a sheet of paper.

import { drawn } from "../../components/outcome/pictures.js";

const SIZES = { sentence: [640, 230], arcs: [640, 260], runs: [640, 260], peek: [640, 230], cards: [640, 200] };
for (const box of document.querySelectorAll(".picture")) {
  const { picture, curves, mine } = given.pictures[box.dataset.at];
  const [across, high] = SIZES[picture.kind];
  box.replaceChildren(drawn(picture, { across, high, unit: 17, upright: false, words: given.words, curves, mine }));
}
