// The line that is cut on Start goes along to Look closer: a tab remembers it, with its sentence.

const NAME = "cut";

// link: { query, key }, or null where nothing is cut.
export function carry(sentence, link) {
  try {
    if (link) sessionStorage.setItem(NAME, JSON.stringify({ sentence, query: link.query, key: link.key }));
    else sessionStorage.removeItem(NAME);
  } catch {
    // A browser that keeps nothing brings no cut.
  }
}

// Returns { query, key } of the line that was cut in this sentence, once; null if none was.
export function carried(sentence) {
  try {
    const told = JSON.parse(sessionStorage.getItem(NAME) ?? "null");
    sessionStorage.removeItem(NAME);
    return told?.sentence === sentence ? { query: told.query, key: told.key } : null;
  } catch {
    return null;
  }
}
