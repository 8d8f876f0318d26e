// While the model on screen is learning: when to ask for the pictures of its newest step, and when to have the page drawn anew.

const TICK = 100; // ms before the first question
const LOST = 5000; // ms after which an answer, or a page, counts as lost
// ms between two drawings of the page at least, and the share of the time that it has been watched: most changes in the beginning
const BESIDE = [3000, 0.5]; // where its pictures follow, for what else is on it
const WHOLE = [1000, 0.25]; // where none does

const inMilliseconds = (run, ms) => setTimeout(run, ms);

export class Watching {
  // ask(after): asks for what is newer than this step, and returns whether that can be answered. redraw(): has the page drawn.
  // isWhole(): whether all pictures of the page follow. isBusy(): whether the page is being drawn anew, or somebody has just used
  // something on it. now(): in ms. later(run, ms): as setTimeout does.
  constructor({ ask, redraw, isWhole, isBusy = () => false, now = () => performance.now(), later = inMilliseconds }) {
    Object.assign(this, { ask, redraw, isWhole, isBusy, now, later, learning: null, follows: false, redrawn: null });
  }

  // The page has been drawn. learning: { newest, note }, what it says of the model; null where that is not learning. isBehind: a
  // drawing that was asked for later is still to come.
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

  // The pictures on screen are no longer all of one step.
  forget() {
    this.after = -1;
    this.goOn();
  }

  look() {
    if (!this.learning) return; // any more
    this.goOn(LOST); // unless an answer comes before
    if (this.ask(this.after)) return;
    this.follows = false;
    this.drawIfDue();
    this.goOn(WHOLE[0]);
  }

  // An answer, when its pictures have been drawn; isComplete: of all views that follow.
  hear({ over, note, newest, pause, pictures }, isComplete) {
    if (!this.learning) return;
    if (over || note !== this.learning.note) return this.draw();
    if (newest > this.after) this.follows = pictures?.length > 0;
    if (isComplete) this.after = newest;
    if (newest > this.learning.newest && !(this.follows && this.isWhole())) this.drawIfDue();
    this.goOn(1000 * pause);
  }

  // The page is about to be drawn anew for a reason of its own. Asking for it as well would count as the newer wish.
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
