// The curves between a word that is being written and the words that it looks at.

// On a narrow stage the sentences stand side by side as columns, and lines go across.
export const isNarrow = (stage) => (stage.closest(".look") ?? stage).clientWidth < 640;

// Returns the four points of the Bézier curve from a word of the answer to one of the source.
export function curve(answer, source, stage) {
  if (isNarrow(stage)) {
    const [from, to] = [
      [answer.x - 12, answer.y],
      [source.x + 12, source.y],
    ];
    const middle = (from[0] + to[0]) / 2;
    return [from, [middle, from[1]], [middle, to[1]], to];
  }
  const [from, to] = [
    [answer.x, answer.y - answer.size * 0.8],
    [source.x, source.y + source.size * 0.76],
  ];
  const bend = (from[1] - to[1]) * 0.55;
  return [from, [from[0], from[1] - bend], [to[0], to[1] + bend], to];
}

const between = ([ax, ay], [bx, by], t) => [ax + (bx - ax) * t, ay + (by - ay) * t];

// Splits a curve at t (0 at its beginning, 1 at its end) into two (de Casteljau).
export function split([a, b, c, d], t) {
  const [ab, bc, cd] = [between(a, b, t), between(b, c, t), between(c, d, t)];
  const [abc, bcd] = [between(ab, bc, t), between(bc, cd, t)];
  const middle = between(abc, bcd, t);
  return [
    [a, ab, abc, middle],
    [middle, bcd, cd, d],
  ];
}

export const pointAt = (points, t) => split(points, t)[0][3];

export function pathOf([a, b, c, d]) {
  const [start, ...rest] = [a, b, c, d].map((point) => point.map((x) => x.toFixed(1)).join(" "));
  return `M${start}C${rest.join(",")}`;
}
