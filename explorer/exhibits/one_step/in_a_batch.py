"""The same sentence inside a batch: how much less one step then moves, and how much one without it."""

import streamlit as st

from explorer.exhibits.one_step import lesson
from explorer.i18n import _
from explorer.model_on_screen.one_step import BATCH, step_of, steps_in_a_batch
from explorer.pictures import one_step as pictures
from explorer.ui import document
from explorer.ui.format import plain
from transformer_core.analysis.one_step import beside, one_step


def draw() -> None:
    if (picked := lesson.pick()) is None:
        return
    shown, choices, learner = picked
    alone, (with_it, without) = step_of(learner), steps_in_a_batch(learner)
    at = alone.weakest
    word, before = plain(pictures.right_words(learner)[at]), float(alone.before[at])
    st.markdown(
        _(
            "A step of training takes the mean gradient of many sentences. “{word}”, {before:.1%} before: after this sentence "
            "alone {alone:.1%}, after {n} sentences with it {with_it:.1%}, after {n} others {without:.1%}."
        ).format(
            word=word,
            n=BATCH,
            before=before,
            alone=float(alone.after[at]),
            with_it=float(with_it.after[at]),
            without=float(without.after[at]),
        )
    )
    with st.container(key="one-step-pictures"):
        document.picture(
            pictures.one_step_in_a_batch(shown, choices),
            _("by how much one step makes each right word of this one sentence more probable, or, below 0, less."),
        )
    document.details("in_a_batch", _details)


def _details() -> None:
    st.markdown(
        _(
            "Measured on {n} test sentences of the translator into French, after step 510, each time the probability of the "
            "least likely right word: alone it rose in {alone} of {n}, by {alone_rise:.3f} (median); in a batch of {batch} in "
            "{with_it}, by {with_it_rise:.3f}; after a batch without it in {without}, by {without_rise:.3f}. Into Chinese it "
            "rose in {zh_alone}, {zh_with_it} and {zh_without} of {n}."
        ).format(**MEASURED)
    )
    document.the_code(beside, one_step)


# After step 510, with the same batch of training: `tests/explorer/model_on_screen/test_one_step.py` measures it again.
MEASURED = {
    "n": 40,
    "early_rise": 0.0004,  # alone, after step 71
    "batch": BATCH,
    "alone": 40,
    "alone_rise": 0.198,
    "with_it": 40,
    "with_it_rise": 0.018,
    "without": 25,
    "without_rise": 0.002,
    "zh_alone": 40,
    "zh_with_it": 40,
    "zh_without": 28,
}
