// Decides when to ask for pictures of the newest step of a model that is learning, and when to have the page redrawn.

const TICK = 100; // ms before the first question
const LOST = 5000; // ms after which an answer, or a page, counts as lost
// ms between two redraws of the page at least, and their share of the time watched: most changes in the beginning
const BESIDE = [3000, 0.5]; // if its pictures follow, for the rest of the page
const WHOLE = [1000, 0.25]; // if none does

const inMilliseconds = (run, ms) => setTimeout(run, ms);

export class Watching {
  // ask(after): asks for a newer step than this, and returns whether that can be answered. redraw(): has the page redrawn.
  // isWhole(): whether all pictures of the page follow. isBusy(): whether the page is being redrawn, or somebody has just used
  // it. now(): in ms. later(run, ms): like setTimeout.
  constructor({ ask, redraw, isWhole, isBusy = () => false, now = () => performance.now(), later = inMilliseconds }) {
    Object.assign(this, { ask, redraw, isWhole, isBusy, now, later, learning: null, follows: false, redrawn: null });
  }

  // Handles a drawn page. learning: { newest, note }, its facts of the model; null if that is not learning. isBehind: a redraw
  // that was asked for later is still to come.
  update(learning, isBehind = false) {
    if (learning && !this.learning) this.began = this.now();
    Object.assign(this, { learning, drawn: this.now(), after: learning?.newest });
    if (!isBehind) this.redrawn = null;
    if (learning) this.goOn();
  }

  goOn(ms = TICK) {
    clearTimeout(this.timer);
    if (this.learning) this.timer = this.later(() => this.look(), ms);
  }

  // Forgets the step: the pictures on screen are no longer all of one.
  forget() {
    this.after = -1;
    this.goOn();
  }

  look() {
    if (!this.learning) return; // no longer
    this.goOn(LOST); // unless an answer comes before
    if (this.ask(this.after)) return;
    this.follows = false;
    this.drawIfDue();
    this.goOn(WHOLE[0]);
  }

  // Handles an answer when its pictures have been drawn; isComplete: of all views that follow.
  hear({ over, note, newest, pause, pictures }, isComplete) {
    if (!this.learning) return;
    if (over || note !== this.learning.note) return this.draw();
    if (newest > this.after) this.follows = pictures?.length > 0;
    if (isComplete) this.after = newest;
    if (newest > this.learning.newest && !(this.follows && this.isWhole())) this.drawIfDue();
    this.goOn(1000 * pause);
  }

  // Waits, because the page is about to be redrawn for another reason: a further request would count as the newer one.
  rest() {
    this.redrawn = this.now();
  }

  drawIfDue() {
    const [least, share] = this.follows ? BESIDE : WHOLE;
    const now = this.now();
    if (now - this.drawn >= Math.max(least, share * (now - this.began))) this.draw();
  }

  draw() {
    if (this.redrawn !== null && this.now() - this.redrawn < LOST) return;
    if (this.isBusy()) return this.goOn();
    this.rest();
    this.redraw();
  }
}
