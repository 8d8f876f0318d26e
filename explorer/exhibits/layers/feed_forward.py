"""The feed-forward part: its units before and after the non-linearity, how many are silent, and that positions do not mix."""

import numpy as np
import streamlit as st
import torch
import torch.nn.functional as F

from explorer.figures.lines import bars
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _, share_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import Layer, Stack, Word, drawn, numbers
from explorer.ui import document, pickers
from explorer.ui.format import plain
from explorer.ui.minimap import highlight
from explorer.ui.widgets import pick
from transformer_core.analysis.run import Run
from transformer_core.model.feed_forward import FeedForward
from transformer_core.model.stages import stacks_of

UNITS = 128  # units that are drawn

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers(recorded=lambda run, stack, layer: run.part(stack, layer, "feed_forward")["hidden"])
def hidden(run: Run, stack: Stack, layer: Layer) -> np.ndarray:
    """The feed-forward units before the non-linearity. Shape: (word, unit)"""
    part = run.part(stack, layer, "feed_forward")
    w_1, b_1 = part.weights("w_1")
    return part.input @ w_1 + b_1


@numbers(recorded=lambda run, stack, layer: run.part(stack, layer, "feed_forward")["active"])
def active(run: Run, stack: Stack, layer: Layer) -> np.ndarray:
    """The feed-forward units after the non-linearity (section 3.3). Shape: (word, unit)"""
    x = hidden(run, stack, layer)
    return np.maximum(0, x) if run.cfg.activation == "relu" else F.gelu(torch.tensor(x)).numpy()


@numbers()
def zeros(run: Run, stack: Stack, layer: Layer) -> np.ndarray:
    """The share of feed-forward units that are exactly 0, for each word. Shape: (word,)"""
    return (active(run, stack, layer) == 0).mean(axis=1)


@numbers()
def mixing(run: Run, stack: Stack, layer: Layer, token: Word) -> np.ndarray:
    """How much each word's output changes when one word is replaced by zeros in the input: of the feed-forward part, and of
    self-attention. Shape: (2, word)
    """
    changes = []
    for name in ("feed_forward", "self_attn"):
        part = run.part(stack, layer, name)
        wiped = part.input.copy()
        wiped[token] = 0
        changes.append(np.abs(part(wiped) - part(part.input)).max(axis=1))  # the largest change of a word's numbers
    return np.stack(changes)


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(hidden, active)
def _draw_units(units: np.ndarray, shown: ShownModel, *, stack: Stack, layer: int) -> Matrices:
    n, d_ff = min(UNITS, shown.cfg.d_ff), shown.cfg.d_ff
    return matrix(
        units[:, :n],
        rows=shown.labels_of(stack),
        columns=n,
        signed=True,
        cell=22,
        column_title=_("unit (first {n} of {all})").format(n=n, all=d_ff),
    )


@drawn(zeros)
def _draw_zeros(shares: np.ndarray, shown: ShownModel, *, stack: Stack, layer: int) -> Figure:
    return bars(shown.labels_of(stack), {_("zeros"): shares}, y_title=_("share of units at 0"))


@drawn(mixing)
def _draw_mixing(changes: np.ndarray, shown: ShownModel, *, stack: Stack, layer: int, token: int) -> Figure:
    series = {_("feed-forward"): changes[0], _("self-attention"): changes[1]}
    return bars(shown.labels_of(stack), series, y_title=_("largest change"))


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    with pickers.line():
        stack = pickers.which_stack(shown.cfg)
        layer = pickers.which_layer(shown.cfg)
    highlight(f"{stack}.feed_forward", layer=layer)
    _units(shown, stack, layer)
    document.details("feed_forward", lambda: _details(shown, stack, layer))


