// What a tab remembers when its page is loaded anew. A browser that keeps nothing forgets it.

export function keep(name, value) {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {
    // nothing is kept
  }
}

// Returns what was kept under a name; null if nothing was.
export function kept(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "null");
  } catch {
    return null;
  }
}
