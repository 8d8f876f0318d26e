// The model as built, tensor by tensor: blocks in two columns, their sides to scale, the numbers of the one that is selected.

import { element, fill } from "../shared/dom.js";
import { canFillScreen } from "../shared/full_screen.js";
import { follow } from "../shared/live.js";
import { canBeTakenHome } from "../shared/take_home.js";
import { blockButton, changeWords } from "./block.js";
import { Details } from "./details.js";
import { blockAt } from "./keys.js";
import { changedBlocks, changesOf, scaleFor, sideOf } from "./sizes.js";
import { grouped, sumNodes } from "./sums.js";
import { drawWire } from "./wires.js";

const BESIDE = 700; // px from which the decoder is beside the encoder
const HIGHEST = 66; // px of a block, with letters of the usual size
const TYPE = 14; // px of these letters
const LEAST = 170; // px of the widest block, however narrow its column is

const differ = (one, other) => JSON.stringify(one.axes) !== JSON.stringify(other.axes);
const blocksOf = ({ columns }) => columns.flatMap(({ groups }) => groups.flatMap(({ blocks }) => blocks));

class ShapeMap {
  constructor(root) {
    const find = (selector) => root.querySelector(selector);
    Object.assign(this, { root, rulers: find(".rulers"), told: find(".told"), flow: find(".flow"), wires: find(".wires") });
    Object.assign(this, {
      sums: find(".sums"),
      columns: [...root.querySelectorAll(".column")],
      changes: [],
      changed: new Map(),
    });
    this.details = new Details(find(".details"), () => this.select(""));
    this.flow.onclick = (event) => {
      const block = event.target.closest(".block");
      if (block) this.select(block.dataset.id === this.selected ? "" : block.dataset.id);
    };
    this.flow.onkeydown = (event) => this.key(event);
    this.sizes = new ResizeObserver(() => {
      if (this.data && root.clientWidth && root.clientWidth !== this.width) this.layOut();
    });
    this.sizes.observe(root);
  }

  // --- What happens ---

