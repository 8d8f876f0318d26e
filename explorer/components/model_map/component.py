"""The whole model in one drawing, as built: norms in their places, shapes on the lines; its parts link to their pages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from explorer.components import register
from explorer.i18n import _
from transformer_core import TransformerConfig

_large = register("model_map")
_small = register("model_map", name="small_map", html="small.html")

_WIDTH, _COLUMN = 500, 178
_LEFT, _RIGHT = 128, 372  # the middle lines of encoder and decoder; a decoder alone stands in the middle


def show(cfg: TransformerConfig, src: int, tgt: int) -> dict[str, str] | None:
    """Draws the model for sequences of `src` and `tgt` tokens; returns the link of the part that was clicked.

    A link is {"page", "kind"}: the id of the page on this part of the model, and the kind of attention, or "".
    """
    go: dict[str, str] | None = _large(key="model-map", data=drawing(cfg, src, tgt), on_go_change=lambda: None).go
    return go


def show_small(
    cfg: TransformerConfig,
    highlighted: Sequence[str],
    layer: int | None,
    cut: Collection[str],
    pages: Mapping[str, str],
    here: str,
) -> dict[str, str] | None:
    """Draws a small version that highlights the parts that a page is about; see `small_drawing`. Opened, it lists the pages.

    Args:
        pages: their titles, by their names.
        here: the name of the one on screen.
    """
    words = {"word": _("Map"), "title": _("Map of the model. You are here: {page}").format(page=pages[here])}
    listed = [{"page": page, "title": title, "here": page == here} for page, title in pages.items()]
    data = small_drawing(cfg, highlighted, layer, cut) | words | {"pages": listed}
    go: dict[str, str] | None = _small(key="where", data=data, on_go_change=lambda: None).go
    return go


class _Part(NamedTuple):
    """One kind of box: its name in the core, its style, its text, and its link."""

    name: str
    tone: str
    label: str
    note: str | None
    page: str
    kind: str = ""


@dataclass(frozen=True)
class _Measure:
    """The heights of the parts of a layer, and their distances."""

    gap: int = 12
    part: int = 42
    norm: int = 24

    def of(self, part: _Part) -> int:
        return self.norm if part.name == "norm" else self.part

    def stack(self, cfg: TransformerConfig, sublayers: int) -> int:
        part = _Part("", "", "", None, "")
        sublayer = sum(self.gap + self.of(each) for each in _parts(cfg, part))
        return sublayers * (sublayer + 10) + 30 + (36 if cfg.has_final_norm else 0)


@dataclass
class _Drawing:
    measure: _Measure
    boxes: list[dict[str, Any]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    shapes: list[dict[str, Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)


def small_drawing(
    cfg: TransformerConfig, highlighted: Sequence[str], layer: int | None, cut: Collection[str] = ()
) -> dict[str, Any]:
    """Returns the drawing for the corner of a page: fewer words, and some parts highlighted.

    Args:
        highlighted: parts by their path (`decoder.feed_forward`), by its last word, for all of that name (`norm`), or an
            attention by its kind (`cross`). For a single attention, letters show where its Q, K and V come from.
        layer: the layer on screen, written on the frame of its stack.
        cut: parts by their path that have cuts.
    """
    drawn = drawing(cfg, 1, 1, _Measure(gap=7, part=37, norm=20))
    labels = [box["label"] for box in drawn["boxes"]]
    short = _short()
    for box in drawn["boxes"]:
        box["note"], box["label"] = None, short.get(box["part"].split(".")[-1], box["label"] if "target" in box else "")
        names = {box["part"], box["part"].split(".")[-1], box.get("target", {}).get("kind") or box["part"]}
        box["highlighted"], box["cut"] = not names.isdisjoint(highlighted), box["part"] in cut
    marked = [box for box in drawn["boxes"] if box["highlighted"]]
    attentions = [box for box in marked if box["part"].endswith("_attn")]
    stacks = {box["part"].split(".")[0] for box in marked}
    if layer is not None and len(stacks) == 1:
        at, label = (0, _("encoder, layer {i}")) if stacks == {"encoder"} else (-1, _("decoder, layer {i}"))
        drawn["frames"][at]["label"] = label.format(i=layer)

    def named(mark: str) -> str:
        return _(", ").join(dict.fromkeys(label for label, box in zip(labels, drawn["boxes"], strict=True) if box[mark]))

    parts = named("highlighted")
    alt = _("Where this is in the model: {parts}").format(parts=parts) if parts else _("Where this is in the model: all of it")
    if cut:
        alt = _("{where}. Cut: {parts}").format(where=alt, parts=named("cut"))
    return drawn | {
        "shapes": [],
        "letters": _letters(attentions[0]) if len(attentions) == 1 else [],
        "alt": alt,
    }


def plain_drawing(cfg: TransformerConfig) -> dict[str, Any]:
    """Returns the drawing without links, notes, masks and shapes, for a view that paints something into the boxes."""
    drawn = drawing(cfg, 1, 1, _Measure(gap=8, part=40, norm=22))
    plain = ("part", "around", "label", "tone", "x", "y", "w", "h")
    boxes = [{name: box[name] for name in plain if name in box} for box in drawn["boxes"] if box["tone"] != "chip"]
    return drawn | {"boxes": boxes, "shapes": []}


def _letters(box: dict[str, Any]) -> list[dict[str, Any]]:
    """Places the letters Q, K and V at an attention: all below, or K and V at the side, where the memory enters."""
    x, bottom, y = box["x"] + box["w"] / 2, box["y"] + box["h"] + 14, box["y"] + box["h"] / 2
    places = {"Q": (x - 46, bottom), "K": (x, bottom), "V": (x + 46, bottom)}
    if box["part"] == "decoder.cross_attn":
        places = {"Q": (x, bottom), "K": (box["x"] - 22, y - 19), "V": (box["x"] - 22, y + 19)}
    return [{"letter": letter, "x": at[0], "y": at[1]} for letter, at in places.items()]


def _short() -> dict[str, str]:
    """Returns the texts of the small drawing's parts, where they are shorter."""
    return {"embedding": _("embedding"), "self_attn": _("self-attention")}


