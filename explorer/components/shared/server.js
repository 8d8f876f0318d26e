// Asks the server for a picture, over the connection of the live pictures.

import { unframe } from "./arrays.js";

export class Server {
  // message: what each question says besides, see `pictures.questions`.
  constructor(address, message) {
    Object.assign(this, { address, message, number: 0, waiting: null, last: Promise.resolve() });
  }

  // Returns the picture of this name; null where the server has none. Rejects where it cannot be reached. Questions wait for
  // each other: of several at once, the server answers the newest alone.
  ask(picture, choices) {
    const asked = this.last.then(() => this.send([{ picture, choices }]));
    this.last = asked.catch(() => null);
    return asked;
  }

  async send(want) {
    const socket = await this.connection();
    this.number += 1;
    const n = this.number;
    const answered = new Promise((resolve, reject) => {
      this.waiting = { n, resolve, reject };
    });
    socket.send(JSON.stringify({ ...this.message, n, turned: "choices", length: 1, after: 0, want }));
    return answered;
  }

  connection() {
    if (this.socket && this.socket.readyState < WebSocket.CLOSING) return this.opened;
    const socket = new WebSocket(new URL(this.address, location.href).href.replace(/^http/, "ws"));
    socket.binaryType = "arraybuffer";
    socket.onmessage = ({ data }) => {
      const n = new DataView(data).getUint32(0, true);
      if (n === this.waiting?.n) this.waiting.resolve(unframe(data, 8).pictures?.[0] ?? null);
    };
    this.socket = socket;
    this.opened = new Promise((resolve, reject) => {
      socket.onopen = () => resolve(socket);
      socket.onclose = () => {
        const lost = new Error("the connection is lost");
        this.waiting?.reject(lost);
        reject(lost);
      };
    });
    return this.opened;
  }

  close() {
    this.socket?.close();
  }
}
