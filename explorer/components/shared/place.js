// The place on a screen that the address follows: what the page says of it may be older than what somebody does.

const TELL = 500; // ms without a change until the address follows

export class Place {
  // now(): the place on screen; tell(place): tells the page.
  constructor(now, tell) {
    Object.assign(this, { now, tell, told: [] });
  }

  // Takes the first place that the page says.
  open(place) {
    this.heard = JSON.stringify(place);
  }

  // Whether the page says a place that it was told, or the one before: somebody may have gone on meanwhile.
  isEcho(place) {
    const said = JSON.stringify(place);
    const at = this.told.indexOf(said);
    this.told.splice(0, at + 1);
    const isEcho = at >= 0 || said === this.heard;
    this.heard = said;
    return isEcho;
  }

  // Lets the address follow, once somebody stays.
  follow(after = TELL) {
    this.stop();
    this.telling = setTimeout(() => {
      const place = this.now();
      this.told.push(JSON.stringify(place));
      this.tell(place);
    }, after);
  }

  stop() {
    clearTimeout(this.telling);
  }
}
