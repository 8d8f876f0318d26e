// The pictures of a room, drawn from plain values: a phone's are upright, a projector's as wide as its screen.

const END = "<end>"; // written in the place of a word
const LEAST = 0.05; // weight of a line that is drawn
const SVG = "http://www.w3.org/2000/svg";

export const node = (name, attributes = {}, ...inside) => {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
};

// Returns how wide a text is, about, in sizes of its type.
export const width = (text) => [...text].reduce((sum, letter) => sum + (/\p{Script=Han}/u.test(letter) ? 1 : 0.54), 0);

// Returns the size of type in which all rows of words fit.
export function sizeFor(rows, across, most, least) {
  const total = Math.max(...rows.map((row) => row.reduce((sum, word) => sum + width(word) + 0.55, 0.2)));
  return Math.max(least, Math.min(most, across / total));
}

// Returns the words of a row with their middles, spread over the width.
export function spread(words, size, across) {
  const wide = words.map((word) => width(word || "·") * size);
  const gap = Math.max(size * 0.25, (across - wide.reduce((a, b) => a + b, 0)) / (words.length + 1));
  let x = gap;
  return wide.map((each) => {
    const middle = x + each / 2;
    x += each + gap;
    return middle;
  });
}

const text = (words, x, y, size, name = "") => node("text", { x, y, "font-size": size, class: name }, words);
const canvas = (across, high, label) =>
  node("svg", { viewBox: `0 0 ${across} ${high}`, width: across, height: high, role: "img", "aria-label": label });

// --- A sentence and its translation ---

export function sentence(picture, { across, high, unit, upright, words: said, onLine }) {
  const { source, words, weights, glosses, asked, scissors, cut, before, strong, share } = picture;
  const all = (before ? before.map((word, at) => words[at] ?? word) : words).map((word) =>
    word === END ? said.the_end : word,
  );
  const longest = Math.max(source.length, all.length);
  const rows = [source, all.length ? all : [""]];
  const size = upright ? unit * 1.15 : sizeFor(rows, across, Math.min(high * 0.17, unit * 3.1), unit);
  const step = upright ? size * 1.6 : 0;
  const tall = upright ? longest * step + size * 0.4 : high;
  const svg = canvas(across, tall, `${source.join(" ")} → ${words.join(" ")}`);
  const base = tall - (glosses ? unit * 1.5 : size * 0.5) - size * 0.25;
  const place = (list, isAnswer) => {
    if (upright) return list.map((_word, at) => ({ x: isAnswer ? across * 0.68 : across * 0.3, y: (at + 0.75) * step }));
    return spread(list, size, across).map((x) => ({ x, y: isAnswer ? base : size * 1.15 }));
  };
  const [from, to] = [place(source, false), place(all, true)];
  const path = (query, key) => {
    const [a, b] = [from[key], to[query] ?? to.at(-1)];
    if (!upright) {
      const [top, bottom] = [a.y + size * 0.35, b.y - size * 0.95];
      const bend = (bottom - top) / 2;
      return {
        d: `M${a.x} ${top}C${a.x} ${top + bend} ${b.x} ${bottom - bend} ${b.x} ${bottom}`,
        x: (a.x + b.x) / 2,
        y: (top + bottom) / 2,
      };
    }
    const [left, right] = [a.x + (width(source[key]) * size) / 2 + 8, b.x - (width(all[query] ?? "") * size) / 2 - 8];
    const [y, end, middle] = [a.y - size * 0.3, b.y - size * 0.3, (left + right) / 2];
    return { d: `M${left} ${y}C${middle} ${y} ${middle} ${end} ${right} ${end}`, x: middle, y: (y + end) / 2 };
  };
  for (const [query, row] of (weights ?? []).entries()) {
    for (const [key, weight] of row.entries()) {
      if (weight < LEAST || !to[query] || key >= source.length) continue;
      const isStrong = strong && strong[0] === query && strong[1] === key;
      const about = { "stroke-width": 1 + unit * 0.28 * weight, style: `--at:${query}` };
      const name = isStrong ? "line strong" : strong ? "line faint" : "line";
      svg.append(node("path", { d: path(query, key).d, class: name, opacity: strong ? 1 : 0.25 + 0.75 * weight, ...about }));
      if (onLine) {
        const pressed = node("path", {
          d: path(query, key).d,
          class: "press",
          tabindex: 0,
          role: "button",
          "aria-label": `${all[query]} → ${source[key]}`,
        });
        pressed.onclick = () => onLine(query, key);
        pressed.onkeydown = (event) => event.key === "Enter" && onLine(query, key);
        svg.append(pressed);
      }
    }
  }
  if (strong && share) {
    const { x, y } = path(...strong);
    const [beside, word] = [to[strong[0]], all[strong[0]]];
    const at = upright ? [beside.x + (width(word) * size) / 2 + unit * 1.7, beside.y] : [x + unit * 1.8, y + unit * 0.3];
    svg.append(text(share, ...at, unit * 1.1, "told"));
  }
  for (const line of [cut, scissors].filter(Boolean)) {
    const { d, x, y } = path(...line);
    const name = line === cut ? "cut apart" : "cut";
    svg.append(node("path", { d, class: name, "stroke-width": unit * 0.22, ...(line === cut ? { pathLength: 100 } : {}) }));
    if (line === scissors) svg.append(text("✂", x, y + unit * 0.5, unit * 1.6, "scissors"));
  }
  for (const [at, word] of source.entries()) svg.append(text(word, from[at].x, from[at].y, size));
  for (const [at, word] of all.entries()) {
    const isGone = at >= words.length;
    const isNew = before && before[at] !== word;
    const { x, y } = to[at];
    if (asked === at) {
      const wide = width(word) * size + unit * 0.9;
      svg.append(
        node("rect", { x: x - wide / 2, y: y - size * 0.95, width: wide, height: size * 1.4, rx: unit * 0.3, class: "asked" }),
      );
      const [left, over] = upright ? [x + wide / 2 + unit * 0.6, y] : [x, y - size * 1.15];
      svg.append(text("?", left, over, size * 1.05, "told"));
    }
    const mark = text(word, x, y, size, isGone ? "gone" : isNew ? "new" : "word");
    mark.style.setProperty("--at", at);
    svg.append(mark);
    if (isNew && !isGone && before[at] && !upright) svg.append(text(before[at], x, y - size * 1.05, unit, "gone"));
    if (glosses?.[at] && !isGone && !upright) svg.append(text(glosses[at], x, y + unit * 1.35, unit, "gloss"));
  }
  if (picture.stays && said) svg.append(text(said.stays, across / 2, upright ? tall - 2 : unit * 0.2 + size * 2, unit, "told"));
  return svg;
}

