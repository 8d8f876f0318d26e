// When to ask for pictures: one question is under way at a time, and the next asks for what is wanted by then.

export class Asking {
  // send(n, question): sends it; the answer, which says n, is to be heard by `hear`.
  constructor(send) {
    Object.assign(this, { send, number: 0, asked: null, wanted: null, after: null });
  }

  // What is wanted from now on; and what after it, if nothing else is by then.
  want(question, after = null) {
    Object.assign(this, { wanted: question, after });
    this.next();
  }

  // Call it, too, when the picture of the last answer has been painted.
  next() {
    if (this.asked) return;
    if (!this.wanted) Object.assign(this, { wanted: this.after, after: null });
    if (!this.wanted) return;
    this.number += 1;
    this.asked = this.wanted;
    this.wanted = null;
    this.send(this.number, this.asked);
  }

  // The question of an answer; null where that is not waited for.
  hear({ n }) {
    const { asked } = this;
    if (!asked || n !== this.number) return null;
    this.asked = null;
    return asked;
  }

  // Nothing is wanted any more; what is under way will not be heard.
  forget() {
    this.asked = this.wanted = this.after = null;
  }
}
