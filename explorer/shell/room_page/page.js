// A page of a room: a phone, the projector, or the host. Each draws the state that it is told.

import { drawHost } from "./host.js";
import { drawn } from "../../components/outcome/pictures.js";
import { ask, listen } from "./stream.js";

const { kind, base, task, words, leads, language, reachable } = given;
const find = (selector) => document.querySelector(selector);
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "…");

let state = null;
let mine = null; // my number, votes and reasons
let trouble = "";
let own = null; // the picture of a sentence of one's own, or of a line that one has cut
let upto; // the step of learning that is shown, while it is played
const played = new Set();

const make = (name, attributes = {}, ...inside) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) if (value !== false) node.setAttribute(key, value);
  node.append(...inside);
  return node;
};

// Fills a place anew where what it depends on has changed: a button that is replaced while it is pressed loses the press.
const filled = new Map();
function refill(place, by, made) {
  const now = JSON.stringify(by);
  if (filled.get(place) === now) return;
  filled.set(place, now);
  (typeof place === "string" ? find(place) : place).replaceChildren(...made());
}

function say(text) {
  trouble = text;
  note();
}

async function tell(what, body) {
  const told = await ask(`${base}/${what}`, body);
  say(told.error ? (words[told.error] ?? told.error) : "");
  return told.error ? null : told;
}

// --- Pictures ---

const unitOf = (box) => Number.parseFloat(getComputedStyle(box).fontSize);

// Draws a picture into a box, as large as the box.
function draw(box, picture, more = {}) {
  if (!picture) {
    box.replaceChildren();
    return;
  }
  const upright = kind === "phone";
  const unit = unitOf(box);
  const [across, high] = [box.clientWidth || 320, box.clientHeight || 320];
  const curves = more.curves ?? undefined;
  const scene = drawn(picture, { across, high, unit, upright, words, curves, mine: seed(), upto, ...more });
  box.replaceChildren(scene);
}

// Returns which of the models is this phone's; undefined where there are more phones than models.
function seed() {
  const count = state?.curves?.length ?? 0;
  return kind === "phone" && mine && mine.number <= count ? mine.number - 1 : undefined;
}

function show_picture() {
  const box = find("main > .picture");
  const picture = own ?? state.picture;
  box.hidden = !picture || (kind === "phone" && isLooking());
  box.classList.toggle("plays", Boolean(picture) && state.kind === "watch" && state.phase === "during" && !state.collects);
  draw(box, picture, {
    curves: own ? undefined : state.curves,
    onLine: kind === "phone" && state.collects === "lines" ? cut : undefined,
  });
  const small = state.kind === "watch" && state.phase === "after" && state.on_screen?.length > 1 ? state.on_screen : [];
  find("main > .small").hidden = !small.length || kind === "phone";
  if (small.length > 1 && kind !== "phone") box.hidden = true;
  refill("main > .small", small, () => small.map(() => make("div", { class: "picture" })));
  for (const [at, each] of [...document.querySelectorAll("main > .small > .picture")].entries()) draw(each, small[at]);
}

// Shows a page of the app on the projector, without its frame; phones open it in a window of its own.
function showView() {
  refill("main > .view", [state.page, state.view], () =>
    state.page && kind === "screen"
      ? [make("iframe", { src: addressOf({ embed: "true" }), title: state.title, allow: "fullscreen" })]
      : [],
  );
}

// Returns the address of what is shown, in the app.
function addressOf(more) {
  const app = base.replace(/\/room\/.*/, "");
  const view = new URLSearchParams({ ...state.view, ...more, lang: language });
  return `${app}/${state.page === "home" ? "" : state.page}?${view}`;
}

// Plays how models learned, once, when it is shown.
function play() {
  const name = `${state.at} ${state.phase}`;
  const picture = state.picture;
  if (!["shown", "decided"].includes(state.phase) || picture?.kind !== "runs" || !picture.needed || played.has(name)) return;
  played.add(name);
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  const steps = [...(picture.next ?? state.curves?.flat() ?? [])].map(([step]) => step);
  const most = Math.max(0, ...steps);
  upto = 0;
  const timer = setInterval(() => {
    upto = upto + 10 >= most || `${state?.at} ${state?.phase}` !== name ? undefined : upto + 10;
    if (upto === undefined) clearInterval(timer);
    show_picture();
  }, 250);
}

// --- Votes ---