// --- Arcs from “it” ---

export function arcs(picture, { across, high, unit, upright, words: said }) {
  const { words, it, row, key, share, scissors, cut, hides, hidden, before, after } = picture;
  const size = upright ? unit : sizeFor([words], across, unit * 1.9, unit * 0.9);
  const tall = upright ? words.length * size * 1.45 + unit * 5.5 : high;
  const svg = canvas(across, tall, words.join(" "));
  const line = upright ? 0 : Math.max(high * 0.66, unit * 6);
  const x = upright ? words.map(() => across * 0.34) : spread(words, size, across);
  const y = upright ? words.map((_word, at) => (at + 1) * size * 1.45) : words.map(() => line);
  const most = Math.max(...row);
  const arch = (reach) => Math.min(1, 0.28 + 0.72 * (reach / words.length)) * (line - size) * 1.3;
  const barred = hides ?? hidden;
  for (const [at, weight] of row.entries()) {
    if (at === it) continue;
    const isKey = at === key;
    const isCut = cut === at || scissors === at || barred === at;
    if (weight < 0.01 && !isKey && !isCut) continue;
    const reach = Math.abs(at - it);
    let d;
    if (upright) {
      const [top, bottom] = [y[at] - size * 0.3, y[it] - size * 0.3];
      const out = Math.min(across * 0.98, x[at] + unit * 4 + reach * size * 0.75);
      d = `M${x[at] + unit * 2.6} ${top}C${out} ${top} ${out} ${bottom} ${x[it] + unit * 2.6} ${bottom}`;
    } else {
      const up = arch(reach);
      d = `M${x[at]} ${line - size}C${x[at]} ${line - size - up} ${x[it]} ${line - size - up} ${x[it]} ${line - size}`;
    }
    const apart = cut === at || hidden === at;
    const name = isCut ? `cut${apart ? " apart" : ""}` : isKey ? "line strong" : "line faint";
    svg.append(
      node("path", {
        d,
        class: name,
        "stroke-width": 1.5 + unit * 0.3 * (weight / most),
        ...(apart ? { pathLength: 100 } : {}),
      }),
    );
  }
  for (const [at, word] of words.entries()) {
    if (barred === at) {
      const wide = width(word) * size + unit * 0.5;
      svg.append(
        node("rect", {
          x: x[at] - wide / 2,
          y: y[at] - size * 0.9,
          width: wide,
          height: size * 1.25,
          rx: unit * 0.2,
          class: "barred",
        }),
      );
    }
    svg.append(text(word, x[at], y[at], size, at === it ? "told" : at === key ? "key" : barred === at ? "new" : ""));
  }
  const foot = upright ? tall - unit * 1.2 : Math.min(high - unit * 0.8, line + unit * 4.4);
  if (!upright) {
    const mark = scissors === key || cut === key ? `✂ ${share}` : share;
    const at = (x[key] + x[it]) / 2;
    svg.append(text(mark, at, line - size - arch(Math.abs(key - it)) * 0.75 - unit * 0.5, unit * 1.2, "told"));
    if (barred !== undefined && barred !== null)
      svg.append(
        text(said.barred, Math.min(x[barred], across - width(said.barred) * unit * 0.62), line + unit * 1.7, unit, "new"),
      );
  }
  const told = [
    [said.before, before, "key"],
    ...(after === undefined ? [] : [[said.after, after, after === before ? "key" : "new"]]),
  ];
  for (const [at, [label, answer, name]] of told.entries()) {
    const middle = across * ((at + 0.5) / told.length);
    svg.append(
      text(label, middle, foot - unit * 1.9, unit, "gloss"),
      text(`“${answer}”`, middle, foot, unit * (upright ? 1.2 : 1.7), name),
    );
  }
  return svg;
}

