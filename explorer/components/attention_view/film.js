// The controls of a film: several pictures, one after the other. A film starts by itself; with reduced motion it shows its end.

const PACE = 160; // ms from one picture to the next

export class Film {
  // turn(at): shows one of the pictures.
  constructor(node, turn) {
    const find = (selector) => node.querySelector(selector);
    Object.assign(this, { node, turn, player: find("button"), slider: find("input"), output: find("output") });
    this.player.onclick = () => this.play(!this.playing);
    this.slider.oninput = () => {
      this.play(false);
      this.turnTo(Number(this.slider.value));
    };
  }

  // Names the pictures, one each; none if there is nothing to play.
  name(names, texts) {
    Object.assign(this, { names, texts });
    this.node.hidden = !names.length;
  }

  roll() {
    if (!this.names.length) return this.stop();
    const begun = this.at !== undefined;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.slider.max = this.last;
    this.slider.setAttribute("aria-label", this.texts.frame);
    this.turnTo(begun ? Math.min(this.at, this.last) : still ? this.last : 0);
    this.play(begun ? this.playing !== undefined : !still);
  }

  get last() {
    return this.names.length - 1;
  }

  // Plays from the current picture, or from the beginning after the end.
  play(on) {
    this.stop();
    if (on) {
      if (this.at === this.last) this.turnTo(0);
      this.playing = setInterval(() => {
        this.turnTo(this.at + 1);
        if (this.at === this.last) this.play(false);
      }, PACE);
    }
    this.player.textContent = this.texts[this.playing ? "pause" : "play"];
  }

  turnTo(at) {
    this.at = at;
    this.slider.value = at;
    this.output.textContent = this.names[at];
    this.turn(at);
  }

  stop() {
    clearInterval(this.playing);
    this.playing = undefined;
  }
}