function votes() {
  const { phase, counts, found } = state;
  const rounds = ["ask", "talk", "new"].filter((round) => counts?.[round]);
  const names = { ask: words.first, talk: words.second, new: words.one };
  const first = mine?.votes[`${state.at} ask`];
  const now = mine?.votes[`${state.at} ${phase}`];
  return state.choices.map((text, choice) => {
    if (kind === "phone" && state.resting && mine?.number) {
      const button = make("button", { "aria-pressed": now === choice }, make("span", {}, text));
      if (phase === "talk" && first === choice) button.append(make("small", {}, words.your_first));
      if (now === choice) button.append(make("small", {}, words.your_vote));
      button.classList.toggle("before", phase === "talk" && first === choice && now !== choice);
      button.onclick = () => vote(choice);
      return button;
    }
    const node = make("div", { class: choice === found ? "found" : "" }, make("span", {}, text));
    if (choice === found) node.prepend(make("b", {}, words.happens));
    for (const round of rounds) {
      const most = Math.max(1, ...rounds.flatMap((each) => counts[each]));
      const count = counts[round][choice];
      const bar = make(
        "div",
        { class: `bar ${round}`, title: names[round] },
        make("span", { class: "track" }, make("i", { style: `width: ${(100 * count) / most}%` })),
        `${count}`,
      );
      bar.setAttribute("aria-label", `${names[round]}: ${count}`);
      node.append(bar);
    }
    const ours = rounds
      .filter((round) => mine?.votes[`${state.at} ${round}`] === choice)
      .map((round) => (round === "ask" ? words.your_first : words.your_vote));
    if (kind === "phone" && ours.length) node.append(make("small", {}, ours.join(" · ")));
    return node;
  });
}

async function vote(choice) {
  const { at: step, phase } = state;
  if (!(await tell("vote", { step, phase, choice }))) return;
  mine.votes[`${step} ${phase}`] = choice;
  show();
}

function reasonButtons() {
  const voted = mine?.votes[`${state.at} ask`] !== undefined;
  if (kind !== "phone" || state.phase !== "ask" || !voted || !state.because.length) return [];
  return [
    make("p", {}, words.because),
    ...state.because.map((text, because) => {
      const button = make("button", { "aria-pressed": mine.reasons[state.at] === because }, text);
      button.onclick = async () => {
        if (!(await tell("vote", { step: state.at, phase: state.phase, because }))) return;
        mine.reasons[state.at] = because;
        show();
      };
      return button;
    }),
  ];
}

function status() {
  const { phase, votes: cast, wait } = state;
  if (wait) return fill(wait.of > 1 ? words.learning : words.learning_one, wait);
  if (state.kind !== "vote") return "";
  const voted = cast && kind !== "phone" ? fill(words.voted, { n: cast.cast, of: cast.of }) : "";
  const asked = { ask: words.ask, talk: words.talk, new: words.new }[phase] ?? "";
  if (state.resting) return [asked, voted].filter(Boolean).join(" ");
  if (!state.words.length) return words.computing;
  return "";
}

// Returns which colour is which vote.
function legend() {
  const names = { ask: words.first, talk: words.second, new: words.one };
  const rounds = Object.keys(names).filter((round) => state.counts?.[round]);
  return rounds.length
    ? [make("span", { class: "legend" }, ...rounds.map((round) => make("span", { class: round }, make("i"), names[round])))]
    : [];
}

// --- A word of one's own, which looks where its phone says ---

// Whether phones say now where their words look.
const isLooking = () => state.collects === "looks" && state.phase === "during";

// Returns the word that this phone has, with its gloss: people take turns.
function ownWord() {
  return mine?.number && state.own_words.length ? state.own_words[(mine.number - 1) % state.own_words.length] : null;
}

function lookingAt() {
  const keys = mine.looks[state.at] ?? [];
  return (state.picture?.source ?? []).map((text, key) => {
    const button = make("button", { "aria-pressed": keys.includes(key), lang: "en" }, make("span", {}, text));
    button.onclick = () => look(keys.includes(key) ? keys.filter((each) => each !== key) : [...keys, key]);
    return button;
  });
}

async function look(keys) {
  const { at: step } = state;
  if (!keys.length) return;
  const told = await tell("look", { step, keys });
  if (!told) return;
  mine.looks[step] = keys;
  mine.wrote = told.word;
  show();
}

// Returns what is asked of this phone, and what is written with its look.
function aboutOwnWord() {
  const word = ownWord();
  if (kind !== "phone" || !isLooking() || !word) return ["", ""];
  const gloss = word[1] && word[1] !== word[0] ? ` (${word[1]})` : "";
  const wrote = mine.wrote === "<end>" ? words.the_end : mine.wrote;
  return [fill(words.own_word, { word: word[0], gloss }), mine.wrote ? fill(words.it_writes, { word: wrote }) : ""];
}

// --- Questions before and after ---

// Returns the question that this phone has not answered yet; undefined behind the last one.
const nextQuestion = () => state.quiz.asked?.[mine?.quiz[state.at] ?? 0];