// --- Models that learn ---

// Returns the share right that counts as learned, and the words of the axis and of that line.
const goalOf = ({ task }, said) =>
  task === "repeat" ? [0.85, said.letters_right, said.of_letters] : [0.9, said.rows_right, said.nine];
const SHORT = 10; // letters of a row that leaves room for another beside it
const LOOKS = 0.3; // share of attention from which a head looks at such a place

function letters(svg, asked, wrote, x, y, size) {
  for (const [at, letter] of [...asked].entries()) svg.append(text(letter, x + (at + 0.5) * size * 1.15, y, size, "gloss"));
  for (const [at, letter] of [...wrote].entries()) {
    if (letter === " ") continue; // nothing is asked here
    const isWrong = letter !== asked[at];
    svg.append(text(letter, x + (at + 0.5) * size * 1.15, y + size * 1.2, size, isWrong ? "wrong" : "right"));
  }
}

// Draws the share of attention that a head gives to its place in each model, a dot each.
function heads(svg, picture, { left, right, top, unit, words: said }) {
  const x = (share) => left + (right - left) * share;
  const step = unit * 2.6;
  const kinds = [
    [said.head_before, picture.heads.before, "dot"],
    [said.head_after, picture.heads.after, "dot-next"],
  ];
  for (const [which, [label, shares, name]] of kinds.entries()) {
    const y = top + unit * 1.3 + which * step;
    svg.append(text(label, left, y - unit * 0.6, Math.min(unit, (right - left) / width(label)), "gloss start"));
    svg.append(node("path", { class: "frame", d: `M${left} ${y}H${right}` }));
    svg.append(node("path", { class: "nine", d: `M${x(LOOKS)} ${y - unit * 0.4}v${unit * 0.8}` }));
    for (const share of shares) svg.append(node("circle", { cx: x(share), cy: y, r: unit * 0.28, class: name, opacity: 0.6 }));
  }
  for (const share of [0, LOOKS, 1])
    svg.append(text(`${100 * share}%`, x(share), top + unit * 2.8 + step, unit, share ? "axis" : "axis start"));
}

