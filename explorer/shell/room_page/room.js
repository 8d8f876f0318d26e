// A page of a room: a phone, the projector, or the host. Each draws the state that it is told; it remembers nothing but its own vote.

const { kind, base, task, words } = given;
const find = (selector) => document.querySelector(selector);
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
const LEAST = 0.05; // weight of a line that is drawn

let state = null;
let number = null; // mine in the room
const mine = {}; // my votes, by step and round
let trouble = "";

const make = (name, attributes = {}, ...inside) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...inside);
  return node;
};
const draw = (name, attributes = {}, text = "") => {
  const node = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.textContent = text;
  return node;
};

// Fills a place anew where what it depends on has changed: a button that is replaced while it is pressed loses the press.
const filled = {};
function refill(place, by, made) {
  const now = JSON.stringify(by);
  if (filled[place] === now) return;
  filled[place] = now;
  find(place).replaceChildren(...made());
}

async function say(what, body) {
  let told;
  try {
    const answer = await fetch(`${base}/${what}`, { method: "POST", body: JSON.stringify(body) });
    told = await answer.json();
  } catch {
    told = { error: "no answer" };
  }
  if (told.error) throw new Error(words[told.error] ?? told.error);
  return told;
}

// --- Pictures ---

const width = (word, size) => [...word].reduce((sum, letter) => sum + (/\p{Script=Han}/u.test(letter) ? 1 : 0.56), 0) * size;

// Returns the words of a row with their middles, spread over the width.
function row(list, size, across) {
  const wide = list.map((word) => width(word || "·", size));
  const gap = Math.max(8, (across - wide.reduce((a, b) => a + b, 0)) / (list.length + 1));
  let x = gap;
  return list.map((word, at) => {
    const middle = x + wide[at] / 2;
    x += wide[at] + gap;
    return { word, x: middle };
  });
}

function sentence(picture) {
  const upright = kind === "phone";
  const longest = Math.max(picture.source.length, picture.words.length, picture.before?.length ?? 0);
  const across = 1000;
  const total = Math.max(
    ...[picture.source, picture.words].map((list) => list.reduce((sum, word) => sum + width(word, 1) + 1, 0)),
  );
  const size = upright ? 22 : Math.min(52, across / (total + 1));
  const step = 40;
  const svg = upright
    ? draw("svg", { viewBox: `0 0 360 ${longest * step + 10}`, role: "img" })
    : draw("svg", { viewBox: `0 0 ${across} 330`, role: "img" });
  const place = (list, isAnswer) =>
    upright
      ? list.map((word, at) => ({ word, x: isAnswer ? 270 : 90, y: 30 + at * step }))
      : row(list, size, across).map(({ word, x }) => ({ word, x, y: isAnswer ? 265 : 55 }));
  const [source, answer] = [place(picture.source, false), place(picture.words, true)];
  const line = (from, to, attributes) => {
    const [x, y, a, b] = upright
      ? [from.x - 50, from.y - 7, to.x + 50, to.y - 7]
      : [from.x, from.y - size, to.x, to.y + size * 0.4];
    const d = upright
      ? `M${x} ${y}C${x - 40} ${y} ${a + 40} ${b} ${a} ${b}`
      : `M${x} ${y}C${x} ${y - 70} ${a} ${b + 70} ${a} ${b}`;
    svg.append(draw("path", { d, ...attributes }));
  };
  for (const [query, weights] of (picture.weights ?? []).entries()) {
    for (const [key, weight] of weights.entries()) {
      if (weight < LEAST || !answer[query]) continue;
      line(answer[query], source[key], { "stroke-width": 1 + 6 * weight, opacity: 0.2 + 0.8 * weight });
    }
  }
  if (picture.cut) {
    const [query, key] = picture.cut;
    line(answer[query] ?? { x: upright ? 270 : across - 40, y: upright ? 30 + query * step : 265 }, source[key], {
      class: "cut",
      "stroke-width": 4,
    });
  }
  for (const { word, x, y } of source) svg.append(draw("text", { x, y, "font-size": size }, word));
  for (const [at, { word, x, y }] of answer.entries()) {
    const isNew = picture.before && picture.before[at] !== word;
    svg.append(draw("text", { x, y, "font-size": size, class: isNew ? "new" : "" }, word));
    if (!upright) svg.append(draw("text", { x, y: y + 38, "font-size": 26, class: "gloss" }, picture.glosses[at]));
  }
  svg.setAttribute("aria-label", `${picture.source.join(" ")} → ${picture.words.join(" ")}`);
  return svg;
}

