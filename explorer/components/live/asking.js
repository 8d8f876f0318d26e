// Schedules questions for pictures: one is under way at a time, and the next asks for the latest wish.

export class Asking {
  // send(n, question): sends a question; its answer, which carries n, goes to `hear`.
  constructor(send) {
    Object.assign(this, { send, number: 0, asked: null, wanted: null, after: null });
  }

  // Replaces the wish; `after` is asked for if there is no other wish by then.
  want(question, after = null) {
    Object.assign(this, { wanted: question, after });
    this.next();
  }

  // Asks the next question; call it also when the last answer has been heard.
  next() {
    if (this.asked) return;
    if (!this.wanted) Object.assign(this, { wanted: this.after, after: null });
    if (!this.wanted) return;
    this.number += 1;
    this.asked = this.wanted;
    this.wanted = null;
    this.send(this.number, this.asked);
  }

  // Returns the question of an answer; null if it is not waited for.
  hear({ n }) {
    const { asked } = this;
    if (!asked || n !== this.number) return null;
    this.asked = null;
    return asked;
  }

  // Drops all wishes; the answer under way will be ignored.
  forget() {
    this.asked = this.wanted = this.after = null;
  }
}