// Draws curves with their axes; `upto`: the step that has come, where they are played.
export function chart(svg, picture, curves, { left, top, right, bottom, unit, words: said, mine, upto }) {
  const { needed, next, next_steps: nextSteps, vary, values = [], task } = picture;
  const [goal, axis, line] = goalOf(picture, said);
  const isRepeat = task === "repeat"; // which guesses some letters right before it learns, so its curves begin nowhere
  const every = [...curves, ...(next ? [next] : [])].flat();
  const most = Math.max(100, Math.ceil(Math.max(0, ...every.map(([step]) => step)) / 50) * 50);
  const [x, y] = [(step) => left + ((right - left) * step) / most, (share) => bottom - (bottom - top) * share];
  for (const share of [0, 0.5, 1]) {
    svg.append(node("path", { class: "frame", d: `M${left} ${y(share)}H${right}` }));
    svg.append(text(share ? `${100 * share}%` : "0", left - unit * 0.3, y(share) + unit * 0.35, unit, "axis end"));
  }
  const tick = most > 600 ? 200 : most > 300 ? 100 : 50;
  for (let step = 0; step <= most; step += tick) {
    svg.append(node("path", { class: "frame", d: `M${x(step)} ${bottom}v${unit * 0.3}` }));
    svg.append(text(`${step}`, x(step), bottom + unit * 1.35, unit, "axis"));
  }
  svg.append(
    text(said.steps, right, bottom + unit * 2.5, unit, "axis end"),
    text(axis, left, top - unit * 0.8, unit, "axis start"),
  );
  svg.append(
    node("path", { class: "nine", d: `M${left} ${y(goal)}H${right}` }),
    text(line, left + unit * 0.4, y(goal) + unit * (isRepeat ? -0.4 : 1.15), unit, "nine-words start"),
  );
  const shown = (curve) => (upto === undefined ? curve : curve.filter(([step]) => step <= upto));
  const ordered = (needed ?? []).map((step, at) => [step ?? Number.POSITIVE_INFINITY, at]).sort((a, b) => a[0] - b[0]);
  const middle = ordered.length && !vary && !next ? ordered[Math.floor((ordered.length - 1) / 2)][1] : -1;
  const draw = (curve, name) => {
    const points = shown(curve).map(([step, share]) => `${x(step)} ${y(share)}`);
    if (!isRepeat) points.unshift(`${x(0)} ${y(0)}`);
    if (points.length) svg.append(node("path", { class: name, d: `M${points.join("L")}` }));
  };
  for (const [at, curve] of curves.entries())
    if (at !== middle && at !== mine) draw(curve, vary ? `curve of-${at % values.length}` : "curve");
  if (middle >= 0) draw(curves[middle], "middle");
  if (mine !== undefined && curves[mine]) draw(curves[mine], "mine");
  if (next) draw(next, "next");
  const isOver = upto === undefined || upto >= most;
  const told = next ? nextSteps : middle >= 0 ? ordered[Math.floor((ordered.length - 1) / 2)][0] : null;
  if (isOver && Number.isFinite(told) && told !== null) {
    svg.append(node("circle", { cx: x(told), cy: y(goal), r: unit * 0.35, class: next ? "dot-next" : "dot" }));
    const said_ = next ? said.its_steps : said.middle;
    svg.append(text(said_.replace("{n}", told), right, y(0.45), unit * 1.15, next ? "new end" : "told end"));
    if (!next) {
      const [first, last] = [ordered[0][0], ordered.at(-1)[0]];
      if (Number.isFinite(last))
        svg.append(text(said.first_last.replace("{first}", first).replace("{last}", last), right, y(0.3), unit, "axis end"));
    }
  }
  for (const [which, value] of values.entries()) {
    const base = y(0.72) + 1.3 * unit * which;
    svg.append(node("path", { class: `curve of-${which}`, d: `M${left + unit} ${base - unit / 3}h${2 * unit}` }));
    svg.append(text(`${vary} ${value}`, left + 3.4 * unit, base, unit, "axis start"));
  }
}