def _details(shown: ShownModel, stack: Stack, layer: int) -> None:
    cfg = shown.cfg
    _silent(shown, stack, layer)
    _mixing(shown, stack, layer)
    relu = cfg.activation == "relu"
    source = (
        _(
            "Section 3.3 and equation 2 of the paper: the same weights for every word, each word by itself. Here d_model = "
            "{d}, d_ff = {f}."
        )
        if relu
        else _(
            "Section 3.3 and equation 2 of the paper, with GELU in place of max(0, ·): the same weights for every word, "
            "each word by itself. Here d_model = {d}, d_ff = {f}."
        )
    )
    inner = r"\max(0,\;xW_1+b_1)" if relu else r"\mathrm{GELU}(xW_1+b_1)"
    document.formula(rf"\mathrm{{FFN}}(x)={inner}\,W_2+b_2", source.format(d=cfg.d_model, f=cfg.d_ff))
    document.try_this(
        _("Set another word to zero: the bar of the feed-forward part stands at that word alone."),
        _("Choose the decoder: with the causal mask, the words before the one set to zero do not change in attention either.")
        if cfg.has_encoder
        else _("With the causal mask, the words before the one set to zero do not change in attention either: why not?")
        if cfg.causal
        else "",
    )
    document.the_code(FeedForward, hidden, active, zeros, mixing)


def _units(shown: ShownModel, stack: Stack, layer: int) -> None:
    cfg = shown.cfg
    before, after = (
        (
            _("before ReLU: the {d} numbers of each word become {f} **units**; blue is above 0, orange below."),
            _("after ReLU, max(0, x): whatever was negative is now 0, {zeros:.0%} of all values."),
        )
        if cfg.activation == "relu"
        else (
            _("before GELU: the {d} numbers of each word become {f} **units**; blue is above 0, orange below."),
            _("after GELU: negative values are close to 0, but only {zeros:.0%} of all values are exactly 0."),
        )
    )
    for units, words in ((hidden, before), (active, after)):
        picture = units.of(shown, stack=stack, layer=layer)
        document.picture(picture, words.format(d=cfg.d_model, f=cfg.d_ff, zeros=(picture.values == 0).mean()))


def _silent(shown: ShownModel, stack: Stack, layer: int) -> None:
    cfg, run = shown.cfg, run_of(shown)
    document.section(_("Silent units"))
    how_to_read = _("for each word, the share of its {f} units that are exactly 0.").format(f=cfg.d_ff)
    document.picture(zeros.of(shown, stack=stack, layer=layer), how_to_read)
    titles: dict[Stack, str] = {"encoder": _("encoder {i}"), "decoder": _("decoder {i}")}
    places = {
        titles[each].format(i=i): active(run, each, i) for each in titles if each in stacks_of(cfg) for i in range(cfg.n_layers)
    }
    st.dataframe(
        {
            _("layer"): list(places),
            _("units"): [cfg.d_ff] * len(places),
            _("words"): [len(units) for units in places.values()],
            _("never above 0"): [_dead(units) for units in places.values()],
            _("share of zeros"): [share_text((units == 0).mean(), 1) for units in places.values()],
        },
        hide_index=True,
    )
    document.caption(
        _(
            "“never above 0” counts the units that stay silent for every word of this one sentence: {dead} of {all} in the "
            "chosen layer. A unit is dead only if it is silent for every text, which so few words cannot show."
        ).format(dead=_dead(active(run, stack, layer)), all=cfg.d_ff)
    )


def _dead(units: np.ndarray) -> int:
    return int(np.all(units <= 0, axis=0).sum())


def _mixing(shown: ShownModel, stack: Stack, layer: int) -> None:
    document.section(_("Positions do not mix"))
    labels = shown.labels_of(stack)
    token = pick("token", _("word set to zero"), labels)
    picture = mixing.of(shown, stack=stack, layer=layer, token=token)
    alone, mixed = picture.values
    document.picture(
        picture,
        _(
            "how much each word's output changes when the vector of “{word}” is replaced by zeros in the input. Feed-forward: "
            "{a} of {n} words change; self-attention of the same layer: {b} of {n}."
        ).format(word=plain(labels[token]), a=np.count_nonzero(alone), b=np.count_nonzero(mixed), n=len(labels)),
    )
