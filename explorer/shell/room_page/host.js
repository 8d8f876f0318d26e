// The host's window: words to say, what to expect, clocks, the split of the votes, what phones have sent, and the way on.

const clock = (seconds) =>
  `${Math.floor(Math.abs(seconds) / 60)}:${String(Math.floor(Math.abs(seconds) % 60)).padStart(2, "0")}`;
let ticking = 0; // a timer
let hands = {};

// Draws the window; page: what the page has, see page.js.
export function drawHost(page) {
  const { state, words, make, refill, find, fill, draw, tell, base } = page;
  const lead = (what) => tell("lead", what);
  const button = (text, act, attributes = {}) => {
    const made = make("button", attributes, text);
    made.onclick = act;
    return made;
  };
  find("aside").hidden = false;
  refill("aside", ["frame"], () => frame(make));
  const isVote = state.kind === "vote";

  refill(".steps", [state.steps, state.at], () =>
    state.steps.map((step, at) => {
      const name = [at === state.at && "now", !step.is_led && "passed", step.reached && "done"].filter(Boolean).join(" ");
      return button(`${at + 1}  ${step.title}`, () => lead({ jump: at }), {
        class: name,
        "data-minutes": step.minutes ? `${+step.minutes.toFixed(1)}′` : "",
      });
    }),
  );
  refill(".phases", [state.phases, state.phase], () =>
    state.phases.map((name) => make("span", { class: name === state.phase ? "now" : "" }, words[`phase_${name}`])),
  );
  refill(".say", state.say, () =>
    state.say
      .split(/(?<=[.?!]”?)\s+|(?<=[。？！])(?!”)/u)
      .filter(Boolean)
      .map((line) => make("p", {}, line)),
  );
  const cards = [
    [words.usual, state.usual],
    [words.expect, state.expect],
    [words.reasons, state.reasons.some(Boolean) && !["ask", "new", "decided"].includes(state.phase) ? tapped(state) : ""],
  ].filter(([, text]) => text);
  refill(".cards", cards, () => cards.map(([title, text]) => make("section", {}, make("h2", {}, title), make("p", {}, text))));
  refill(".split", [state.split, state.choices, state.votes], () => split(page));
  refill(".hands", [state.at, state.phase, state.choices], () => (state.resting ? handsOf(page, button) : []));
  refill(".sent", [state.all_sent, state.shown_now, state.collects, state.at], () => sent(page, button, lead));

  const then = state.then;
  const part = then && words[`phase_${then.phase}`];
  const comes = then && (then.is_next_step ? then.title : isVote ? part : `${then.title}, ${part.toLowerCase()}`);
  const covered = state.resting ? words.stays_covered : "";
  find(".then p").textContent = !then ? words.last : covered || comes;
  find(".then .picture").hidden = Boolean(covered) || !then?.picture;
  draw(find(".then .picture"), then?.picture ?? null);

  const next = comes ?? words.end;
  refill(".ways", [next, isVote, state.phase, state.wait !== null, state.may_use_recorded], () => [
    button(`← ${words.back}`, () => lead({ go: "back" }), { class: "back" }),
    ...(state.phase === "ask" ? [button(words.show_now, () => lead({ go: "show" }), { class: "show-now" })] : []),
    ...(state.resting ? [button(words.start_again, () => lead({ again: true }), { class: "again" })] : []),
    ...(state.may_use_recorded ? [button(words.recorded, () => lead({ recorded: true }), { class: "recorded" })] : []),
    then
      ? button(`${fill(words.next_is, { what: next })} →`, () => lead({ go: "next" }), { class: "next" })
      : button(words.end, () => confirm(words.really) && lead({ end: true }), { class: "next end" }),
  ]);
  refill(".doors", [state.locked, state.key, state.has_quiz], () => [
    button(words.projector, () => open(`${base}/screen`, `projector ${state.code}`, "popup"), { class: "projector" }),
    make("p", { class: "hint" }, words.full_screen),
    button(state.locked ? words.unlock : words.lock, () => lead({ lock: !state.locked }), { class: "lock" }),
    make("a", { href: `${base}/kept`, target: "_blank" }, words.kept),
    ...(state.has_quiz ? [make("a", { href: `${base}/answers.csv`, download: "" }, words.answers)] : []),
    make("details", {}, make("summary", {}, words.elsewhere), make("p", {}, fill(words.key, { key: state.key }))),
    button(words.end, () => confirm(words.really) && lead({ end: true }), { class: "end" }),
  ]);
  find(".unkept").textContent = state.unkept ? words.unkept : "";

  const heard = performance.now();
  clearInterval(ticking);
  const tick = () => {
    const gone = state.now + (performance.now() - heard) / 1000;
    const [part, whole] = [gone - state.turned, gone - state.began];
    const behind = whole - 60 * state.planned - Math.min(part, 60 * state.minutes);
    find(".part b").textContent = clock(part);
    find(".part span").textContent = `${words[`phase_${state.phase}`]} · ${clock(60 * state.minutes)}`;
    find(".part").classList.toggle("over", part > 60 * state.minutes);
    find(".whole b").textContent = clock(whole);
    const late = Math.abs(behind) < 20 ? "" : ` · ${fill(behind > 0 ? words.behind : words.ahead, { time: clock(behind) })}`;
    find(".whole span").textContent = `${fill(words.of_minutes, { n: Math.round(state.whole) })}${late}`;
  };
  tick();
  ticking = setInterval(tick, 1000);
}