export function runs(picture, { across, high, unit, upright, words: said, curves, mine, upto }) {
  const { rows, film } = picture;
  const moment = [...film].reverse().find(([step]) => upto === undefined || step <= upto) ?? film[0];
  const has = curves?.length > 0;
  const dots = has && picture.heads && !picture.next && upto === undefined ? unit * 7 : 0; // high
  const count = Math.min(rows.length, upright && has ? 2 : 4);
  const tall = upright ? unit * (has ? 15 : 0) + count * unit * 3.6 + dots + unit * 2 : high;
  const svg = canvas(across, tall, has ? goalOf(picture, said)[1] : rows.join(", "));
  if (has) {
    const right = upright ? across - unit * 0.6 : across * 0.62;
    const bottom = upright ? unit * 12 : high - unit * 2.8;
    chart(svg, picture, curves, { left: unit * 3.3, top: unit * 1.7, right, bottom, unit, words: said, mine, upto });
  }
  const columns = !upright && !has && rows[0].length <= SHORT ? 2 : 1;
  const column = upright ? across : has ? across * 0.32 : (across * 0.9) / columns;
  const widest = column / (rows[0].length * 1.15);
  const above = high - dots;
  const largest = has ? unit * 2 : unit * 2.6;
  const size = Math.min(widest, upright ? unit * 1.25 : Math.min(largest, (above - unit * 2.6) / (count * 2.9)));
  const wide = rows[0].length * size * 1.15;
  for (let at = 0; at < count; at++) {
    const big = columns === 2 ? Math.min(widest, unit * 2.6, (high - unit * 3) / 6.4) : size;
    const room = rows[0].length * big * 1.15;
    const x = upright
      ? (across - wide) / 2
      : has
        ? across * 0.68 + (across * 0.32 - wide) / 2
        : across * (columns === 1 ? 0.5 : at % 2 ? 0.75 : 0.25) - room / 2;
    const y = upright
      ? unit * (has ? 16.2 : 1) + at * unit * 3.6
      : columns === 2
        ? big * 1.3 + Math.floor(at / 2) * big * 3.2
        : size * 1.2 + at * size * 2.9;
    letters(svg, rows[at], moment[1][at], x, y, big);
  }
  const label = moment[0] ? said.after_steps.replace("{n}", moment[0]) : said.untrained;
  const foot = tall - dots - unit * 0.6;
  svg.append(text(label, upright ? across / 2 : has ? across * 0.84 : across / 2, foot, unit, "gloss"));
  if (dots) {
    const [left, right] = upright ? [unit, across - 1.6 * unit] : [across * 0.68, across - 1.6 * unit];
    heads(svg, picture, { left, right, top: tall - dots + unit * 0.9, unit, words: said });
  }
  return svg;
}

// --- Models that peek ---

export function cards(picture, { across, high, unit: least, upright, words: said }) {
  const unit = upright ? least : Math.max(least, Math.min(high / 11, across / 44));
  const { row, covered, right, of, steps } = picture;
  const tall = upright ? unit * 13 : high;
  const svg = canvas(across, tall, row);
  const writes = 3; // the letter that is being written
  for (const [which, title] of [said.first_model, said.second_model].entries()) {
    const wide = upright ? across : across / 2 - unit;
    const left = upright ? 0 : which * (across / 2 + unit);
    const top = upright ? which * unit * 6.5 : Math.max(0, (high - unit * 9) / 2);
    const size = Math.min(unit * 2.6, (wide - unit) / (row.length * 1.3));
    const isOpen = which === 1 && !covered;
    svg.append(text(title, left + unit * 0.2, top + unit * 1.3, unit * 1.2, "key start"));
    svg.append(text(isOpen ? said.is_open : said.is_covered, left + unit * 0.2, top + unit * 2.7, unit, "gloss start"));
    for (const [at, letter] of [...row].entries()) {
      const x = left + unit * 0.2 + at * size * 1.3;
      const y = top + unit * 3.3;
      const hides = at >= writes && !isOpen;
      const name = hides ? "cover" : at === writes ? "asked" : "slot";
      svg.append(node("rect", { x, y, width: size * 1.15, height: size * 1.3, rx: unit * 0.2, class: name }));
      if (!hides || at === writes)
        svg.append(text(hides ? "?" : letter, x + size * 0.575, y + size, size, hides ? "told" : at > writes ? "gloss" : ""));
    }
    if (covered && which === 1) {
      const told = said.more_steps.replace("{steps}", steps).replace("{right}", right).replace("{of}", of);
      svg.append(text(told, left + unit * 0.2, top + unit * 3.3 + size * 1.3 + unit * 1.5, unit, "gloss start"));
    }
  }
  return svg;
}

