// The picture in words, also for screen readers. The templates come with the data; here they are filled in.

import { fill } from "../shared/dom.js";
import { percent } from "../shared/shares.js";

// Returns the word by which a query is called: a decoder's is the one that it is about to write.
const called = (name) => name.split(" → ").at(-1);

// Returns which of a sentence's three forms fits these heads.
const formOf = (heads, active) => (heads === 1 ? "plain" : active.length === 1 ? "head" : "mean");

// Returns one sentence about what is selected or pointed at.
//   data: what the view was sent; attention: its numbers; active: the heads that are on; mean: their average
//   mode: the effect of a click; touch: whether nothing here can hover; query, key: places, or null
//   shown: whether there is anything to point at; least: the slider's text
export function sentence({ data, attention, active, mean, query, key, shown, least, mode = "look", touch = false }) {
  const { texts, rows, columns } = data;
  if (!active.length) return texts.no_head;
  if (query === null && key === null)
    return shown ? (touch ? texts.taps : texts.hints)[mode] : fill(texts.none_shown, { share: least });
  const form = formOf(attention.heads, active);
  const heads = active.join(texts.separator);
  if (query !== null && key !== null) {
    const pair = { heads, query: called(rows[query]), key: columns[key], weight: percent(mean[query * attention.keys + key]) };
    return fill(attention.open(query, key) ? texts.pair[form] : texts.hidden, pair);
  }
  const asks = query !== null;
  const word = asks ? called(rows[query]) : columns[key];
  const strongest = attention.strongest(mean, asks ? { query } : { key });
  if (!strongest.length) return fill(asks ? texts.blind : texts.unseen, { word });
  const others = asks ? columns : rows;
  const links = strongest.map(({ place, weight }) =>
    fill(texts.link, { word: called(others[place]), weight: percent(weight) }),
  );
  return fill((asks ? texts.query : texts.key)[form], { heads, word, links: links.join(texts.separator) });
}

// Returns the text below the matrix; it mentions masked cells only if there are any.
export function caption({ texts, row_title: rows, column_title: columns }, attention, active) {
  const said = attention.masks ? texts.masked : texts.matrix;
  return fill(active.length > 1 ? said.mean : said.head, { rows, columns });
}
