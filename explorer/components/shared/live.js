// Pictures that follow a knob while it is dragged, and a model while it is learning. A view registers its picture here;
// components/live asks the server for its numbers. Every view is a script of its own, so what they share is a global.

globalThis.explorerLive ??= { views: new Map(), turn: null, chosen: null, told: null };

// The line of the page that names the model on screen.
export const shownModel = () => document.querySelector("[data-testid=shown-model]");

// The picture that a view draws, { picture, choices }; undefined for one that does not follow. Its newest numbers, where these are
// newer than the page's.
export const wishOf = (node) => globalThis.explorerLive.views.get(node)?.wish;
export const newestOf = (node) => globalThis.explorerLive.views.get(node)?.numbers;

export const sameWish = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// Draws a view, and registers how: with the numbers that it was given last, or with null for the page's own. Numbers of a knob
// count while it is ahead of the page; those of a step of learning, while the page's line names that step.
// wish: { picture, choices }; null for a view that does not follow.
// draw(numbers, isLive): isLive if only the numbers are new. The page's layout is unchanged then: a view that measured it would
// force the layout of all that other views have just drawn.
export function follow(node, wish, draw) {
  const { views } = globalThis.explorerLive;
  const before = views.get(node);
  const ofStep = before?.step !== undefined;
  const counts = !ofStep || (before.step === shownModel()?.dataset.step && sameWish(before.wish, wish));
  const view = { wish, draw, numbers: counts ? (before?.numbers ?? null) : null, step: counts ? before?.step : undefined };
  node.classList.toggle("follows", Boolean(wish));
  if (wish) views.set(node, view);
  else views.delete(node);
  draw(wish ? view.numbers : null);
  if (wish && !sameWish(before?.wish, wish)) globalThis.explorerLive.chosen?.(); // the page has caught up with its own knob
}

// Returns the views on the page that follow: [[node, { wish, draw, numbers, step }], ...]; none on a page without a model, whose
// pictures depend on no knob. The course of learning is no picture: it is included on request.
export function followers(withCourse = false) {
  const { views, told } = globalThis.explorerLive;
  for (const node of views.keys()) if (!node.isConnected) views.delete(node);
  if (told?.hasModel === false) return [];
  return [...views].filter(([, { wish }]) => withCourse || wish.picture !== "course");
}

// Separates those that can be seen from those that need scrolling.
export function bySight(followed) {
  const isSeen = ([node]) => {
    const { top, bottom } = node.getBoundingClientRect();
    return bottom > 0 && top < innerHeight;
  };
  return [followed.filter(isSeen), followed.filter((one) => !isSeen(one))];
}
