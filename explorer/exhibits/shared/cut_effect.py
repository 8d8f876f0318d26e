"""The effect of cuts and of weights changed by hand: on the next word here, and on the answers elsewhere."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.exhibits.shared.measuring import Several
from explorer.figures.lines import bars
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.held_out import count_of, shares_right
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures.exhibit import drawn, numbers
from explorer.ui import document
from explorer.ui.format import right_words
from transformer_core.analysis.run import Run
from transformer_core.analysis.teacher_forcing import teacher_forced, top_tokens
from transformer_core.data.tasks import Task, has_source
from transformer_core.model.stages import LOGITS

WORDS = 8  # words whose probabilities are shown

# --- Numbers. ---------------------------------------------------------------------------------------------------------


@numbers()
def next_word_cut(run: Run) -> np.ndarray:
    """The probabilities of the next word before the changes, and now, where they first change the answer. Shape: (2, word)"""
    both = at_first_change(run)
    return both[:, top_tokens(both, WORDS)]


def at_first_change(run: Run) -> np.ndarray:
    """How probable each word is at that place. Shape: (before or after, vocab)"""
    return probabilities(run)[:, first_change(run)]


def first_change(run: Run) -> int:
    """The first place where the changes turn the most probable word into another; else that where they change the
    probabilities most.
    """
    before, after = probabilities(run)
    others = np.flatnonzero(before.argmax(axis=1) != after.argmax(axis=1))
    return int(others[0] if len(others) else np.abs(before - after).sum(axis=1).argmax())


@numbers()
def probabilities(run: Run) -> np.ndarray:
    """How probable each next word is; both models are given the same words. Shape: (before or after, tgt, vocab)"""
    return np.stack([teacher_forced(each.stages[LOGITS], run.labels).probabilities for each in (run.original, run)])


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(next_word_cut)
def _draw_next_word(values: np.ndarray, shown: ShownModel) -> Figure:
    run = run_of(shown)
    words = token_texts(shown, top_tokens(at_first_change(run), WORDS).tolist())
    series = {_("before"): values[0], _("now"): values[1]}
    title = _("The next word after “{begun}”").format(begun=" ".join(token_texts(shown, shown.tgt[: first_change(run) + 1])))
    return bars(words, series, x_title=title, y_title=_("probability"), height=280)


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    """Draws both. What the answers elsewhere are is asked of a changed model alone."""
    _next_word(shown)
    if shown.choice.is_changed and shown.choice.cuts.are_of_any_sentence and shown.taught is not None:
        _elsewhere(shown)


def _next_word(shown: ShownModel) -> None:
    """Draws the probabilities of the next word before and after, where the changes first alter the answer."""
    document.picture(
        next_word_cut.of(shown),
        _(
            "two bars per word: its probability before the changes, and now. Both models are given the same words. This is the "
            "first place where another word becomes the most probable; if there is none, the place where the probabilities "
            "differ most."
        ),
    )


def _elsewhere(shown: ShownModel) -> None:
    """Says how often the model is right with the changes and without, if they mean the same in every sentence."""
    both, n = [shown.choice.original, shown.choice], count_of(shown.taught)

    def find(task: Task, left: Callable[[], float]) -> Several[float]:
        return Several(shares_right(both, task, left()))

    def picture(now: Several[float]) -> None:
        if measuring.is_all(now):
            before, after = (right_words(each, n, shown.taught) for each in now.known)
            words = _(
                "Of {n} held-out sequences, {before} were answered right before the changes, and {after} now. The 95% "
                "intervals are those of each share by itself: where they overlap, they do not tell whether the two differ."
            )
            if shown.taught is not None and not has_source(shown.taught):
                words = _(
                    "Of the tokens that count in {n} tested texts, {before} were right before the changes, and {after} now."
                )
            st.markdown(words.format(n=n, before=before, after=after))

    measuring.draw("cuts", shown, both, find, picture, _("Measure on {n} held-out sequences").format(n=n))