function runs({ curves, vary, values }) {
  const [right, bottom, size] = kind === "phone" ? [350, 220, 16] : [1080, 250, 32];
  const [left, top] = [3.2 * size, size];
  const svg = draw("svg", { viewBox: `0 0 ${right + 10} ${bottom + 1.6 * size}`, role: "img" });
  const most = Math.max(100, ...curves.flat().map(([step]) => step));
  const y = (share) => bottom - (bottom - top) * share;
  const at = ([step, share]) => `${left + ((right - left) * step) / most} ${y(share)}`;
  svg.append(draw("path", { class: "frame", d: `M${left} ${top}V${bottom}H${right}M${left} ${y(0.9)}H${right}` }));
  for (const [seed, curve] of curves.entries()) {
    if (!curve.length) continue;
    const isMine = kind === "phone" && seed === (number - 1) % curves.length;
    const name = isMine ? "mine" : `curve of-${seed % (values.length || 1)}`;
    svg.append(draw("path", { class: name, d: `M${left} ${bottom}L${curve.map(at).join("L")}` }));
  }
  for (const [text, x, base] of [
    ["90%", left / 2, y(0.9) + size / 3],
    ["0%", left / 2, bottom],
    [`${most}`, right - size, bottom + 1.2 * size],
    [words.steps, (left + right) / 2, bottom + 1.2 * size],
  ])
    svg.append(draw("text", { x, y: base, class: "axis", "font-size": size }, text));
  for (const [which, value] of values.entries()) {
    const base = y(0.9) + 1.4 * size * (which + 1);
    svg.append(draw("path", { class: `curve of-${which}`, d: `M${left + size} ${base - size / 3}h${2 * size}` }));
    svg.append(draw("text", { x: left + 3.5 * size, y: base, class: "value", "font-size": size }, `${vary} ${value}`));
  }
  svg.setAttribute("aria-label", `${curves.length}`);
  return svg;
}

// --- The page ---

const round = () => `${state.at} ${state.phase === "vote" ? "first" : "second"}`;

function choices() {
  const { phase, counts, found } = state;
  const most = Math.max(1, ...(counts ?? []).flat());
  return state.choices.map((text, choice) => {
    if (kind === "phone" && !counts && (phase === "vote" || phase === "again") && number) {
      const button = make("button", { "aria-pressed": mine[round()] === choice }, text);
      button.onclick = () => vote(round(), choice);
      return button;
    }
    const node = make(
      "div",
      { class: choice === found ? "found" : "" },
      make("span", {}, choice === found ? `✓ ${text}` : text),
    );
    for (const [which, name] of [words.first, words.second].entries()) {
      if (!counts) continue;
      const bar = make("i", { style: `width: ${(45 * counts[which][choice]) / most}%` });
      node.append(make("span", { class: `bar ${which ? "second" : "first"}` }, bar, `${counts[which][choice]} · ${name}`));
    }
    return node;
  });
}

async function vote(when, choice) {
  try {
    await say("vote", { step: state.at, choice });
    mine[when] = choice;
    trouble = words.thanks;
  } catch (error) {
    trouble = error.message;
  }
  show();
}

function phase() {
  if (state.kind !== "vote" || state.phase === "shown") return "";
  if (state.phase === "talk") return words.talk;
  const asked = state.phase === "vote" ? words.vote : words.again;
  const voted = kind === "phone" ? "" : fill(words.voted, { n: state.voted, of: state.people });
  const time = state.estimate ? fill(words.estimate, { s: state.estimate }) : "";
  return [asked, voted, time].filter(Boolean).join(" ");
}

