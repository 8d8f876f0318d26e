// Pictures that follow a knob while it is dragged. A view says here which picture it shows; components/live asks the server for
// its numbers. Every view is a script of its own, so what they share hangs on the page.

globalThis.explorerLive ??= { views: new Map(), turn: null };

// Draws a view, and notes how it is drawn: with the numbers that it was given last while a knob is ahead of the page, or with
// null for what the page has sent. wish: { picture, choices }; null for a view that waits for the page.
export function follow(node, wish, draw) {
  const { views } = globalThis.explorerLive;
  const numbers = views.get(node)?.numbers ?? null;
  if (wish) views.set(node, { wish, draw, numbers });
  else views.delete(node);
  draw(wish ? numbers : null);
}

// The views on the page that follow a knob: [[node, { wish, draw, numbers }], ...].
export function followers() {
  const { views } = globalThis.explorerLive;
  for (const node of views.keys()) if (!node.isConnected) views.delete(node);
  return [...views];
}