function answering() {
  const question = mine?.quiz[state.at] ?? 0;
  return nextQuestion().choices.map((text, choice) => {
    const button = make("button", {}, make("span", {}, text));
    button.onclick = async () => {
      const told = await tell("answer", { step: state.at, question, choice });
      if (!told) return;
      mine.quiz[state.at] = told.answered;
      show();
    };
    return button;
  });
}

// Returns the text above the choices, and the line below them.
function aboutQuiz() {
  const { asked, all, done, counts: twice } = state.quiz;
  if (twice?.length) return ["", words.quiz_right];
  if (kind !== "phone" || !mine?.number) return ["", asked?.length ? fill(words.quiz_count, { n: done, of: all }) : ""];
  if (!asked?.length) return ["", ""];
  const next = nextQuestion();
  return next
    ? [`${next.sentence}\n${next.question}`, fill(words.quiz_place, { n: asked.indexOf(next) + 1, of: all })]
    : ["", words.quiz_done];
}

// Returns a row for each question: how many were right before and after, of those who answered twice.
function quizCounts() {
  return (state.quiz.counts ?? []).map(({ title, both, both_before_right: before, both_after_right: after }) => {
    const node = make("div", {}, make("span", {}, title));
    for (const [round, n] of [
      ["ask", before],
      ["talk", after],
    ]) {
      const track = make("span", { class: "track" }, make("i", { style: `width: ${both ? (100 * n) / both : 0}%` }));
      node.append(make("div", { class: `bar ${round}` }, track, `${n} / ${both}`));
    }
    return node;
  });
}

// --- What phones send ---

async function saySentence(event) {
  event.preventDefault();
  const field = find(".own input");
  const told = await tell("say", { sentence: field.value });
  if (told) own = { ...told.picture, said: field.value };
  show();
}

async function cut(query, key) {
  const told = await tell("cut", { query, key });
  if (!told) return;
  own = told.picture;
  show();
}

function sending() {
  const form = find(".own");
  const may = kind === "phone" && Boolean(mine?.number);
  form.hidden = !may || state.collects !== "sentences";
  const field = form.querySelector("input");
  field.placeholder = words.say_something;
  field.setAttribute("aria-label", words.say_something);
  form.querySelector("button").textContent = words.look;
  form.onsubmit = saySentence;
  const extra = [];
  if (may && own && state.collects === "sentences")
    extra.push([words.send_host, async () => (await tell("say", { sentence: own.said, send: true })) && say(words.sent)]);
  if (may && own && state.collects === "lines")
    extra.push([
      words.undo,
      () => {
        own = null;
        show();
      },
    ]);
  refill(".because", ["extra", extra.map(([text]) => text), reasonsBy()], () => {
    const made = reasonButtons();
    for (const [text, act] of extra) {
      const button = make("button", {}, text);
      button.onclick = act;
      made.push(button);
    }
    return made;
  });
  const pair = find(".pair");
  pair.hidden = !may || state.collects !== "pairs";
  for (const [name, text] of [
    ["source", words.source],
    ["answer", words.answer],
  ]) {
    pair.elements[name].placeholder = text;
    pair.elements[name].setAttribute("aria-label", text);
  }
  pair.querySelector("button").textContent = words.send;
  pair.onsubmit = async (event) => {
    event.preventDefault();
    if (!(await tell("pair", { source: pair.elements.source.value, answer: pair.elements.answer.value }))) return;
    pair.reset();
    pair.elements.source.focus();
    say(words.sent);
  };
}
const reasonsBy = () => [state.at, state.phase, mine?.votes[`${state.at} ask`], mine?.reasons[state.at], state.because];

// Returns what is told of what phones have sent.
function counted() {
  if (kind === "phone") return own?.stays ? words.changed_nothing : own?.kind === "sentence" && own.cut ? words.changed : "";
  if (state.collects === "lines" && state.finds) return fill(words.finds, { n: state.finds });
  if (isLooking() && state.own_words.length) return fill(words.looks_given, { n: state.written, of: state.own_words.length });
  if (["sentences", "pairs"].includes(state.collects) && state.sent) return fill(words.sent_count, { n: state.sent });
  return "";
}

// --- The page ---

