// Films, drawn picture by picture as for a file and recorded by the browser: of learning, attention after each step that is kept, or
// curves that grow from step to step; and the scenes of a view that plays.

import { unframe } from "../shared/arrays.js";
import { element, fill } from "../shared/dom.js";
import { shownModel, wishOf } from "../shared/live.js";
import { duration, rightAt } from "../scrubber/course.js";
import { percent } from "../shared/shares.js";
import { evenly, picturesIn } from "./webm.js";

const MOST = 60; // pictures of a film
const PAINTED = 40; // ms that a picture is on the canvas, at least, while the browser records
const SHARPNESS = 2; // pixels for each of the page, ...
const LONGEST_SIDE = 1600; // ... but on the longer side no more
const BITS = 8_000_000; // a second: edges of letters stay sharp
const PATIENCE = 10_000; // ms that a browser may take over a picture before it is not waited for
const TYPE = "video/webm";
const BEST = `${TYPE};codecs=vp9`; // of all codecs in it

// The views that draw themselves at once, so that the page is not painted between a picture of the film and its own: what they
// draw, and how they are given something else.
const VIEWS = {
  ".matrices": ({ matrices }) => ({ data: matrices?.data, show: (data) => matrices.take(data) }),
  ".attention-view": ({ view }) => ({ data: view?.data, show: (data) => view.show(data, view.tell, view.tellCut) }),
  ".arithmetic": ({ arithmetic }) => ({ data: arithmetic?.data, show: (data) => arithmetic.take(data, arithmetic.tell) }),
};

function viewOf(node) {
  const kind = Object.keys(VIEWS).find((each) => node.matches(each));
  return kind && VIEWS[kind](node);
}

const isOfAttention = (node) => "kind" in (wishOf(node)?.choices ?? {});

// The address of the pictures of a run, for a picture of one.
const runOf = (node) => viewOf(node)?.data?.film_at || null;

// Returns the data of the scrubber: the steps that are kept of the run on the page, or of the model on screen.
function courseOf(node) {
  const ofRun = Boolean(runOf(node));
  const scrubbers = [...document.querySelectorAll(".scrubber")].map(({ view }) => view?.data).filter(Boolean);
  return scrubbers.find(({ setting }) => (ofRun ? setting === "" : setting === "step"));
}

// The scenes of a view that plays by itself: { count, show(at), back() }; undefined for others.
const scenesOf = (node) => (node.wordMap ?? node.oneStep)?.scenes();

export function canBeFilmed(node) {
  if (!globalThis.MediaRecorder?.isTypeSupported(TYPE)) return false;
  if (scenesOf(node)) return true;
  if (!viewOf(node)) return isOfCurves(node);
  return Boolean(runOf(node) || isOfAttention(node)) && courseOf(node)?.steps.length > 1;
}

const isOfCurves = (node) => Boolean(node._fullLayout?.meta?.film);

// Returns the places of curves along their axis.
const placesOf = (node) => [...new Set(node._fullData.flatMap(({ x }) => [...x]))].sort((one, other) => one - other);

// Returns a figure whose curves go as far as a place, on the axes of all of them.
export function grown(node, until) {
  const data = node._fullData.map((trace, at) => {
    const seen = [...trace.x].map((x, i) => [x, trace.y[i]]).filter(([x]) => x <= until);
    return { ...node.data[at], x: seen.map(([x]) => x), y: seen.map(([, y]) => y) };
  });
  const axes = Object.entries(node._fullLayout).filter(([name]) => /^[xy]axis\d*$/.test(name));
  const ranges = axes.map(([name, { range }]) => [name, { ...node.layout[name], range: [...range], autorange: false }]);
  return { data, layout: { ...node.layout, ...Object.fromEntries(ranges) } };
}

// Chooses steps evenly, the first and the last among them.
export function chosen(steps, most = MOST) {
  if (steps.length <= most) return steps;
  return Array.from({ length: most }, (_, i) => steps[Math.round((i * (steps.length - 1)) / (most - 1))]);
}

// Says which step a picture shows, and how much was right by then.
export function lineOf({ curve, texts }, step, last) {
  const place = duration({ steps: [step, last], live: false, texts }, 0);
  const right = rightAt(curve, step);
  const learned = step === 0 ? place : `${texts.name} ${place}`;
  return right === null ? learned : `${learned} · ${fill(texts.right, { share: percent(right) })}`;
}

// The task and the sizes of the model on screen: what stays the same while it learns.
const modelName = () =>
  [...shownModel().querySelectorAll(".fact-task, .fact-sizes")].map(({ textContent }) => textContent).join("");

// Makes a film of so many seconds. drawn(line, until): draws the picture as it is on the page at this moment, curves as far as a place,
// with a line over it; tell(at, all): how far the recording has come. Returns null where the page has dropped the picture meanwhile.
export async function filmOf(node, seconds, drawn, tell) {
  const frames = [];
  const pictures = scenesOf(node) ? ofScenes : viewOf(node) ? ofAttention : ofCurves;
  const spoken = [...node.querySelectorAll("[aria-live]")];
  for (const each of spoken) each.setAttribute("aria-live", "off"); // nobody need hear what is drawn for a film
  try {
    for await (const { picture, count } of pictures(node, drawn)) {
      if (!node.isConnected) return null;
      frames.push(await imageOf(picture()));
      tell(frames.length, 2 * count);
    }
  } finally {
    for (const each of spoken) each.setAttribute("aria-live", "polite");
  }
  const paper = getComputedStyle(node).getPropertyValue("--st-background-color");
  const pace = (1000 * seconds) / (frames.length + 1); // the last one stays as long again
  return recorded(frames, pace, paper, (at) => tell(frames.length + at, 2 * frames.length));
}

