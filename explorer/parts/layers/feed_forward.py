"""The feed-forward part: its units before and after the non-linearity, how many are silent, and that positions do not mix."""

import numpy as np
import streamlit as st

from explorer.i18n import _, share_text
from explorer.inference.shown_model import ShownModel
from explorer.pictures import layers
from explorer.pictures.layers import WordChoices
from explorer.ui import document, pickers
from explorer.ui.format import plain
from explorer.ui.minimap import highlight
from explorer.ui.widgets import choose, pick
from transformer_core.analysis.residual_stream import Activity, activity, mixing
from transformer_core.model.feed_forward import FeedForward


def draw(shown: ShownModel) -> None:
    cfg = shown.cfg
    with pickers.line():
        titles: dict[layers.Stack, str] = {"encoder": _("encoder"), "decoder": _("decoder")}
        stack = choose("stack", _("stack"), list(titles), titles)
        layer = pickers.which_layer(cfg)
    highlight(f"{stack}.feed_forward", layer=layer)
    labels = shown.src_labels if stack == "encoder" else shown.tgt_labels
    choices = layers.LayerChoices(stack, layer)
    found = layers.activity_of(shown, choices)
    _units(shown, choices, found)
    document.details("feed_forward", lambda: _more(shown, choices, found, labels))


def _more(shown: ShownModel, choices: layers.LayerChoices, found: Activity, labels: list[str]) -> None:
    cfg = shown.cfg
    _silent(shown, choices, found)
    _mixing(shown, choices, labels)
    relu = cfg.activation == "relu"
    source = (
        _("Section 3.3 and equation 2 of the paper: the same weights for every word, each word by itself. Here d_model = {d}, "
          "d_ff = {f}.")
        if relu
        else _("Section 3.3 and equation 2 of the paper, with GELU in place of max(0, ·): the same weights for every word, "
               "each word by itself. Here d_model = {d}, d_ff = {f}.")
    )  # fmt: skip
    inner = r"\max(0,\;xW_1+b_1)" if relu else r"\mathrm{GELU}(xW_1+b_1)"
    document.formula(rf"\mathrm{{FFN}}(x)={inner}\,W_2+b_2", source.format(d=cfg.d_model, f=cfg.d_ff))
    document.try_this(
        _("Set another word to zero: the bar of the feed-forward part stands at that word alone."),
        _("Choose the decoder: with the causal mask, the words before the one set to zero do not change in attention either."),
    )
    document.the_code(FeedForward, activity, mixing)


def _units(shown: ShownModel, choices: layers.LayerChoices, found: Activity) -> None:
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
    for picture, words in ((layers.hidden, before), (layers.active, after)):
        document.picture(picture(shown, choices), words.format(d=cfg.d_model, f=cfg.d_ff, zeros=found.zeros.mean()))


def _silent(shown: ShownModel, choices: layers.LayerChoices, found: Activity) -> None:
    cfg = shown.cfg
    document.section(_("Silent units"))
    how_to_read = _("for each word, the share of its {f} units that are exactly 0.").format(f=cfg.d_ff)
    document.picture(layers.zeros(shown, choices), how_to_read)
    stages, every = shown.forward().values, range(cfg.n_layers)
    places = {_("encoder {i}").format(i=i): activity(stages, "encoder", i) for i in every}
    places |= {_("decoder {i}").format(i=i): activity(stages, "decoder", i) for i in every}
    st.dataframe(
        {
            _("layer"): list(places),
            _("units"): [cfg.d_ff] * len(places),
            _("words"): [len(each.active) for each in places.values()],
            _("never above 0"): [int(each.dead.sum()) for each in places.values()],
            _("share of zeros"): [share_text(each.zeros.mean(), 1) for each in places.values()],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "“never above 0” counts the units that stay silent for every word of this one sentence: {dead} of {all} in the "
            "chosen layer. A unit is dead only if it is silent for every text, which so few words cannot show."
        ).format(dead=int(found.dead.sum()), all=cfg.d_ff)
    )


def _mixing(shown: ShownModel, choices: layers.LayerChoices, labels: list[str]) -> None:
    document.section(_("Positions do not mix"))
    token = pick("token", _("word set to zero"), labels)
    chosen = WordChoices(choices.stack, choices.layer, token)
    changes = layers.changes_of(shown, chosen)
    alone, mixed = changes["feed_forward"], changes["self_attn"]
    document.picture(
        layers.mixed(shown, chosen),
        _(
            "how much each word's output changes when the vector of “{word}” is replaced by zeros in the input. Feed-forward: "
            "{a} of {n} words change; self-attention of the same layer: {b} of {n}."
        ).format(word=plain(labels[token]), a=np.count_nonzero(alone), b=np.count_nonzero(mixed), n=len(labels)),
    )
