// What the server tells a room's windows. One window of a browser listens, and passes on what it hears to the others: a browser
// opens six connections to a server at most, and each window that listens takes one for itself.

const FIRST_WAIT = 1000; // milliseconds until a stream that has failed is opened again; each time twice as long
const LAST_WAIT = 15_000;
const ANSWER = 400; // milliseconds in which a window that listens answers another one
const SILENCE = 45_000; // milliseconds without a word from the window that listens, after which another one takes its place
const LIMIT = 8000; // milliseconds that a request may take

// Returns a state with what is new in it: points of curves are sent once.
export function merged(state, told) {
  if (told.all || !state) return told;
  const { more, ...rest } = told;
  const curves = more && state.curves ? state.curves.map((curve, at) => [...curve, ...(more[at] ?? [])]) : state.curves;
  return { ...state, curves, ...rest };
}

// Listens at an address, alone or through another window of this browser. heard(state): called with each new state, which is
// null when the room is over; failed(why): with "connecting" or "crowded".
export function listen(address, heard, failed) {
  const channel = globalThis.BroadcastChannel ? new BroadcastChannel(address) : null;
  let state = null;
  let events = null;
  let pause = FIRST_WAIT;
  let opening = 0; // a timer
  let silence = 0; // a timer
  let isOver = false;

  const take = (told) => {
    if (told.alive) return;
    if (told.over) {
      isOver = true;
      stop();
      heard(null);
      return;
    }
    if (told.full) {
      failed("crowded");
      return;
    }
    state = merged(state, told);
    heard(state);
  };
  const stop = () => {
    clearTimeout(opening);
    events?.close();
    events = null;
  };
  const again = () => {
    stop();
    if (isOver) return;
    failed("connecting");
    opening = setTimeout(open, pause * (0.75 + Math.random() / 2));
    pause = Math.min(2 * pause, LAST_WAIT);
  };
  const open = () => {
    if (events || isOver) return;
    events = new EventSource(address);
    events.onmessage = ({ data }) => {
      pause = FIRST_WAIT;
      const told = JSON.parse(data);
      take(told);
      channel?.postMessage({ told: told.over || told.full || told.alive ? told : { ...state, all: true } });
      if (told.full) again();
    };
    events.onerror = again; // also a stream that the browser would open again by itself: it gives up where the answer is no stream
  };
  const wait = (milliseconds) => {
    clearTimeout(silence);
    silence = setTimeout(open, milliseconds * (1 + Math.random() / 2));
  };
  if (!channel) {
    open();
    return;
  }
  channel.onmessage = ({ data }) => {
    if (data.asks && events && state) channel.postMessage({ told: { ...state, all: true } });
    if (data.leaves && !events) wait(50);
    if (data.told && !events) {
      clearTimeout(opening);
      wait(SILENCE);
      take(data.told);
    }
  };
  addEventListener("pagehide", () => {
    if (events) channel.postMessage({ leaves: true });
    stop();
  });
  addEventListener("pageshow", (event) => event.persisted && open());
  wait(ANSWER);
  channel.postMessage({ asks: true });
}

// Asks the server; a request that takes too long or gets no answer is made again. Returns what it said, or { error } with a name.
export async function ask(address, body, tries = 3) {
  for (let left = tries; left > 0; left--) {
    const control = new AbortController();
    const limit = setTimeout(() => control.abort(), LIMIT);
    try {
      const answer = await fetch(address, { method: "POST", body: JSON.stringify(body), signal: control.signal });
      return await answer.json();
    } catch {
      if (left > 1) await new Promise((resolve) => setTimeout(resolve, FIRST_WAIT));
    } finally {
      clearTimeout(limit);
    }
  }
  return { error: "no answer" };
}
