// The course of learning, on an axis on which the kept steps are evenly spaced.

import { clamp, fill } from "../shared/dom.js";

// Returns the index of the last step up to the wanted one: after thinning out, that one may be missing.
export function placeOf(steps, wanted) {
  return wanted === null
    ? steps.length - 1
    : Math.max(
        0,
        steps.findLastIndex((step) => step <= wanted),
      );
}

// Returns the position of any step on the axis: 0 at the first kept step, 1 at the last.
export function shareOfWay(steps, step) {
  const last = steps.length - 1;
  if (last === 0) return 0;
  const before = Math.min(placeOf(steps, step), last - 1);
  const part = (step - steps[before]) / (steps[before + 1] - steps[before]);
  return (before + clamp(0, part, 1)) / last;
}

// Returns the share right last measured by a step; null before the first measurement.
export function rightAt(curve, step) {
  return curve.findLast(([measured]) => measured <= step)?.[1] ?? null;
}

// Returns the line of the share right, and the area under it, in a box of 100 by 100 with 0 at its bottom; up to the last step.
export function outline(steps, curve) {
  const last = steps.at(-1);
  const points = curve
    .filter(([step]) => steps[0] <= step && step <= last)
    .map(([step, share]) => [100 * shareOfWay(steps, step), 100 * (1 - share)].map((x) => Number(x.toFixed(2))));
  if (points.length < 2) return { line: "", area: "" };
  const line = `M${points.map((point) => point.join(" ")).join("L")}`;
  return { line, area: `${line}L${points.at(-1)[0]} 100L${points[0][0]} 100Z` };
}

// Says how long the model has learned at an index of the steps.
export function duration({ steps, live, texts }, at) {
  if (steps[at] === 0) return texts.initial;
  const [step, last] = [steps[at], steps.at(-1)].map((number) => number.toLocaleString());
  return fill(live && at === steps.length - 1 ? texts.soFar : texts.duration, { step, last });
}

// Returns the buttons below the slider: { name, detail, text (both in one), step, open, pressed (of a switch alone) }.
export function jumpsOf({ jumps, live, texts }, wanted) {
  const named = jumps.map(({ name, step }) => ({
    name,
    detail: step === null ? "–" : step.toLocaleString(),
    text: fill(step === null ? texts.nowhere : texts.jump, { name, step: step?.toLocaleString() }),
    step,
    open: step !== null,
  }));
  const latest = { name: texts.latest, detail: "", text: texts.latest, step: null, open: true, pressed: wanted === null };
  return live ? [latest, ...named] : named;
}
