// The numbers of one attention, as sent by the server: no nodes, no colours.

export class Attention {
  // weights: (head, query, key), or (frame, head, query, key) for a film; valid: (query, key), 1 = may attend. Both unpacked.
  constructor(weights, valid) {
    [this.heads, this.queries, this.keys] = weights.shape.slice(-3);
    this.valid = valid.values;
    this.masks = this.valid.includes(0); // whether any cell is masked
    this.all = weights.values;
    this.show(0);
  }

  // Selects a frame of the film.
  show(frame) {
    const size = this.heads * this.queries * this.keys;
    this.weights = this.all.subarray(frame * size, (frame + 1) * size);
  }

  weight(head, query, key) {
    return this.weights[(head * this.queries + query) * this.keys + key];
  }

  open(query, key) {
    return this.valid[query * this.keys + key] === 1;
  }

  // Averages some heads, (query, key) row by row, for the matrix and the coloured text.
  mean(heads) {
    const size = this.queries * this.keys;
    const mean = new Float32Array(size);
    for (const head of heads) {
      for (let i = 0; i < size; i++) mean[i] += this.weights[head * size + i] / heads.length;
    }
    return mean;
  }

  // Returns the least weight in percent, in steps of a half, that leaves at most so many links.
  threshold(most) {
    if (this.weights.length <= most) return 0;
    return Math.ceil(200 * this.weights.slice().sort().at(-most)) / 2;
  }

  // Returns the strongest links of one query, or of one key, in a mean of heads: at most three { place, weight }, and none that
  // would read 0% beside a stronger one. Empty if all is masked.
  strongest(mean, { query, key }) {
    const fixed = query !== undefined;
    const links = Array.from({ length: fixed ? this.keys : this.queries }, (_, place) => {
      const [i, j] = fixed ? [query, place] : [place, key];
      return { place, weight: mean[i * this.keys + j], open: this.open(i, j) };
    });
    return links
      .filter(({ open }) => open)
      .sort((a, b) => b.weight - a.weight)
      .filter(({ weight }, i) => i === 0 || weight >= 0.005)
      .slice(0, 3)
      .map(({ place, weight }) => ({ place, weight }));
  }
}
