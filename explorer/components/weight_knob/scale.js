// The values of a weight on a slider from -1 to 1, finer in the middle, where weights are; and how a setting writes them.

// Returns the value at a place of the slider, in two digits. far: that at its end.
export const valueAt = (place, far) => Number((far * place ** 3).toPrecision(2));

// Returns the place of a value, as far as the slider reaches.
export const placeOf = (value, far) => Math.max(-1, Math.min(Math.cbrt(value / far), 1));

// Returns the one of some places that is nearest to what was typed.
export const nearest = (typed, places) =>
  places.reduce((best, each) => (Math.abs(each - typed) < Math.abs(best - typed) ? each : best));

// Writes a value as the server does: with at most so many digits behind the point.
export const valueText = (value, decimals) => String(Number(value.toFixed(decimals)) || 0);

// Returns the setting with a weight at a value. weight: { place, learned, others, decimals }; a weight at the value that it has
// learned is not changed.
export function settingWith(value, { place, learned, others, decimals }) {
  const text = valueText(value, decimals);
  const edit = text === valueText(learned, decimals) ? "" : `${place}:${text}`;
  return [others, edit].filter(Boolean).join(",");
}