// Draws a picture of other numbers, and the page's own again before anybody sees them. draw() begins to draw at once.
function pictureWith(node, numbers, draw) {
  const { data, show } = viewOf(node);
  show({ ...data, ...numbers });
  try {
    return draw();
  } finally {
    show(data);
  }
}

// --- The pictures, each { picture, count }: what begins to draw it, and how many there are ---

function* ofScenes(node, drawn) {
  const { count } = scenesOf(node);
  const picture = (at) => () => {
    const { show, back } = scenesOf(node); // back to what is there by now
    show(at);
    try {
      return drawn();
    } finally {
      back();
    }
  };
  for (let at = 0; at < count; at++) yield { picture: picture(at), count };
}

function* ofCurves(node, drawn) {
  const places = chosen(placesOf(node));
  const { text } = node._fullLayout.xaxis.title;
  for (const until of places) {
    yield { picture: () => drawn(`${text} ${until.toLocaleString("en")}`, until), count: places.length };
  }
}

async function* ofAttention(node, drawn) {
  const course = courseOf(node);
  for await (const { step, last, numbers, count } of runOf(node) ? ofRun(node) : ofModel(node, course)) {
    const line = [lineOf(course, step, last), ...(runOf(node) ? [] : [modelName()])].join(" · ");
    yield { picture: () => pictureWith(node, numbers, () => drawn(line)), count };
  }
}

// The pictures of a run come all at once.
async function* ofRun(node) {
  const answer = await fetch(new URL(runOf(node), document.baseURI));
  if (!answer.ok) throw new Error(`the server has no pictures of this run: ${answer.status}`);
  const { frames } = unframe(await answer.arrayBuffer());
  const last = frames.at(-1).step;
  for (const { step, numbers } of frames) yield { step, last, numbers, count: frames.length };
}

// Those of the model on screen are asked for one after the other, as while its step is dragged; over a connection of their own, so
// that nobody who drags meanwhile has to wait.
async function* ofModel(node, { steps }) {
  const { address, settings, length, language } = globalThis.explorerLive.told;
  const want = [wishOf(node)];
  const kept = chosen(steps);
  const last = steps.at(-1);
  const line = await connected(address);
  try {
    for (const [n, step] of kept.entries()) {
      const turned = { ...settings, step: step === last ? null : step };
      const question = { n, settings: turned, turned: "step", length, after: 0, want, language };
      const { pictures, nearest } = await line.ask(question);
      if (!pictures[0] || nearest[0] !== null) throw new Error(`the server has no picture of step ${step}`);
      yield { step, last, numbers: pictures[0], count: kept.length };
    }
  } finally {
    line.close();
  }
}

async function connected(address) {
  const socket = new WebSocket(new URL(address, document.baseURI).href.replace(/^http/, "ws"));
  socket.binaryType = "arraybuffer";
  const event = (name) =>
    new Promise((resolve, reject) => {
      socket.addEventListener(name, ({ data }) => resolve(data), { once: true });
      socket.addEventListener("close", () => reject(new Error("the connection was lost")), { once: true });
    });
  await event("open");
  const ask = async (question) => {
    const answer = event("message");
    socket.send(JSON.stringify(question));
    return unframe(await answer, 8); // after the question's number
  };
  return { ask, close: () => socket.close() };
}

// --- The recording ---

async function imageOf(drawing) {
  const { svg, width, height } = await drawing;
  const image = new Image();
  image.src = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  await image.decode();
  return { image, width, height };
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

// Shows the pictures on a canvas while the browser records what it shows, and gives each `pace` ms of the film.
async function recorded(frames, pace, paper, tell) {
  const wide = Math.max(...frames.map(({ width }) => width));
  const high = Math.max(...frames.map(({ height }) => height));
  const times = Math.min(SHARPNESS, LONGEST_SIDE / Math.max(wide, high));
  const even = (length) => 2 * Math.ceil((times * length) / 2); // as codecs want it
  const canvas = element("canvas", { width: even(wide), height: even(high) });
  const pen = canvas.getContext("2d", { alpha: false }); // with it each picture would be recorded twice
  const paint = ({ image, width, height }) => {
    pen.fillStyle = paper;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, times * width, times * height);
  };
  const stream = canvas.captureStream();
  const mimeType = MediaRecorder.isTypeSupported(BEST) ? BEST : TYPE;
  const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: BITS });
  const parts = [];
  let come = () => {};
  recorder.ondataavailable = async ({ data }) => {
    parts.push(data);
    if (data.size) come(picturesIn(await new Blob(parts).arrayBuffer()));
  };
  const over = new Promise((resolve, reject) => {
    recorder.onstop = resolve;
    recorder.onerror = ({ error }) => reject(error);
  });
  // The next picture waits until this one is encoded, when those before it come: a busy browser would leave one out.
  const shown = (frame, before) => {
    const isEncoded = new Promise((resolve) => {
      come = (count) => count >= before && resolve();
    });
    paint(frame);
    return Promise.all([Promise.race([isEncoded, pause(PATIENCE)]), pause(PAINTED)]);
  };
  recorder.start(1); // ms after which it hands over what it has
  for (const [at, frame] of frames.entries()) {
    await shown(frame, at);
    tell(at + 1);
  }
  await shown(frames.at(-1), frames.length); // a film ends with what was painted last
  recorder.stop();
  await over;
  for (const track of stream.getTracks()) track.stop();
  for (const { image } of frames) URL.revokeObjectURL(image.src);
  return new Blob(evenly(await new Blob(parts).arrayBuffer(), pace), { type: TYPE });
}