// --- Pairs of sentences that phones send ---

function pairs() {
  const form = find(".pair");
  form.hidden = kind !== "phone" || !state.collects || !number;
  for (const [field, name] of [
    [form.source, words.source],
    [form.answer, words.answer],
  ]) {
    field.placeholder = name;
    field.setAttribute("aria-label", name);
  }
  form.querySelector("button").textContent = words.send;
  const told = kind === "screen" && state.collects ? fill(words.pairs, { n: state.pairs }) : "";
  if (told) find(".phase").textContent = [find(".phase").textContent, told].filter(Boolean).join(" ");
}

find(".pair").onsubmit = async (event) => {
  event.preventDefault();
  const form = event.target;
  try {
    await say("pair", { source: form.source.value, answer: form.answer.value });
    form.reset();
    form.source.focus();
    trouble = words.sent;
  } catch (error) {
    trouble = error.message;
  }
  note();
};

// Draws, for the host, what has come, each with a box that leaves it out, and the way to the page that teaches it.
function collected() {
  const button = make("button", { class: "collect" }, state.collects ? words.enough_now : words.collect);
  button.onclick = () => leadBy({ collect: !state.collects });
  const rows = state.sent.map(({ pair: [source, answer], picked }, at) => {
    const box = make("input", { type: "checkbox" });
    box.checked = picked;
    box.onchange = () => leadBy({ pick: at, on: box.checked });
    return make("label", {}, box, ` ${source} = ${answer}`);
  });
  const count = state.sent.filter((each) => each.picked).length;
  const href = `${base.replace(/\/room\/.*/, "")}/sentences?from_room=${state.code}`;
  const teach = make("a", { href, target: "_blank", class: "teach" }, fill(words.teach, { n: count }));
  return [button, ...(count ? [teach] : []), ...(rows.length ? [make("div", { class: "pairs" }, ...rows)] : [])];
}

function picture() {
  if (state.curves?.some((curve) => curve.length)) return [runs(state)];
  return state.picture ? [sentence(state.picture)] : [];
}

function show() {
  if (!state) return;
  const isJoin = state.kind === "join";
  find("h1").textContent = state.title;
  find(".people").textContent =
    kind === "phone" ? (number ? fill(words.you, { n: number }) : "") : fill(words.people, { n: state.people });
  find(".show").textContent = state.show || (kind === "phone" && isJoin ? words.wait : "");
  find(".question").textContent = state.question;
  find(".join").hidden = !isJoin && state.kind !== "keep";
  document.body.classList.toggle("shown", state.kind === "vote" && state.phase === "shown");
  find(".wifi").textContent = words.wifi;
  const { at, phase: now, counts, found } = state;
  refill(".picture", [state.picture, state.curves, state.values, number], picture);
  refill(".choices", [at, now, counts, found, number, mine[round()]], choices);
  find(".phase").textContent = phase();
  const computing = state.kind === "vote" && state.phase === "shown" && !state.words;
  find(".words").textContent = [computing ? words.computing : state.words, seed()].filter(Boolean).join("\n");
  const open = find(".open");
  open.textContent = words.open;
  open.href = explorer();
  open.hidden = kind !== "phone";
  const kept = find(".kept");
  kept.textContent = words.kept;
  kept.href = `${base}/kept`;
  kept.hidden = state.kind !== "keep";
  pairs();
  note();
  if (kind === "host") lead();
}

// Returns which model is this phone's: models of the values take turns, and have the same seeds.
function seed() {
  if (kind !== "phone" || !number || !state.curves?.length) return "";
  const { curves, vary: setting, values } = state;
  const at = (number - 1) % curves.length;
  if (!setting) return fill(words.yours, { n: at + 1 });
  return fill(words.mine, { setting, value: values[at % values.length], n: Math.floor(at / values.length) + 1 });
}

function note() {
  find(".note").textContent = trouble || (!state || state.host || kind === "host" ? "" : words.lost);
}

