"""The whole model as one drawing, as built: its norms where they are, its shapes on the lines; each part leads to its page."""

from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from explorer.components import stylesheet, text_of
from explorer.words import _
from transformer_core import TransformerConfig

_component = st.components.v2.component(
    "explorer_model_map",
    html='<svg class="model-map" role="group"></svg>',
    css=stylesheet("model_map.css"),
    js=text_of("model_map.js"),
    isolate_styles=False,
)

_WIDTH, _COLUMN, _GAP = 500, 178, 12
_LEFT, _RIGHT = 128, 372  # the middle lines of encoder and decoder


def show(cfg: TransformerConfig, src: int, tgt: int) -> dict[str, str] | None:
    """Draws the model for sequences of `src` and `tgt` tokens; returns {"page", "kind"} when a part was clicked."""
    return _component(key="model-map", data=drawing(cfg, src, tgt), on_go_change=lambda: None).go


@dataclass
class _Drawing:
    boxes: list[dict[str, Any]] = field(default_factory=list)
    lines: list[dict[str, Any]] = field(default_factory=list)
    shapes: list[dict[str, Any]] = field(default_factory=list)
    frames: list[dict[str, Any]] = field(default_factory=list)


def drawing(cfg: TransformerConfig, src: int, tgt: int) -> dict[str, Any]:
    """Boxes, lines, shape labels and frames, in a plane that grows upwards as the paper's figure 1 does."""
    out = _Drawing()
    d, h = cfg.d_model, cfg.n_heads
    heads = _("{h} heads · d_k {d}").format(h=h, d=cfg.d_k)
    entrance = {"sinusoidal": _("embedding + position"), "learned": _("embedding + learned position"), "none": _("embedding")}
    embedding = ("embedding", entrance[cfg.position], None, "positions", "")
    feed = ("feed", _("feed-forward"), f"{d} → {cfg.d_ff} → {d}", "layers", "")
    encoder = [[("attention", _("self-attention"), heads, "attention", "encoder")], [feed]]
    own = _("masked self-attention") if cfg.causal else _("self-attention")
    decoder = [[("attention", own, heads, "attention", "decoder")], [feed]]
    if cfg.cross_attention:
        decoder.insert(1, [("attention", _("cross-attention"), heads, "attention", "cross")])
    heights = [_stack_height(cfg, len(encoder)), _stack_height(cfg, len(decoder))]
    bottom = max(heights) + 226
    top_left, _cross = _stack(out, cfg, _LEFT, bottom, embedding, encoder, _("encoder"), f"(1, {src}, {d})", _("source"))
    top_right, cross_y = _stack(
        out, cfg, _RIGHT, bottom, embedding, decoder, _("decoder"), f"(1, {tgt}, {d})", _("target so far")
    )
    if cfg.cross_attention:
        bridge = (_LEFT + _RIGHT) / 2
        way = f"M{_LEFT},{top_left} V{top_left - 16} H{bridge} V{cross_y} H{_RIGHT - _COLUMN / 2 - 2}"
        out.lines.append({"d": way, "tone": "memory", "head": True})
    goes_on = _("memory: K and V") if cfg.cross_attention else _("memory, read by nobody")
    out.shapes.append({"x": _LEFT - 6, "y": top_left - 24, "anchor": "middle", "text": f"{goes_on} (1, {src}, {d})"})
    y = top_right
    for label, note, shape in (
        (_("linear"), None, f"(1, {tgt}, {cfg.tgt_vocab})"),
        (_("softmax"), _("probability of each next word"), None),
    ):
        _line(out, _RIGHT, y, y - 22)
        if shape:
            out.shapes.append({"x": _RIGHT + 8, "y": y - 8, "anchor": "start", "text": f"(1, {tgt}, {d})"})
        y -= 22 + 36
        _box(out, _RIGHT, y, 36, "output", label, note, "shapes", "")
        if shape:
            out.shapes.append({"x": _RIGHT + 8, "y": y - 8, "anchor": "start", "text": shape})
    alt = _(
        "The model: {n} encoder layers and {n} decoder layers of width {d} with {h} heads; every part is a link to its page."
    )
    return {**out.__dict__, "width": _WIDTH, "height": bottom + 6, "alt": alt.format(n=cfg.n_layers, d=d, h=h)}


