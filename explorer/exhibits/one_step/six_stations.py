"""One step with one sentence as a film: question, forward, loss, backward, nudge, and the question again."""

import streamlit as st

from explorer.components import one_step as view
from explorer.exhibits.one_step import before_the_step, lesson
from explorer.exhibits.one_step.in_a_batch import MEASURED
from explorer.i18n import _
from explorer.model_on_screen.one_step import kept_steps
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import one_step as pictures
from explorer.session.address import as_option
from explorer.ui import document
from explorer.ui.navigation import link
from explorer.ui.widgets import address_value, set_next
from transformer_core.analysis.one_step import differentiate, nudged


def draw() -> None:
    if (picked := lesson.pick()) is None:
        return
    shown, choices, learner = picked
    drawn = pictures.one_step(shown, choices)
    before_the_step.draw(learner)
    with st.container(key="one-step-pictures"):
        station = int(address_value("station", 0, lambda text: as_option(text, range(view.STATIONS))))
        view.show(drawn.drawing, drawn.live, station, lambda at: set_next("station", at))
    document.details("six_stations", lambda: _details(shown))


def _details(shown: ShownModel) -> None:
    document.formula(
        r"L=-\frac1n\sum_{i=1}^{n}\log p_i\qquad W\leftarrow W-\eta\cdot\min\!\left(1,\ \frac{c}{\lVert g\rVert}\right)"
        r"\frac{\partial L}{\partial W}",
        _(
            "Plain gradient descent: rate η = 0.1, and the gradient g of all weights together is shortened to length c = 1 "
            "where it is longer (a length is the root of the sum of the squares). The loss is the cross-entropy of this one "
            "answer, without label smoothing; other answers may be right, too. The model runs without dropout, so the same "
            "step gives the same numbers."
        ),
    )
    st.markdown(
        _(
            "The app's own models learn by another recipe: **Adam** (section 5.3) divides each gradient by how large it has "
            "been lately. Without such a memory its first step would move every weight that has a gradient by the same "
            "amount, up or down: the bars of *Nudge* would only say how many weights these are."
        )
    )
    if shown.cfg.tie_embeddings != "none":
        st.markdown(
            _(
                "This model's output layer is also {table} (section 3.4): one matrix, whose gradient is drawn once, at the "
                "decoder's embedding."
            ).format(table=lesson.table_of(shown.cfg))
        )
    if has_later := len(kept_steps(shown.learning)) > 1:
        _which_steps()
    document.try_this(
        _("Type another sentence: which right word is the least likely, and how far does one step lift it?"),
        _("Take a later step: what is left to learn, and which words have another right way?") if has_later else "",
        _("Compare *Backward* for a short and a long sentence: is it always the same part that has the longest gradient?"),
    )
    link("training", _("Many such steps, live"))
    document.the_code(differentiate, nudged)


def _which_steps() -> None:
    st.markdown(
        _(
            "The steps offered begin with the last kept one at which fewer than half of the held-out answers were right. "
            "Before, one step of the translator into French moves next to nothing: after step 71 it raised the probability of "
            "the least likely right word of {n} test sentences by {rise:.4f} (median), after step 510 by {later:.2f}."
        ).format(n=MEASURED["n"], rise=MEASURED["early_rise"], later=MEASURED["alone_rise"])
    )