// Returns the address in the app that shows the same: the sentence, and what is cut.
function explorer() {
  const app = base.replace(/\/room\/.*/, "");
  if (!state.sentence) return `${app}/`;
  const shown = { task, src: state.sentence };
  const cut = state.picture?.cut;
  if (!cut) return `${app}/?${new URLSearchParams(shown)}`;
  return `${app}/heads?${new URLSearchParams({ ...shown, kind: "cross", cut: `cross.all.all:${cut.join("-")}` })}`;
}

// --- The host ---

function lead() {
  find(".lead").hidden = false;
  find(".say").textContent = state.say;
  const after = state.after ? ` · ${fill(words.after, { title: state.after })}` : "";
  find(".time").textContent = `${state.at + 1} / ${state.of} · ${fill(words.minutes, { n: state.minutes })}${after}`;
  const isVote = state.kind === "vote" && state.phase !== "shown";
  const next = { vote: words.close, talk: words.reopen, again: words.show }[isVote ? state.phase : ""] ?? words.next;
  const button = (text, act, attributes = {}) => {
    const made = make("button", attributes, text);
    made.onclick = act;
    return made;
  };
  const focused = document.activeElement?.className;
  refill("nav", [next, state.recorded], () => [
    button(words.back, () => go("back"), { class: "back" }),
    button(next, () => go("next"), { class: "next" }),
    make("a", { href: `${base}/screen`, target: "_blank" }, words.projector),
    ...(state.recorded ? [button(words.recorded, () => go("recorded"), { class: "recorded" })] : []),
    button(words.end, () => confirm(words.sure) && go("end"), { class: "end" }),
  ]);
  if (["next", "back"].includes(focused)) find(`nav .${focused}`).focus();
  const inputs = isVote
    ? state.choices.map((text, at) =>
        make("label", {}, `${text} `, make("input", { type: "number", min: 0, value: hands[at] ?? 0 })),
      )
    : [];
  const paper = isVote ? [make("span", {}, words.paper), ...inputs, button(words.enter, enter)] : [];
  const asks = state.kind !== "vote" || state.collects; // a vote needs the room
  refill(".sent", [asks, state.collects, state.sent], () => (asks ? collected() : []));
  refill(".paper", [state.at, state.phase, hands], () => paper);
}
let hands = [];

async function enter() {
  hands = [...document.querySelectorAll(".paper input")].map((input) => Math.max(0, Math.round(Number(input.value)) || 0));
  await leadBy({ paper: hands });
}

async function go(way) {
  hands = [];
  await leadBy({ go: way });
}

async function leadBy(what) {
  try {
    await say("lead", what);
    trouble = "";
  } catch (error) {
    trouble = error.message;
    show();
  }
}

// A clicker sends these keys.
addEventListener("keydown", (event) => {
  if (kind !== "host" || event.target.matches("input, button, a")) return;
  const way = { PageDown: "next", ArrowRight: "next", " ": "next", PageUp: "back", ArrowLeft: "back" }[event.key];
  if (!way) return;
  event.preventDefault();
  go(way);
});

// --- What comes in ---

function listen() {
  const events = new EventSource(`${base}/events${kind === "host" ? "?host" : ""}`);
  events.onmessage = ({ data }) => {
    const told = JSON.parse(data);
    if (told.full) {
      trouble = words.crowded;
      note();
      return;
    }
    if (told.over) {
      events.close();
      find("main").replaceChildren(words.over);
      find(".lead").hidden = true;
      return;
    }
    const isOld = [words.connecting, words.crowded].includes(trouble);
    if (isOld || (state && (state.at !== told.at || state.phase !== told.phase))) trouble = "";
    state = told;
    document.body.dataset.version = told.version;
    show();
  };
  events.onerror = () => {
    if (trouble !== words.crowded) trouble = words.connecting;
    note();
  };
}

if (kind === "phone") {
  say("join", {})
    .then((told) => {
      number = told.number;
      show();
    })
    .catch((error) => {
      trouble = error.message;
      note();
    });
}
listen();
