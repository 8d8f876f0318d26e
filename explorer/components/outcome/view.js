// What happens in a case, drawn as wide as its place.

import { drawn } from "./pictures.js";

const NARROW = 640; // px
const HIGH = 250; // px, of a picture that lies

function draw(box) {
  const across = box.clientWidth;
  if (!across) return;
  const upright = across < NARROW;
  const unit = upright ? 16 : Math.min(18, across / 60);
  const { picture, words } = box.given;
  box.replaceChildren(drawn(picture, { across, high: HIGH, unit, upright, words }));
}

export default function ({ data, parentElement }) {
  const box = parentElement.querySelector(".outcome");
  box.given = data;
  box.sizes ??= new ResizeObserver(() => draw(box));
  box.sizes.observe(box);
  draw(box);
  return () => {
    if (!box.isConnected) box.sizes.disconnect();
  };
}