export function peek(picture, { across, high, unit: least, upright, words: said }) {
  const { row, first, second, sure, loss, shares, right, of, covered, right_after: rightAfter, pairs } = picture;
  const isAfter = covered !== undefined;
  const unit = upright ? least : Math.max(least, Math.min(high / (isAfter ? 13 : 11), across / 44));
  const columns = isAfter
    ? [
        [said.second_model, second, right[1], null],
        [said.covered_model, covered, rightAfter, null],
      ]
    : [
        [said.first_model, first, right[0], 0],
        [said.second_model, second, right[1], 1],
      ];
  const each = unit * (isAfter ? 7.5 : 10.5);
  const dots = isAfter && pairs?.length ? unit * 5 : 0;
  const tall = upright ? 2 * each + dots : high;
  const svg = canvas(across, tall, row);
  for (const [which, [title, wrote, count, model]] of columns.entries()) {
    const wide = upright ? across : across / 2 - unit;
    const left = upright ? 0 : which * (across / 2 + unit);
    let y = upright ? which * each : Math.max(0, (high - each - dots) / 2);
    svg.append(text(title, left, y + unit * 1.3, unit * 1.2, "key start"));
    y += unit * 1.6;
    if (model !== null) {
      svg.append(node("rect", { x: left, y: y + unit * 0.2, width: wide, height: unit * 1.5, rx: 4, class: "bar-back" }));
      svg.append(
        node("rect", { x: left, y: y + unit * 0.2, width: wide * shares[model], height: unit * 1.5, rx: 4, class: "bar-full" }),
      );
      svg.append(text(said.sure.replace("{share}", sure[model]), left + unit * 0.4, y + unit * 1.3, unit, "on-bar start"));
      svg.append(text(said.loss.replace("{loss}", loss[model]), left + wide, y + unit * 2.9, unit, "gloss end"));
      y += unit * 2.6;
    }
    const size = Math.min(unit * 2.4, (wide - unit) / (row.length * 1.3));
    for (const [at, letter] of [...row].entries())
      svg.append(text(letter, left + (at + 0.5) * size * 1.2, y + unit * 1.4, unit * 1.1, "gloss"));
    for (const [at, letter] of [...wrote].entries())
      svg.append(
        text(letter, left + (at + 0.5) * size * 1.2, y + unit * 1.8 + size, size, letter === row[at] ? "right" : "wrong"),
      );
    svg.append(
      text(said.rows_of.replace("{n}", count).replace("{of}", of), left, y + unit * 3.4 + size, unit * 1.15, "key start"),
    );
  }
  if (dots) {
    const [left, right, top] = [upright ? unit : across * 0.2, upright ? across - unit : across * 0.8, tall - unit * 4.6];
    svg.append(text(said.pairs.replace("{n}", pairs.length), left, top + unit * 0.7, unit, "gloss start"));
    for (const [which, name] of ["dot", "dot-next"].entries()) {
      const y = top + unit * (1.6 + which * 1.1);
      svg.append(node("path", { class: "frame", d: `M${left} ${y}H${right}` }));
      for (const pair of pairs)
        svg.append(
          node("circle", { cx: left + (right - left) * pair[which], cy: y, r: unit * 0.28, class: name, opacity: 0.6 }),
        );
    }
    for (const share of [0, 0.5, 1])
      svg.append(text(`${100 * share}%`, left + (right - left) * share, top + unit * 4.1, unit, "axis"));
  }
  return svg;
}

const KINDS = { sentence, arcs, runs, cards, peek };

// Draws a picture; how: how wide and high, the size of type, whether upright, the words, and what belongs to its kind.
export function drawn(picture, how) {
  return KINDS[picture.kind](picture, how);
}
