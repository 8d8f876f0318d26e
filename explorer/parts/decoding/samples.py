"""A hundred answers drawn at once, counted, beside the probabilities with which they should be drawn."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import streamlit as st

from explorer.figures.tally import tally
from explorer.i18n import _, n_
from explorer.inference.decoding import answer_probabilities, most_steps, sampled_answers
from explorer.inference.shown_model import ShownModel
from explorer.inference.truth import Truth, answer_text, truth_of
from explorer.parts.decoding import right_answers
from explorer.parts.decoding.decoding_options import sampling_controls
from explorer.ui import document
from explorer.ui.format import percent, share_words
from explorer.ui.widgets import keep
from transformer_core.analysis.answer_distribution import answer_log_probabilities, divergence, end_of
from transformer_core.errors import InputError
from transformer_core.model.decoding import Sampling, decode_steps, sampling_probabilities

_DRAWN = 100
_MOST_STEPS = 24
_MOST_TOKENS = 10_000  # of a vocabulary: drawing from more takes many seconds, for each word of each answer ranks all
_ROWS = 10  # answers in the figure
_SEEDS = 100

Answer = tuple[int, ...]


@dataclass(frozen=True)
class _Right:
    """All right answers: their probabilities in the language, and those with which the model draws them."""

    answers: tuple[Answer, ...]
    truth: np.ndarray
    drawn: np.ndarray


def draw(shown: ShownModel) -> None:
    """Draws the part. Raises InputError where a model from a file cannot read or generate what it would have to."""
    st.markdown(
        _(
            "The model is asked the same {n} times, and each time every word is drawn at random, by the model's probabilities."
        ).format(n=_DRAWN)
    )
    if shown.cfg.tgt_vocab > _MOST_TOKENS:
        raise InputError(
            "This part draws {n} answers, each word from the whole vocabulary. With the {tokens:,} tokens of this model, that "
            "would take too long; up to {most:,} are possible.",
            n=_DRAWN, tokens=shown.cfg.tgt_vocab, most=_MOST_TOKENS,
        )  # fmt: skip
    sampling, seed = sampling_controls(shown.cfg.tgt_vocab)
    st.button(
        _("Draw again"), icon=":material/casino:", on_click=keep, args=("draw_seed", (seed + 1) % _SEEDS), key="draw-again"
    )
    truth = truth_of(shown)
    right_answers.draw(shown, truth)
    end = shown.vocabulary.end
    steps = most_steps(shown, len(shown.tgt) if end is None else _MOST_STEPS)
    counts = sampled_answers(shown.choice, shown.src, shown.tgt[0], steps, sampling, seed, _DRAWN, end)
    right = _right(shown, truth, sampling) if truth is not None and truth.answers else None
    _figure(shown, counts, right, sampling)
    if right is not None:
        _numbers(counts, right)
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
    document.the_code(decode_steps, sampling_probabilities, answer_log_probabilities, divergence)


def _right(shown: ShownModel, truth: Truth, sampling: Sampling) -> _Right:
    words = shown.vocabulary
    answers = tuple((*words.ids(answer), end_of(words)) for answer in truth.answers)
    drawn = _probabilities(shown, answers, sampling)
    return _Right(answers, np.array(list(truth.answers.values())), drawn)


def _probabilities(shown: ShownModel, answers: tuple[Answer, ...], sampling: Sampling) -> np.ndarray:
    """With which probability the model draws each; unknown without a causal mask, where no single pass gives them."""
    if not shown.cfg.causal:
        return np.full(len(answers), np.nan)
    return answer_probabilities(shown.choice, shown.src, shown.tgt[0], answers, sampling)


def _figure(shown: ShownModel, counts: Mapping[Answer, int], right: _Right | None, sampling: Sampling) -> None:
    """The most frequent answers, and right ones that were not drawn though the grammar says them often."""
    grammar = dict(zip(right.answers, right.truth.tolist(), strict=True)) if right is not None else {}
    ranked = sorted({**dict.fromkeys(grammar, 0), **counts}.items(), key=lambda each: (-each[1], -grammar.get(each[0], 0.0)))
    answers = tuple(answer for answer, _count in ranked[:_ROWS])
    own = _probabilities(shown, answers, sampling)
    expected = {}
    if right is not None:
        expected[_("probability in the grammar")] = np.array([grammar.get(answer, np.nan) for answer in answers])
    if np.isfinite(own).any():
        expected[_("probability of being drawn")] = own
    shares = np.array([counts.get(answer, 0) for answer in answers]) / _DRAWN
    how = _("each bar is the share of {n} draws that gave this answer; ○ is the probability with which the model draws it.")
    if right is not None:
        how = _("each bar is the share of {n} draws that gave this answer; ○ is the probability with which the model draws it, "
                "◆ the one that it has in the grammar. Bars differ from ○ by chance alone, ○ from ◆ by what the model has not "
                "learned, or by the temperature, top-k and top-p that you chose.")  # fmt: skip
    document.figure(
        tally(
            [answer_text(shown, answer) if _ended(shown, answer) else f"{answer_text(shown, answer)} …" for answer in answers],
            shares, right=None if right is None else [answer in grammar for answer in answers], expected=expected,
            drawn_title=_("drawn"), wrong_title=_("drawn, and wrong"),
        ),
        "samples", how.format(n=_DRAWN),
    )  # fmt: skip
    if others := len(set(counts) - set(answers)):
        said = n_("Not in the figure: {n} other answer.", "Not in the figure: {n} other answers.", others)
        st.caption(said.format(n=others))


def _ended(shown: ShownModel, answer: Answer) -> bool:
    return shown.vocabulary.end is None or answer[-1] == shown.vocabulary.end


def _numbers(counts: Mapping[Answer, int], right: _Right) -> None:
    """How many draws are right, how many should be, and how far the two distributions lie apart."""
    found = sum(count for answer, count in counts.items() if answer in set(right.answers))
    said = [
        _("**Right: {share}** of {n} draws.").format(share=share_words(found / _DRAWN, _DRAWN), n=_DRAWN),
        _("Of {all} different right answers, {n} were drawn.").format(
            all=len(right.answers), n=sum(answer in counts for answer in right.answers)
        ),
    ]
    if np.isfinite(right.drawn).all():
        with np.errstate(divide="ignore"):
            apart = divergence(right.truth, np.log(right.drawn))
        said.append(
            _("The model draws a right answer with a probability of **{p}**.").format(
                p=percent(min(1.0, float(right.drawn.sum())))
            )
        )
        said.append(
            _("KL divergence from the grammar: **{kl:z.4f}** nats.").format(kl=apart)
            if math.isfinite(apart)
            else _("KL divergence from the grammar: **∞**, for a right answer can no longer be drawn.")
        )
    st.markdown(" ".join(said))
    document.reading(
        _(
            "in brackets the 95 % interval (Wilson) that so few draws leave open. The probability is exact: the sum of those "
            "with which the model draws any of the right answers."
        )
    )
