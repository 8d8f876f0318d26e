// What is shown, in words: for the eye, and for those who listen. The sentences come with the data; here they are filled in.

import { fill } from "../shared/dom.js";

export const percent = (share) => `${Math.round(100 * share)}%`;

// Which of a sentence's three forms speaks of these heads.
const formOf = (heads, active) => (heads === 1 ? "plain" : active.length === 1 ? "head" : "mean");

// One sentence about what is selected or pointed at.
//   data: what the view was sent; attention: its numbers; active: the heads that are on; mean: their average
//   mode: what a click does; touch: whether nothing here can point; query, key: places, or null
//   shown: whether there is anything to point at; least: the slider's text
export function sentence({ data, attention, active, mean, query, key, shown, least, mode = "look", touch = false }) {
  const { texts, rows, columns } = data;
  if (!active.length) return texts.no_head;
  if (query === null && key === null)
    return shown ? (touch ? texts.taps : texts.hints)[mode] : fill(texts.none_shown, { share: least });
  const form = formOf(attention.heads, active);
  const heads = active.join(texts.separator);
  if (query !== null && key !== null) {
    const pair = { heads, query: rows[query], key: columns[key], weight: percent(mean[query * attention.keys + key]) };
    return fill(attention.open(query, key) ? texts.pair[form] : texts.hidden, pair);
  }
  const asks = query !== null;
  const word = asks ? rows[query] : columns[key];
  const strongest = attention.strongest(mean, asks ? { query } : { key });
  if (!strongest.length) return fill(asks ? texts.blind : texts.unseen, { word });
  const others = asks ? columns : rows;
  const links = strongest.map(({ place, weight }) => fill(texts.link, { word: others[place], weight: percent(weight) }));
  return fill((asks ? texts.query : texts.key)[form], { heads, word, links: links.join(texts.separator) });
}

// What stands under the matrix; of masked cells only where there are any.
export function caption({ texts, row_title: rows, column_title: columns }, attention, active) {
  const said = attention.masks ? texts.masked : texts.matrix;
  return fill(active.length > 1 ? said.mean : said.head, { rows, columns });
}