  select(id) {
    this.selected = id;
    this.waiting = id;
    this.mark();
    this.tell(id);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && this.selected) return this.select("");
    const buttons = this.buttons;
    const place = buttons.indexOf(event.target.closest(".block"));
    if (place < 0) return;
    const to = blockAt(
      event.key,
      place,
      buttons.map((button) => button.getBoundingClientRect()),
    );
    if (to === null) return;
    event.preventDefault();
    this.stopAt(to);
    buttons[to].focus();
  }

  // Tab reaches one of the blocks; the arrow keys the others.
  stopAt(place) {
    this.buttons.forEach((button, i) => {
      button.tabIndex = i === place ? 0 : -1;
    });
  }

  // --- What is shown ---

  // data: the page's data; numbers: those of a dragged knob's value, or null.
  show(data, numbers, tell, isLive) {
    this.tell = tell;
    if (data !== this.page) {
      if (this.page && differ(this.page, data)) this.before = this.page;
      this.page = data;
    }
    this.data = { ...data, ...numbers };
    this.root.classList.toggle("ahead", numbers !== null);
    const given = JSON.stringify({ ...this.data, selected: null });
    const said = data.selected?.id ?? "";
    if (this.waiting === undefined || this.waiting === said) {
      this.selected = said;
      this.waiting = undefined;
    }
    if (this.given === given) return this.mark();
    this.given = given;
    this.compare(differ(this.page, this.data) ? this.page : this.before);
    this.layOut(isLive);
  }

  // Compares with the setting before; while a knob is dragged, with the one at which the drag began.
  compare(before) {
    const { data } = this;
    this.changes = before ? changesOf(before.axes, data.axes) : [];
    this.changed = before ? changedBlocks(blocksOf(before), blocksOf(data)) : new Map();
  }

  // isLive: see `follow`.
  layOut(isLive) {
    const { data, root, flow } = this;
    if (!isLive || !this.width) {
      this.width = root.clientWidth;
      this.type = Number.parseFloat(getComputedStyle(root).fontSize) / TYPE;
    }
    if (!this.width) return;
    const focused = flow.contains(document.activeElement) ? document.activeElement.dataset.id : null;
    const beside = this.width >= BESIDE && data.columns.length > 1;
    root.classList.toggle("beside", beside);
    const column = beside ? (this.width - 34) / 2 : this.width;
    this.scale = scaleFor(blocksOf(data), beside ? Math.max(LEAST, 0.42 * column) : 0.56 * column, HIGHEST * this.type);
    flow.setAttribute("aria-label", fill(data.texts.about, { ...data.about, count: grouped(data.about.count) }));
    this.writeRulers();
    data.columns.forEach((each, i) => {
      this.columns[i].replaceChildren(...this.columnNodes(each));
    });
    this.buttons = [...flow.querySelectorAll(".block")];
    this.sums.replaceChildren(...sumNodes(data));
    this.mark();
    const at = this.buttons.findIndex(({ dataset }) => dataset.id === (focused ?? this.selected));
    this.stopAt(Math.max(0, at));
    if (focused && at >= 0) this.buttons[at].focus({ preventScroll: true });
  }

  writeRulers() {
    const { data, scale, changes } = this;
    const changed = new Map(changes.map((each) => [each.name, each]));
    this.rulers.replaceChildren(
      ...data.axes.map(([name, size]) => {
        const change = changed.get(name);
        const words = change ? `${change.before} → ${size} ${size > change.before ? "▲" : "▼"}` : size;
        const bar = element("i", { style: `width: ${sideOf(size, scale)}px` });
        const label = element("span", {}, element("b", { text: name }), ` ${words}`);
        return element(
          "span",
          { class: `ruler${change ? " changed" : ""}`, role: "listitem", title: data.texts.axes[name] },
          label,
          bar,
        );
      }),
    );
    const { texts } = data;
    const said = changes.map((each) => changeWords(each, texts)).join(texts.separator);
    const counts = { changes: said, n: this.changed.size, all: blocksOf(data).length };
    this.told.textContent = changes.length ? fill(texts.told, counts) : "";
  }

  // Builds a column from its words to its output; repeated layers are piles of as many sheets.
  columnNodes({ stack, sentence, groups }) {
    const { data } = this;
    const [before, inside, after] = [[], [], []];
    for (const group of groups) (group.in_layer ? inside : inside.length ? after : before).push(this.groupNode(group));
    const name = element("span", { class: "label", text: fill(data.texts.layer, { i: data.layer }) });
    const repeat =
      data.layers > 1
        ? [element("span", { class: "repeat", text: `× ${data.layers}`, title: fill(data.texts.repeat, { n: data.layers }) })]
        : [];
    const layer = element(
      "div",
      { class: "layer", "data-pile": Math.min(data.layers, 4) },
      element("p", {}, name, ...repeat),
      ...inside,
    );
    const heading = element("p", { class: "entry" }, element("b", { text: data.texts.stacks[stack] }), ` ${sentence}`);
    return [heading, ...before, layer, ...after];
  }

  groupNode({ id, tone, cost, norm, blocks }) {
    const { scale, changed, data } = this;
    const buttons = blocks.map((block, i) => blockButton(block, i === 0, changed.get(block.id) ?? [], scale, data.texts));
    const { groups, notes } = data.texts;
    const note = notes[id] ? [element("em", { text: notes[id] })] : [];
    const { cost: alone, with_norm: withNorm } = data.texts;
    const counts = { parameters: cost.parameters - norm, norm, bytes: cost.bytes };
    const costs = fill(
      norm ? withNorm : alone,
      Object.fromEntries(Object.entries(counts).map(([name, n]) => [name, grouped(n)])),
    );
    const about = element("p", { class: "about", title: costs }, element("b", { text: groups[id] }), ...note);
    return element("div", { class: `group ${tone}`, "data-group": id }, about, element("div", { class: "blocks" }, ...buttons));
  }

  // Marks the selected block and shows its details: under the encoder if there is space, else under the block's group.
  mark() {
    const { data, selected } = this;
    for (const button of this.buttons) button.setAttribute("aria-pressed", button.dataset.id === selected);
    const block = blocksOf(data).find(({ id }) => id === selected);
    const beside = this.root.classList.contains("beside");
    const group = this.buttons.find(({ dataset }) => dataset.id === selected)?.closest(".group");
    const place = beside ? this.columns[0] : group;
    if (place) place.append(this.details.node);
    else this.flow.after(this.details.node);
    const ahead = this.root.classList.contains("ahead"); // then the details are the page's, and stay
    if (!ahead) this.details.show(block, data.selected?.id === selected ? data.selected : null, data);
    const find = (name) => this.flow.querySelector(`[data-group="${name}"]`);
    drawWire(this.wires, this.flow, find("encoder"), find("decoder.cross_attn"));
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".shape-map");
  root.view ??= new ShapeMap(root);
  canBeTakenHome(parentElement);
  canFillScreen(parentElement);
  const tell = (id) => setStateValue("selected", id);
  follow(root, data.live, (numbers, isLive) => root.view.show(data, numbers, tell, isLive));
}