function frame(make) {
  const place = (name, ...inside) => make("div", { class: name }, ...inside);
  const dial = (name) => place(name, make("b"), make("span"));
  return [
    place("left", place("steps"), make("p", { class: "unkept" })),
    place("middle", place("phases"), place("say"), place("cards"), place("then", make("p"), place("picture"))),
    place("right", place("clocks", dial("part"), dial("whole")), place("split"), place("hands"), place("sent"), place("doors")),
    place("ways"),
  ];
}

function tapped(state) {
  return state.reasons
    .map((count, at) => [count, state.reason_texts[at]])
    .sort((a, b) => b[0] - a[0])
    .map(([count, text]) => `${count}  ${text}`)
    .join("\n");
}

function split({ state, words, make, fill }) {
  if (!state.split) return [];
  const sum = state.split.reduce((a, b) => a + b, 0);
  const most = Math.max(1, ...state.split);
  const isClear = most > 0.8 * sum && sum > 0;
  return [
    make("h2", {}, words.first),
    ...state.choices.map((text, at) =>
      make(
        "div",
        { class: "bar ask" },
        make("em", {}, text),
        make("span", { class: "track" }, make("i", { style: `width: ${(100 * state.split[at]) / most}%` })),
        `${state.split[at]}`,
      ),
    ),
    make("p", { class: "hint" }, isClear ? words.agree : fill(words.worth, {})),
  ];
}

function handsOf({ state, words, make, tell }, button) {
  const name = `${state.at} ${state.phase}`;
  const fields = state.choices.map((text, at) => {
    const input = make("input", { type: "number", min: 0, value: hands[name]?.[at] ?? 0, "aria-label": text });
    return make("label", {}, `${text} `, input);
  });
  const enter = async () => {
    const counts = fields.map((field) => Math.max(0, Math.round(Number(field.querySelector("input").value)) || 0));
    hands = { [name]: counts };
    if (await tell("lead", { paper: counts })) done.textContent = words.entered;
  };
  const done = make("span", { role: "status" });
  return [make("h2", {}, words.hands), ...fields, button(words.enter, enter), done];
}

function sent({ state, words, make, fill, base }, button, lead) {
  const kind = state.collects;
  if (kind !== "sentences" && kind !== "pairs") return [];
  const here = state.all_sent.filter((each) => (kind === "pairs" ? each.pair : each.sentence)).reverse();
  const rows = here.map((each) => {
    const remove = button("×", () => lead({ remove: each.id }), { "aria-label": words.remove, class: "remove" });
    if (kind === "sentences") {
      const isOn = state.shown_now.includes(each.id);
      return make(
        "div",
        { class: isOn ? "on" : "" },
        button(each.sentence, () => lead({ show: each.id }), { class: "put" }),
        remove,
      );
    }
    const box = make("input", { type: "checkbox" });
    box.checked = each.picked;
    box.onchange = () => lead({ pick: each.id, on: box.checked });
    return make("div", {}, make("label", {}, box, ` ${each.pair[0]} = ${each.pair[1]}`), remove);
  });
  const count = here.filter((each) => each.picked).length;
  const href = `${base.replace(/\/room\/.*/, "")}/sentences?from_room=${state.code}`;
  const teach = count ? [make("a", { href, target: "_blank", class: "teach" }, fill(words.teach, { n: count }))] : [];
  return [make("h2", {}, kind === "pairs" ? words.pairs_come : words.sentences_come), ...teach, ...rows];
}
