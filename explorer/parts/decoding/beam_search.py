"""Beam search: several answers followed at once, drawn as a tree."""

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.decoded import answer, beams, most_steps, words
from explorer.figures.tree import tree
from explorer.state import View
from explorer.words import _
from transformer_core.model.decoding import beam_search, length_penalty

_STEPS, _MOST_STEPS = 8, 12
_WIDTH, _MOST_WIDTH = 3, 8


def beam_tree(view: View) -> None:
    """Draws the part. Raises ValueError where a model from a file cannot say or read what it would have to."""
    st.markdown(
        _(
            "Greedy takes the best word now and never looks back. A **beam** follows several beginnings at once: at every step "
            "each is continued by every token, and only the best few of all these stay."
        )
    )
    places, most = st.columns(3), most_steps(view, _MOST_STEPS)
    width = controls.slider("beam_width", _("width: answers followed"), 1, _MOST_WIDTH, _WIDTH, place=places[0])
    steps = controls.slider("beam_steps", _("steps at most"), 1, most, _STEPS, place=places[1]) if most > 1 else 1
    penalty = controls.slider(
        "beam_penalty", _("length penalty"), 0.0, 2.0, 0.6, _("Long answers have low sums; this evens it out. 0: not at all."),
        0.1, places[2],
    )  # fmt: skip
    end = view.vocabulary.end
    search, tried = beams(view.key, view.src, view.tgt[0], steps, width, penalty, end, dropped=min(width, 3))
    best, levels = search.hypotheses[0], search.levels
    drawn = sum(len(level.token) for level in levels)
    document.figure(
        tree(
            [level.parent for level in levels],
            [level.score for level in levels],
            labels=[words(view, level.token.tolist()) for level in levels],
            own=[level.log_probability for level in levels],
            kept=[level.kept for level in levels],
            ended=[level.ended for level in levels],
            best=best.path,
            root=words(view, view.tgt[:1])[0],
        ),
        "beam-tree",
        _(
            "time runs downwards. In a frame: kept, with the sum of log-probabilities from the start (0 is certain). "
            "■: finished. ×, dotted: dropped. The thick way is the best answer. {tried:,} candidates were looked at, "
            "{hidden:,} of the dropped ones are not drawn."
        ).format(tried=tried, hidden=tried - drawn),
    )

    document.section(_("The answers"))
    greedy = answer(view.key, view.src, view.tgt[0], steps, end=end)
    said = tuple(each.token for each in greedy)
    total = float(sum(np.float64(each.log_probabilities[each.token]) for each in greedy))
    rows = [(each.tokens, each.score, each.normalised, each.ended) for each in search.hypotheses]
    ranks = [str(i + 1) for i in range(len(rows))]
    if all(tokens != said for tokens, *_rest in rows):
        rows.append((said, total, total / length_penalty(len(said), penalty), said[-1] == end))
        ranks.append("–")
    st.dataframe(
        {
            _("place"): ranks,
            _("answer"): [" ".join(words(view, tokens)) for tokens, *_rest in rows],
            _("sum of log-probabilities"): [round(score, 4) for _tokens, score, *_rest in rows],
            _("length"): [len(tokens) for tokens, *_rest in rows],
            _("score, length evened out"): [round(normalised, 4) for *_rest, normalised, _ended in rows],
            _("finished"): [_("yes") if ended else _("no") for *_rest, ended in rows],
            _("greedy"): [_("▶ greedy") if tokens == said else "" for tokens, *_rest in rows],
        },
        hide_index=True,
    )
    document.reading(
        _("the best answer has {best:.4f}, greedy's {greedy:.4f} (sums, in nats): {words}").format(
            best=best.score,
            greedy=total,
            words=_("the same answer.")
            if best.tokens == said
            else _("the beam has found a likelier one.")
            if best.score > total
            else _("greedy's sum is higher, but not its place: it was dropped, or the length penalty decides."),
        )
    )
    document.formula(
        r"\frac{\sum_t \log p(y_t\mid y_{<t},x)}{\left((5+|y|)/6\right)^{\alpha}}",
        _(
            "Section 6.1 of the paper searches with a width of 4 and a length penalty α of 0.6; here {width} and {alpha}."
        ).format(width=width, alpha=penalty)
        + ("" if end is not None else " " + _("This model has no end token: all answers are of one length.")),
    )
    document.try_this(
        _("Set the width to 1: greedy."),
        _("Widen the beam: the best sum can rise, and each step runs the decoder on as many beginnings as it is wide."),
        _("Train a model and open it here: does the beam still find another answer than greedy?"),
    )
    document.the_code(beam_search, length_penalty)
