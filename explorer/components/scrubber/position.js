// Where a scrubber stands, between a person who moves it and a server that draws what it points at. A choice is told with its
// number, and the next only when the server has answered that number; what is passed over meanwhile is left out. Until then the
// person's choice holds; after that the server's word does: the address, or another control, may have moved it as well.

export class Position {
  constructor() {
    Object.assign(this, { wanted: null, number: null, answered: null, waiting: false, unsent: false });
  }

  // What the server drew last: `answered` is the number of the last choice it knows of, `position` where it stands (null: the end).
  hear({ answered, position }) {
    this.number ??= answered;
    const forgotten = answered < this.answered; // a session of its own, which never heard of the choice that is waited for
    if (forgotten || answered === this.number) this.waiting = false;
    this.answered = answered;
    this.known = position;
    if (!this.waiting && !this.unsent) this.wanted = position;
  }

  choose(step) {
    this.wanted = step;
    this.unsent = true;
  }

  // The choice that is to be told now, if there is one.
  next() {
    if (this.waiting || !this.unsent) return null;
    this.unsent = false;
    if (this.wanted === this.known) return null;
    this.waiting = true;
    this.number += 1;
    return { step: this.wanted, number: this.number };
  }
}
