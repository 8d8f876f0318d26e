// The position of a scrubber, between a person who moves it and a server that draws it. A choice is sent with a number, and the
// next only when the server has answered that number; choices in between are skipped. Until then the person's choice holds;
// after that the server's, which the address, or another control, may have changed as well.

export class Position {
  constructor() {
    Object.assign(this, { wanted: null, number: null, answered: null, waiting: false, unsent: false });
  }

  // Takes the server's state: `answered` is the number of the last choice it knows of, `position` its position (null: the end).
  hear({ answered, position }) {
    this.number ??= answered;
    const forgotten = answered < this.answered; // a new session, which never heard of the pending choice
    if (forgotten || answered === this.number) this.waiting = false;
    this.answered = answered;
    this.known = position;
    if (!this.waiting && !this.unsent) this.wanted = position;
  }

  choose(step) {
    this.wanted = step;
    this.unsent = true;
  }

  // Returns the choice to be sent now, or null.
  next() {
    if (this.waiting || !this.unsent) return null;
    this.unsent = false;
    if (this.wanted === this.known) return null;
    this.waiting = true;
    this.number += 1;
    return { step: this.wanted, number: this.number };
  }
}
