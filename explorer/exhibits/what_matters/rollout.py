"""Attention rollout: attention followed through the layers, beside the measured cost of hiding each word."""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import add

import numpy as np
import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.exhibits.shared.measuring import Several
from explorer.i18n import _, n_
from explorer.model_on_screen.rollouts import MOVED, agreements, count_of, judged, least
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import rollouts as pictures
from explorer.pictures.rollouts import ALL_LAYERS, RolloutChoices
from explorer.ui import document, pickers
from explorer.ui.format import estimate_words, points_words
from explorer.ui.minimap import highlight
from explorer.ui.widgets import choose
from transformer_core.analysis.cutting import HeadCut, PartCut
from transformer_core.analysis.damage import NEEDED, erasures, moves
from transformer_core.analysis.rollout import Agreement, judge, rollout
from transformer_core.data.tasks import Task
from transformer_core.model.stages import AttentionKind, attention_kinds


def draw(shown: ShownModel) -> None:
    """Draws rollout and the cost of hiding each word side by side, and says how often they point at the same word."""
    kind, layer = _choices(shown)
    highlight(*(("encoder", "decoder", "cross") if kind == "cross" else (kind,)))
    _warnings(shown)
    choices, found = RolloutChoices(kind, layer), judged(shown, kind)
    layers, shares = pictures.shares_of(shown, choices)
    left, right = document.grid(2)
    with left:
        st.markdown(f"**{_('Rollout')}**")
        total = pictures.row_sum(shown, kind, layers)
        document.picture(pictures.rollout(shown, choices), _how_to_read(kind, shares, total))
    with right:
        st.markdown(f"**{_('What hiding a word costs')}**")
        document.picture(pictures.cost_of_hiding(shown, choices), _of_truth(kind))
    st.markdown(_agreement(kind, found.agreement(least(kind)), shown.cfg.has_encoder))
    document.details("rollout", lambda: _details(shown, kind))


def _details(shown: ShownModel, kind: AttentionKind) -> None:
    st.markdown(
        _(
            "After the first layer a vector is a mixture of many words, and the weights of the next layer mix mixtures. "
            "**Rollout** follows them down to the words: it averages the heads, counts attention and the residual connection "
            "half and half, and multiplies the layers. Is that what the model needs?"
        )
    )
    _elsewhere(shown, kind)
    if kind != "encoder" and shown.cfg.cross_attention:
        st.caption(_fact(shown.cfg.n_layers))
    _formula(shown, kind)
    document.try_this(
        _("Find a row whose strongest cell in rollout costs little when hidden. Which of the two would you have believed?"),
        _("Choose “own words → answer”: how much does rollout leave at the word itself, and what in its formula does so?")
        if shown.cfg.has_encoder
        else _("How much does rollout leave at the word itself, on the diagonal, and what in its formula does so?"),
        _("Choose “0” under **up to layer**, then all: do the rows of rollout become more alike?")
        if shown.cfg.n_layers > 1
        else "",
    )
    document.the_code(rollout, judge, erasures, moves)


def _choices(shown: ShownModel) -> tuple[AttentionKind, int]:
    """Draws the choice of the picture and of the last layer that counts."""
    titles: dict[AttentionKind, str] = {
        "cross": _("source → answer"),
        "decoder": _("own words → answer"),
        "encoder": _("encoder"),
    }
    kinds = [kind for kind in titles if kind in attention_kinds(shown.cfg)]
    with pickers.line():
        kind = choose("kind", _("attention"), kinds, titles) if len(kinds) > 1 else kinds[0]
        if shown.cfg.n_layers == 1:
            return kind, ALL_LAYERS
        return kind, choose(
            "rollout_layer", _("up to layer"), [ALL_LAYERS, *range(shown.cfg.n_layers - 1)], {ALL_LAYERS: _("all")}
        )


def _warnings(shown: ShownModel) -> None:
    if not shown.cfg.residual:
        st.info(_("Rollout’s formula assumes residual connections. This model has none: what it shows here is not meaningful."))
    if any(isinstance(cut, HeadCut | PartCut) for cut in shown.choice.cuts.made):
        st.info(_("Rollout knows weights alone: a head or a part that has been cut out still counts in it."))


def _how_to_read(kind: AttentionKind, shares: np.ndarray, total: float) -> str:
    words = {
        "cross": _(
            "each row shares out what the vector at a position is made of, by rollout: here the part that comes from "
            "each source word, through all layers of the encoder. A row adds up to {sum}."
        ),
        "decoder": _(
            "each row shares out what the vector at a position is made of, by rollout: here the part that comes from "
            "each word that the decoder has read. A row adds up to {sum}."
        ),
        "encoder": _(
            "each row shares out what the vector at a position is made of, by rollout: the part that comes from each "
            "source word. A row adds up to {sum}."
        ),
    }[kind]
    sentence = words.format(sum=f"{total:.4g}")
    if np.allclose(shares.sum(axis=-1), total, atol=1e-5):
        return sentence
    return _("{words} Where a position may attend to nothing any more, its row adds up to less.").format(words=sentence)


def _of_truth(kind: AttentionKind) -> str:
    if kind == "cross":
        return _(
            "by how many nats the log-probability of the word to be written falls when nothing may attend to the "
            "source word any more. Blue is positive, orange negative: there the word becomes more probable."
        )
    if kind == "decoder":
        return _(
            "by how many nats the log-probability of the word to be written falls when no position may attend to the word "
            "any more. A position’s own word cannot be hidden in this way: its vector is there without attention. It is "
            "marked × and left out, and a row with only one other word is not counted below."
        )
    return _(
        "how far the encoder’s output at a position moves when no position may attend to the word any more: the length of "
        "the difference, divided by the length of the vector. A position’s own word cannot be hidden in this way: its "
        "vector is there without attention. It is marked × and left out."
    )


