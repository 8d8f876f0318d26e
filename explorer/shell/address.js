// The address of a place in the app, with the settings on screen.

// `part`: "" for a page of one part; `folded`: whether it is under the part's details; `choices`: what is chosen there.
export function addressOf({ page, part, folded, choices = {} }) {
  const there = new URL(page === "home" ? "." : page, document.baseURI);
  const params = new URLSearchParams(location.search);
  params.delete("part");
  if (part) params.set("part", part);
  if (folded) params.set(`details-${part}`, "on");
  for (const [name, value] of Object.entries(choices)) params.set(name, value);
  there.search = params;
  return there;
}