function show() {
  if (!state) return;
  const isJoin = state.kind === "join" || state.kind === "keep";
  document.body.dataset.step = state.kind;
  document.body.dataset.phase = state.phase;
  document.body.classList.toggle("told", state.kind === "vote" && !state.resting);
  find(".place").textContent = `${state.at + 1} / ${state.of}`;
  find("h1").textContent = state.title;
  find(".people").textContent = kind === "phone" ? "" : fill(words.people, { n: state.people });
  for (const each of document.querySelectorAll(".code")) each.textContent = state.code;
  const [quizzed, quiz] = state.kind === "quiz" ? aboutQuiz() : ["", ""];
  find(".show").textContent = quizzed
    ? ""
    : state.show || (kind === "phone" && state.kind !== "vote" && !state.collects ? words.look_up : "");
  const [wanted, wrote] = aboutOwnWord();
  find(".question").textContent = state.question || wanted || quizzed;
  find(".join").hidden = state.kind !== "join" || kind === "phone";
  find(".take").hidden = state.kind !== "keep" || kind === "phone" || !reachable;
  find(".join").classList.toggle("alone", !reachable);
  find(".wifi").textContent = reachable ? words.wifi : words.unreachable;
  find(".corner").hidden = kind !== "screen" || isJoin;
  const choices = wanted ? lookingAt : quizzed ? answering : state.quiz.counts?.length ? quizCounts : votes;
  refill(
    ".choices",
    [state.at, state.phase, state.counts, state.found, state.choices, mine, wanted, state.picture?.source, quizzed, state.quiz],
    choices,
  );
  find(".choices").classList.toggle("keys", Boolean(wanted));
  find(".choices").classList.toggle("counts", Boolean(state.quiz.counts?.length));
  refill(".status", [status(), counted(), quiz, state.counts], () => [
    [status(), counted(), quiz].filter(Boolean).join(" "),
    ...legend(),
  ]);
  find(".words").textContent =
    kind === "screen" && state.kind === "vote" && !state.words.length
      ? ""
      : [...state.words, yours(), wrote].filter(Boolean).join(" ");
  sending();
  links();
  note();
  show_picture();
  showView();
  play();
  if (kind === "host") drawHost({ state, words, base, make, fill, refill, draw, find, tell });
}

function yours() {
  if (kind !== "phone" || !mine || !state.curves?.length || state.resting) return "";
  const { number } = mine;
  if (seed() === undefined) return fill(words.no_model, { n: state.curves.length });
  const { vary: setting, values = [] } = state.picture ?? {};
  if (!setting) return fill(words.yours, { n: number });
  return fill(words.mine, { setting, value: values[(number - 1) % values.length], n: Math.ceil(number / values.length) });
}

function links() {
  const app = base.replace(/\/room\/.*/, "");
  const open = find(".open");
  open.textContent = words.open;
  open.hidden = kind !== "phone" || state.resting || Boolean(state.quiz.asked?.length);
  const sentence = state.sentence ? `${app}/?${new URLSearchParams({ task, src: state.sentence })}` : `${app}/`;
  const note = [state.show, state.question].filter(Boolean).join("\n");
  open.href = state.page ? addressOf(note ? { note } : {}) : sentence;
  find(".rests").textContent = kind === "phone" && state.resting ? words.rests : "";
  const kept = find(".kept");
  kept.textContent = words.kept;
  kept.href = `${base}/kept`;
  kept.hidden = kind === "screen" || (state.kind !== "keep" && kind === "phone") || kind === "host";
}

function note() {
  const lost = state && !state.host && kind !== "host" ? words.lost : "";
  find(".note").textContent = trouble || lost;
}

// A clicker sends these keys. They turn the room whatever was pressed last; in a field they write, and Enter presses a button.
addEventListener("keydown", (event) => {
  if (!leads || !state || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, textarea, dialog"))
    return;
  const way = { PageDown: "next", ArrowRight: "next", " ": "next", PageUp: "back", ArrowLeft: "back" }[event.key];
  if (event.key === "f" && kind === "screen") document.documentElement.requestFullscreen?.();
  if (!way) return;
  event.preventDefault();
  tell("lead", { go: way });
});
addEventListener("resize", () => state && show_picture());

function heard(told) {
  if (told === null) {
    over();
    return;
  }
  const hasTurned = state && (state.at !== told.at || state.phase !== told.phase);
  if (hasTurned || [words.connecting, words.crowded].includes(trouble)) trouble = "";
  if (state && state.at !== told.at) own = null;
  if (hasTurned) upto = undefined;
  state = told;
  document.body.dataset.version = told.version;
  show();
}

function over() {
  const link = make("a", { href: `${base}/kept`, class: "kept" }, words.kept);
  find("main").replaceChildren(make("p", { class: "show" }, words.over), make("p", {}, link));
  for (const gone of ["aside", ".corner", ".open", ".rests"]) find(gone).hidden = true;
}

async function join() {
  const told = await ask(`${base}/join`, {}, 10);
  if (told.error) say(words[told.error] ?? told.error);
  else mine = told;
  show();
}

if (kind === "phone") join();
listen(`${base}/events?kind=${kind}&lang=${language}`, heard, (why) => say(words[why]));
