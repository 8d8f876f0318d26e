// The line from the encoder's output to the decoder's cross-attention, if the two are side by side.

import { svgElement } from "../shared/dom.js";

const HEAD = 6; // px of its arrow's head

export function drawWire(svg, flow, from, to) {
  svg.replaceChildren();
  if (!from || !to) return;
  const origin = flow.getBoundingClientRect();
  const [start, end] = [from.getBoundingClientRect(), to.getBoundingClientRect()];
  const [x1, y1] = [start.right - origin.left, (start.top + start.bottom) / 2 - origin.top];
  const [x2, y2] = [end.left - origin.left, end.top - origin.top + Math.min(34, end.height / 2)];
  if (x2 <= x1) return; // one below the other
  const middle = x2 - 13;
  svg.append(
    svgElement("path", { class: "wire", d: `M${x1},${y1} H${middle} V${y2} H${x2 - HEAD}` }),
    svgElement("path", {
      class: "head",
      d: `M${x2 - HEAD - 2},${y2 - HEAD} L${x2 - 1},${y2} L${x2 - HEAD - 2},${y2 + HEAD} z`,
    }),
  );
}