def _agreement(kind: AttentionKind, compared: Agreement, has_encoder: bool) -> str:
    if not compared.n:
        if kind == "encoder":
            return _(
                "There is nothing to compare here: at no position is there a choice of several words of which hiding one "
                "moves its vector by more than {least:.0%} of its length."
            ).format(least=MOVED)
        if not has_encoder:
            return _(
                "There is nothing to compare here: at no place is there a choice of several words of which hiding one costs "
                "more than {least} nats."
            ).format(least=NEEDED)
        return _(
            "There is nothing to compare here: at no word of the answer is there a choice of several words of which hiding one "
            "costs more than {least} nats."
        ).format(least=NEEDED)
    if kind == "encoder":
        words = n_(
            "At {n} position, hiding some other word moves the vector by more than {least:.0%} of its length. Rollout through "
            "all layers ranks the word that moves it most first in {rollout} of {n}, the mean attention of the last layer in "
            "{attention}.",
            "At {n} positions, hiding some other word moves the vector by more than {least:.0%} of its length. Rollout through "
            "all layers ranks the word that moves it most first in {rollout} of {n}, the mean attention of the last layer in "
            "{attention}.",
            compared.n,
        )
    elif not has_encoder:
        words = n_(
            "At {n} place, hiding some word costs more than {least} nats. Rollout through all layers ranks the costliest word "
            "first in {rollout} of {n}, the mean attention of the last layer in {attention}.",
            "At {n} places, hiding some word costs more than {least} nats. Rollout through all layers ranks the costliest word "
            "first in {rollout} of {n}, the mean attention of the last layer in {attention}.",
            compared.n,
        )
    else:
        words = n_(
            "For {n} word of the answer, hiding some word costs more than {least} nats. Rollout through all layers ranks the "
            "costliest word first in {rollout} of {n}, the mean attention of the last layer in {attention}.",
            "For {n} words of the answer, hiding some word costs more than {least} nats. Rollout through all layers ranks the "
            "costliest word first in {rollout} of {n}, the mean attention of the last layer in {attention}.",
            compared.n,
        )
    same = int(compared.rollout.sum()), int(compared.attention.sum())
    return words.format(n=compared.n, least=least(kind), rollout=same[0], attention=same[1])


def _elsewhere(shown: ShownModel, kind: AttentionKind) -> None:
    """Measures the same on held-out sequences, when asked."""

    n = count_of(shown.taught)

    def find(task: Task, left: Callable[[], float]) -> Several[Agreement]:
        return Several(agreements(shown.choice, task, kind, left()))

    def picture(now: Several[Agreement]) -> None:
        if measuring.is_all(now):
            st.markdown(_on_held_out(kind, n, now.known, shown.cfg.has_encoder))

    label = _("Measure on {n} held-out sequences").format(n=n)
    measuring.draw("rollout", shown, [shown.choice], find, picture, label)


def _on_held_out(kind: AttentionKind, rows: int, known: Sequence[Agreement], has_encoder: bool) -> str:
    total = reduce(add, known)
    sentences = [
        _("The same on {rows} held-out sequences: {sentence}").format(rows=rows, sentence=_agreement(kind, total, has_encoder))
    ]
    if total.n:
        rollout, attention, apart = total.shares
        shares = _(
            "That is {rollout} for rollout and {attention} for the mean attention of the last layer; rollout is ahead by "
            "{apart} percentage points. In brackets stand 95% intervals, by a bootstrap over the sequences."
        )
        first, second = map(estimate_words, (rollout, attention))
        sentences.append(shares.format(rollout=first, attention=second, apart=points_words(apart)))
        if apart.holds_zero:
            sentences.append(_("The last one holds 0: these sequences do not show which of the two is ahead."))
    return " ".join(sentences)


def _fact(n: int) -> str:
    return _(
        "A fact about the formula, not a finding about the model: with n layers, rollout gives 1 − 2⁻ⁿ of each row to the "
        "source and 2⁻ⁿ to the decoder’s own words, whatever the weights. Here n = {n}: {source:.1%} and {own:.1%}. Rollout "
        "cannot tell how much a model relies on either."
    ).format(n=n, source=1 - 2.0**-n, own=2.0**-n)


def _formula(shown: ShownModel, kind: AttentionKind) -> None:
    encoder, own = r"E_0=I,\qquad E_l=\tfrac12\,(A_l+I)\,E_{l-1}", r"\bar S_l=\tfrac12\,(S_l+I)"
    if kind == "encoder":
        tex = encoder
    elif not shown.cfg.cross_attention:
        tex = rf"R_0=I,\qquad {own},\\ R_l=\bar S_l\,R_{{l-1}}"
    elif kind == "decoder":
        tex = rf"R_0=I,\qquad {own},\\ R_l=\tfrac12\,\bar S_l\,R_{{l-1}}"
    else:
        tex = rf"{encoder},\\ R_0=0,\qquad {own},\\ R_l=\tfrac12\,C_l\,E_N+\tfrac12\,\bar S_l\,R_{{l-1}}"
    document.formula(
        rf"\begin{{gathered}}{tex}\end{{gathered}}",  # one below the other: a phone is narrow
        _(
            "Abnar and Zuidema, 2020; with cross-attention as in Ferrando et al., 2022. A, S and C are the weights of a layer "
            "in the encoder, in the decoder’s self-attention and in cross-attention, averaged over the heads; a row is a "
            "query. Value vectors, W_O and the feed-forward network do not occur in it."
        )
        if shown.cfg.has_encoder
        else _(
            "Abnar and Zuidema, 2020. S are the weights of a layer, averaged over the heads; a row is a query. Value vectors, "
            "W_O and the feed-forward network do not occur in it."
        ),
    )