def drawing(cfg: TransformerConfig, src: int, tgt: int, measure: _Measure | None = None) -> dict[str, Any]:
    """Returns boxes, lines, shape labels and frames on a plane whose y axis points upwards, as in the paper's figure 1.

    Each box has its part by its path; in a layer also, as `around`, the name of the part that its norm or residual connection
    is around, or its own.
    """
    out = _Drawing(measure or _Measure())
    d, h = cfg.d_model, cfg.n_heads
    heads = _("{h} heads · d_k {d}").format(h=h, d=cfg.d_k)
    entrance = {"sinusoidal": _("embedding + position"), "learned": _("embedding + learned position")}
    embedding = _Part("embedding", "embedding", entrance.get(cfg.position, _("embedding")), None, "positions")
    feed = _Part("feed_forward", "feed", _("feed-forward"), f"{d} → {cfg.d_ff} → {d}", "layers")
    encoder = [_Part("self_attn", "attention", _("self-attention"), heads, "attention", "encoder"), feed]
    own = _("masked self-attention") if cfg.causal else _("self-attention")
    decoder = [_Part("self_attn", "attention", own, heads, "attention", "decoder"), feed]
    if cfg.cross_attention:
        decoder.insert(1, _Part("cross_attn", "attention", _("cross-attention"), heads, "attention", "cross"))
    heights = [out.measure.stack(cfg, len(each)) for each in ((encoder, decoder) if cfg.has_encoder else (decoder,))]
    bottom, top_left, shape = max(heights) + 226, 0.0, f"(1, {src}, {d})"
    if cfg.has_encoder:
        top_left, _cross = _stack(out, cfg, _LEFT, bottom, embedding, encoder, _("encoder × {n}"), shape, _("source"))
    right, read = (_RIGHT, _("target so far")) if cfg.has_encoder else (_WIDTH // 2, _("text so far"))
    y, cross_y = _stack(out, cfg, right, bottom, embedding, decoder, _("decoder × {n}"), f"(1, {tgt}, {d})", read)
    if cfg.cross_attention:
        bridge = (_LEFT + _RIGHT) / 2
        way = f"M{_LEFT},{top_left} V{top_left - 16} H{bridge} V{cross_y} H{_RIGHT - _COLUMN / 2 - 2}"
        out.lines.append({"d": way, "tone": "memory", "head": True})
    if cfg.has_encoder:
        memory = _("memory {shape}") if cfg.cross_attention else _("memory {shape}, not used")
        out.shapes.append({"x": _LEFT - 6, "y": top_left - 24, "anchor": "middle", "text": memory.format(shape=shape)})
    for part, after in (
        (_Part("linear", "output", _("linear"), None, "decoding"), f"(1, {tgt}, {cfg.tgt_vocab})"),
        (_Part("softmax", "output", _("softmax"), _("probability of each next word"), "decoding"), None),
    ):
        _line(out, right, y, y - 22)
        if after:
            out.shapes.append({"x": right + 8, "y": y - 8, "anchor": "start", "text": f"(1, {tgt}, {d})"})
        y -= 22 + 36
        _box(out, right, y, 36, part)
        if after:
            out.shapes.append({"x": right + 8, "y": y - 8, "anchor": "start", "text": after})
    alt = _("The model: {n} encoder layers and {n} decoder layers, d_model {d}, {h} heads. Every part is a link to its page.")
    if not cfg.has_encoder:
        alt = _("The model, a decoder alone: {n} layers, d_model {d}, {h} heads. Every part is a link to its page.")
    return {
        "boxes": out.boxes,
        "lines": out.lines,
        "shapes": out.shapes,
        "frames": out.frames,
        "width": _WIDTH,
        "height": bottom + 6,
        "alt": alt.format(n=cfg.n_layers, d=d, h=h),
    }


def _norm(label: str) -> _Part:
    return _Part("norm", "norm", label, None, "norms")


def _parts(cfg: TransformerConfig, part: _Part) -> list[_Part]:
    """Returns a sublayer from bottom to top, with its norm and residual connection, if this model has them."""
    if cfg.norm == "post":
        return [part, _norm(_("add & norm") if cfg.residual else _("norm"))]
    return [_norm(_("norm")), part, *([_norm(_("add"))] if cfg.residual else [])]


def _stack(
    out: _Drawing,
    cfg: TransformerConfig,
    x: int,
    bottom: int,
    embedding: _Part,
    sublayers: list[_Part],
    name: str,
    shape: str,
    source: str,
) -> tuple[float, float]:
    """Draws one side of the model, from its input at `bottom` upwards; returns its top and the height of its
    cross-attention."""
    out.boxes.append(
        _place(x, bottom - 22, 20) | {"part": f"{_stack_at(x)}.tokens", "label": source, "note": None, "tone": "plain"}
    )
    _line(out, x, bottom - 24, bottom - 36)
    y = bottom - 36 - 36
    _box(out, x, y, 36, embedding)
    out.shapes.append({"x": x + 8, "y": y - 9, "anchor": "start", "text": shape})
    _line(out, x, y, y - 30)
    y -= 30
    frame_bottom, cross_y = y + 8, 0.0
    for part in sublayers:
        start = y
        y -= 10
        for each in _parts(cfg, part):
            below = y
            height = out.measure.of(each)
            y -= out.measure.gap + height
            _line(out, x, below + 10 if below == start - 10 else below, y + height)
            _box(out, x, y, height, each)
            out.boxes[-1]["around"] = part.name
            if each is part and part.tone == "attention":
                cross_y = y + height / 2 if part.kind == "cross" else cross_y
                chip = _Part("mask", "chip", _("mask"), None, "masks")
                left = x + (_COLUMN / 2 - 22 if part.kind == "cross" else -_COLUMN / 2 - 18)  # K and V come in at the left
                _box(out, x, y, height, chip, {"x": left, "y": y - 7, "w": 40, "h": 18})
        if not cfg.residual:
            continue
        side = x + _COLUMN / 2 + 14
        out.lines.append(
            {
                "d": f"M{x},{start - 3} H{side} V{y + out.measure.norm / 2} H{x + _COLUMN / 2 + 2}",
                "tone": "residual",
                "head": True,
            }
        )
    y -= 28
    out.frames.append(
        {"x": x - _COLUMN / 2 - 24, "y": y, "w": _COLUMN + 48, "h": frame_bottom - y, "label": name.format(n=cfg.n_layers)}
    )
    _line(out, x, y + 28, y + 22, head=False)
    if cfg.has_final_norm:
        _line(out, x, y, y - 12)
        y -= 12 + 24
        _box(out, x, y, 24, _norm(_("norm")))
    return y, cross_y


def _stack_at(x: float) -> str:
    return "encoder" if x == _LEFT else "decoder"


def _place(x: float, y: float, h: int) -> dict[str, float]:
    return {"x": x - _COLUMN / 2, "y": y, "w": _COLUMN, "h": h}


def _box(out: _Drawing, x: float, y: float, h: int, part: _Part, place: dict[str, float] | None = None) -> None:
    out.boxes.append(
        (place or _place(x, y, h))
        | {
            "part": f"{_stack_at(x)}.{part.name}",
            "label": part.label,
            "note": part.note,
            "tone": part.tone,
            "target": {"page": part.page, "kind": part.kind},
            "name": _("{part}: open its page").format(part=part.label),
        }
    )


def _line(out: _Drawing, x: float, start: float, end: float, head: bool = True) -> None:
    out.lines.append({"d": f"M{x},{start} V{end + (2 if head else 0)}", "tone": "flow", "head": head})
