"""A hundred answers drawn at once, counted, beside the probabilities with which they should be drawn."""

import math
from collections.abc import Callable

import numpy as np
import streamlit as st

from explorer.exhibits.decoding import right_answers
from explorer.exhibits.decoding.decoding_options import sampling_controls
from explorer.exhibits.shared import measuring
from explorer.i18n import _, n_
from explorer.model_on_screen.right_answers import truth_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import samples as pictures
from explorer.pictures.next_word import LAST_SEED, sampling_choices
from explorer.pictures.samples import DRAWN, SamplesSoFar
from explorer.ui import document, pickers
from explorer.ui.format import percent, share_words
from explorer.ui.widgets import set_next
from transformer_core.analysis.answer_distribution import answer_log_probabilities, divergence
from transformer_core.model.decoding import draw_answers, sampling_probabilities


def draw(shown: ShownModel) -> None:
    """Draws the part. Raises InputError where a model from a file cannot read or generate what it would have to."""
    st.markdown(
        _(
            "The model is asked the same {n} times, and each time every word is drawn at random, by the model's probabilities."
        ).format(n=DRAWN)
    )
    pictures.refuse_too_many_tokens(shown)
    sampling, seed = sampling_controls(shown.cfg.tgt_vocab)
    with pickers.line():
        st.button(
            _("Draw again"),
            icon=":material/casino:",
            on_click=set_next,
            args=("draw_seed", (seed + 1) % (LAST_SEED + 1)),
            key="draw-again",
        )
    choices = sampling_choices(sampling, seed)

    def find(left: Callable[[], float]) -> SamplesSoFar:
        return pictures.draw_more(shown, choices, left)

    def picture(now: SamplesSoFar) -> None:
        if now.drawn.n:
            document.picture(pictures.figure(shown, now, sampling), _how_to_read(now), "samples")
            _others(now)
        if measuring.is_all(now):
            _numbers(now)

    if pictures.is_fast(shown, choices):
        now = find(lambda: math.inf)
        document.picture(pictures.answers(shown, choices), _how_to_read(now))
        _others(now)
        _numbers(now)
    else:
        measuring.step_by_step("samples", (shown.choice, shown.src), find, picture, _("Draw {n} answers").format(n=DRAWN))
    document.details("samples", lambda: _details(shown))


def _details(shown: ShownModel) -> None:
    right_answers.draw(shown, truth_of(shown))
    if not shown.cfg.has_encoder:
        document.try_this(
            _("Raise the temperature to 1.5: unlikely words are drawn more often."),
            _("Lower it to 0.3: which answers are hardly drawn any more?"),
        )
        document.the_code(draw_answers, sampling_probabilities, answer_log_probabilities)
        return
    document.formula(
        r"\begin{gathered}D_{\mathrm{KL}}(p\,\|\,q)=\sum_y p(y\mid x)\,\log\frac{p(y\mid x)}{q(y\mid x)}\\"
        r"q(y\mid x)=\prod_t q(y_t\mid y_{<t},x)\end{gathered}",
        _(
            "The Kullback-Leibler divergence of the model's probabilities q from the grammar's p, here over whole answers y; "
            "in nats. It is 0 only where both are the same. Training lowers it: the expected loss of a whole answer is this "
            "divergence plus the entropy of p, which no model can lower."
        ),
    )
    document.try_this(
        _("Raise the temperature to 1.5: unlikely words are drawn more often. How many answers are still right?"),
        _("Lower it to 0.3: which answers are hardly drawn any more?"),
        _("Back at temperature 1, set top-p to 0.9: the least likely words can no longer be drawn. Were they wrong ones?"),
    )
    document.the_code(draw_answers, sampling_probabilities, answer_log_probabilities, divergence)


def _how_to_read(now: SamplesSoFar) -> str:
    how = _("each bar is the share of {n} draws that gave this answer; ○ is the probability with which the model draws it.")
    if now.right is not None:
        how = _(
            "each bar is the share of {n} draws that gave this answer; ○ is the probability with which the model draws it, "
            "◆ the one that it has in the grammar. Bars differ from ○ by chance alone, ○ from ◆ by what the model has not "
            "learned, or by the temperature, top-k and top-p that you chose."
        )
    return how.format(n=now.drawn.n)


def _others(now: SamplesSoFar) -> None:
    """Says how many answers the figure has no space for."""
    if others := len(set(now.drawn.counts) - set(pictures.listed(now))):
        sentence = n_("Not in the figure: {n} other answer.", "Not in the figure: {n} other answers.", others)
        st.caption(sentence.format(n=others))


def _numbers(now: SamplesSoFar) -> None:
    """Says how many draws are right, how many should be, and how far the two distributions lie apart, if that is known."""
    counts, right = now.drawn.counts, now.right
    if right is None:
        return
    drawn_right = sum(count for answer, count in counts.items() if answer in set(right.answers))
    sentences = [
        _("**Right: {share}** of {n} draws.").format(share=share_words(drawn_right / DRAWN, DRAWN), n=DRAWN),
        _("Of {all} different right answers, {n} were drawn.").format(
            all=len(right.answers), n=sum(answer in counts for answer in right.answers)
        ),
    ]
    if np.isfinite(right.drawn).all():
        with np.errstate(divide="ignore"):
            apart = divergence(right.truth, np.log(right.drawn))
        sentences.append(
            _("The model draws a right answer with a probability of **{p}**.").format(
                p=percent(min(1.0, float(right.drawn.sum())))
            )
        )
        sentences.append(
            _("KL divergence from the grammar: **{kl:z.4f}** nats.").format(kl=apart)
            if math.isfinite(apart)
            else _("KL divergence from the grammar: **∞**, for a right answer can no longer be drawn.")
        )
    with st.container(key="numbers-samples"):  # dimmed while a knob is ahead of them
        st.markdown(" ".join(sentences))
    document.caption(
        _(
            "in brackets the 95% interval (Wilson) that so few draws leave open. The probability is exact: the sum of those "
            "with which the model draws any of the right answers."
        )
    )