def _parts(cfg: TransformerConfig, part: tuple) -> list[tuple]:
    """A sublayer from bottom to top, with its norm and its sum where this model has them."""
    if cfg.norm == "post":
        return [part, ("norm", _("add & norm") if cfg.residual else _("norm"), None, "norms", "")]
    add = [("norm", _("add"), None, "norms", "")] if cfg.residual else []
    return [("norm", _("norm"), None, "norms", ""), part, *add]


def _height(part: tuple) -> int:
    return 24 if part[0] == "norm" else 42


def _stack_height(cfg: TransformerConfig, sublayers: int) -> int:
    parts = _parts(cfg, ("", "", None, "", ""))
    sublayer = sum(_GAP + _height(part) for part in parts)
    return sublayers * (sublayer + 10) + 30 + (36 if cfg.has_final_norm else 0)


def _stack(
    out: _Drawing,
    cfg: TransformerConfig,
    x: int,
    bottom: int,
    embedding: tuple,
    sublayers: list,
    name: str,
    shape: str,
    source: str,
) -> tuple[float, float]:
    """One side of the model, from its input at `bottom` upwards; returns its top and the height of its cross-attention."""
    out.boxes.append(_plain(x, bottom - 22, source))
    _line(out, x, bottom - 24, bottom - 36)
    y = bottom - 36 - 36
    _box(out, x, y, 36, *embedding)
    out.shapes.append({"x": x + 8, "y": y - 9, "anchor": "start", "text": shape})
    _line(out, x, y, y - 30)
    y -= 30
    frame_bottom, cross_y = y + 8, 0.0
    for (part,) in sublayers:
        start = y
        y -= 10
        for each in _parts(cfg, part):
            below = y
            y -= _GAP + _height(each)
            _line(out, x, below + 10 if below == start - 10 else below, y + _height(each))
            _box(out, x, y, _height(each), *each)
            if each is part and part[0] == "attention":
                cross_y = y + 21 if part[4] == "cross" else cross_y
                _chip(out, x, y, _("mask"), "masks")
        if not cfg.residual:
            continue
        side = x + _COLUMN / 2 + 14
        out.lines.append({"d": f"M{x},{start - 3} H{side} V{y + 12} H{x + _COLUMN / 2 + 2}", "tone": "residual", "head": True})
    y -= 28
    out.frames.append(
        {"x": x - _COLUMN / 2 - 24, "y": y, "w": _COLUMN + 48, "h": frame_bottom - y, "label": f"{name} × {cfg.n_layers}"}
    )
    _line(out, x, y + 28, y + 22, head=False)
    if cfg.has_final_norm:
        _line(out, x, y, y - 12)
        y -= 12 + 24
        _box(out, x, y, 24, "norm", _("norm"), None, "norms", "")
    return y, cross_y


def _box(out: _Drawing, x: float, y: float, h: int, tone: str, label: str, note: str | None, page: str, kind: str) -> None:
    words = _("{part}: open its page").format(part=label)
    target = {"page": page, "kind": kind}
    out.boxes.append(
        {
            "x": x - _COLUMN / 2,
            "y": y,
            "w": _COLUMN,
            "h": h,
            "label": label,
            "note": note,
            "tone": tone,
            "target": target,
            "words": words,
        }
    )


def _chip(out: _Drawing, x: float, y: float, label: str, page: str) -> None:
    words = _("{part}: open its page").format(part=label)
    place = {"x": x - _COLUMN / 2 - 18, "y": y - 7, "w": 40, "h": 18}
    out.boxes.append(place | {"label": label, "tone": "chip", "target": {"page": page, "kind": ""}, "words": words})


def _plain(x: float, y: float, label: str) -> dict[str, Any]:
    return {"x": x - _COLUMN / 2, "y": y, "w": _COLUMN, "h": 20, "label": label, "note": None, "tone": "plain"}


def _line(out: _Drawing, x: float, start: float, end: float, head: bool = True) -> None:
    out.lines.append({"d": f"M{x},{start} V{end + (2 if head else 0)}", "tone": "flow", "head": head})
