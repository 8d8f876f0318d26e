"""The feed-forward part: its units before and after the bend, which of them are silent, and that positions do not mix."""

import streamlit as st

from explorer import controls, document, state
from explorer.figures.lines import bars
from explorer.figures.matrix import matrix
from explorer.state import View
from explorer.words import _
from transformer_core.analysis.residual_stream import activity, mixing
from transformer_core.model.feed_forward import FeedForward

_UNITS = 128  # columns that are drawn


def feed_forward_part(view: View) -> None:
    """Draws the part."""
    cfg = view.cfg
    left, middle = st.columns(2)
    with left:
        stack = controls.choose("stack", _("which stack"), ["encoder", "decoder"])
    with middle:
        layer = controls.choose("layer", _("layer"), range(cfg.n_layers))
    controls.shows(f"{stack}.feed_forward", layer=layer)
    labels = view.src_labels if stack == "encoder" else view.tgt_labels
    stages = view.run().values
    found = activity(stages, stack, layer)
    n = min(_UNITS, cfg.d_ff)
    units = _("unit (first {n} of {all})").format(n=n, all=cfg.d_ff)
    bend = {"relu": "ReLU", "gelu": "GELU"}[cfg.activation]
    for values, key, words in (
        (
            found.hidden,
            "hidden",
            _("before {bend}: each of the {d} numbers of a word is spread to {f} **units**, blue above 0, orange below."),
        ),
        (
            found.active,
            "active",
            _("after {bend}: max(0, x), so whatever was orange is 0 now. {zeros:.0%} of all values are exactly 0.")
            if cfg.activation == "relu"
            else _("after {bend}: what was below 0 is nearly gone. {zeros:.0%} of all values are exactly 0."),
        ),
    ):
        document.figure(
            matrix(values[:, :n], rows=labels, columns=n, column_title=units, signed=True, cell=22),
            key,
            words.format(bend=bend, d=cfg.d_model, f=cfg.d_ff, zeros=found.zeros.mean()),
        )

    document.section(_("Silent units"))
    document.figure(
        bars(labels, {_("zeros"): found.zeros}, y_title=_("share of units at 0")),
        "zeros",
        _("for each word, the share of its {f} units that are exactly 0.").format(f=cfg.d_ff),
    )
    places = [(side, i, activity(stages, side, i)) for side in ("encoder", "decoder") for i in range(cfg.n_layers)]
    st.dataframe(
        {
            _("layer"): [f"{_('encoder') if side == 'encoder' else _('decoder')} {i}" for side, i, _each in places],
            _("units"): [cfg.d_ff] * len(places),
            _("words seen"): [len(each.active) for *_at, each in places],
            _("never above 0"): [int(each.dead.sum()) for *_at, each in places],
            _("share of zeros"): [f"{each.zeros.mean():.1%}" for *_at, each in places],
        },
        hide_index=True,
    )
    document.reading(
        _(
            "“never above 0” counts units that stay silent for all words of this one sentence: {dead} of {all} in the layer "
            "chosen, over {n} words. Only a unit that is silent for every text is truly dead; so few words cannot tell."
        ).format(dead=int(found.dead.sum()), all=cfg.d_ff, n=len(labels))
    )

    document.section(_("Positions do not mix"))
    token = controls.pick("token", _("which word is wiped out"), labels)
    changes = mixing(state.model_of(view.key), stages, stack, layer, token)
    alone, mixed = changes["feed_forward"], changes["self_attn"]
    document.figure(
        bars(labels, {_("feed-forward"): alone, _("self-attention"): mixed}, y_title=_("largest change")),
        "mixing",
        _(
            "the vector of “{word}” in the part's input is replaced by zeros. Feed-forward: {a} of {n} rows of the output "
            "change. Self-attention of the same layer: {b} of {n}."
        ).format(word=labels[token], a=int((alone > 0).sum()), b=int((mixed > 0).sum()), n=len(labels)),
    )
    document.formula(
        r"\mathrm{FFN}(x)=\max(0,\;xW_1+b_1)\,W_2+b_2"
        if cfg.activation == "relu"
        else r"\mathrm{FFN}(x)=\mathrm{GELU}(xW_1+b_1)\,W_2+b_2",
        _(
            "Section 3.3 and equation 2 of the paper{note}: the same W for every word, each word alone. Here d_model = {d}, "
            "d_ff = {f}."
        ).format(
            note="" if cfg.activation == "relu" else _(", with a smooth bend in place of max(0, ·)"), d=cfg.d_model, f=cfg.d_ff
        ),
    )
    document.try_this(
        _("Wipe out another word: in feed-forward the change moves along with it, and touches no other row."),
        _("Choose the decoder: with the causal mask, words before the one wiped out do not change in attention either."),
    )
    document.the_code(FeedForward, activity, mixing)
