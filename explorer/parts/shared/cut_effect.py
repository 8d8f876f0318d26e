"""The effect of the cuts: on the next word here, and on the answers elsewhere."""

from collections.abc import Callable

import numpy as np
import streamlit as st

from explorer.figures.lines import bars
from explorer.i18n import _
from explorer.inference.held_out import count_of, shares_right
from explorer.inference.shown_model import ShownModel
from explorer.parts.shared import measuring
from explorer.parts.shared.measuring import Several
from explorer.ui import document
from explorer.ui.format import plain, share_words
from transformer_core.analysis.teacher_forcing import teacher_forced, top_tokens
from transformer_core.data.tasks import Task
from transformer_core.model.stages import LOGITS

_WORDS = 8  # whose probabilities are shown


def draw(shown: ShownModel) -> None:
    """Draws both, for a model with cuts."""
    _next_word(shown)
    if shown.choice.cuts.are_of_any_sentence and shown.taught is not None:
        _elsewhere(shown)


def _next_word(shown: ShownModel) -> None:
    """Draws the probabilities of the next word before and after, where the cuts first change the answer."""
    _src, _tgt, labels = shown.batch(0, 0)
    before, after = (teacher_forced(each.forward()[LOGITS], labels).probabilities for each in (shown.whole, shown))
    place = _first_change(before, after)
    rows = before[place], after[place]
    tokens = top_tokens(np.stack(rows), _WORDS)
    names = shown.vocabulary.decode(tokens.tolist())
    read = shown.vocabulary.decode(shown.tgt[: place + 1])
    st.markdown(f"**{_('The next word after “{begun}”').format(begun=plain(' '.join(read)))}**")
    document.picture(
        bars(names, {_("before"): rows[0][tokens], _("with the cuts"): rows[1][tokens]}, y_title=_("probability"), height=260),
        _("two bars per word: its probability before the cuts and with them. Both models are given the same words. This is "
          "the first place where the cuts change the most probable word; where they change none, the place where they change "
          "the probabilities most."), "next-word-cut",
    )  # fmt: skip


def _elsewhere(shown: ShownModel) -> None:
    """Says how often the model is right with the cuts and without, if they mean the same in every sentence."""
    both, n = [shown.choice.whole, shown.choice], count_of(shown.taught)

    def find(task: Task, left: Callable[[], float]) -> Several[float]:
        return Several(shares_right(both, task, left()))

    def picture(now: Several[float]) -> None:
        if measuring.is_all(now):
            before, after = (share_words(each, n) for each in now.known)
            words = _(
                "Of {n} held-out sequences, {before} are answered right before the cuts, and {after} with them. The "
                "95% intervals are those of each share by itself: where they overlap, they do not tell whether the two differ."
            )
            st.markdown(words.format(n=n, before=before, after=after))

    measuring.draw("cuts", shown, both, find, picture, _("Measure on {n} held-out sequences").format(n=n))


def _first_change(before: np.ndarray, after: np.ndarray) -> int:
    """Returns the first place with another most probable word; else that of the largest change. Shape: both (tgt, vocab)"""
    others = np.flatnonzero(before.argmax(axis=1) != after.argmax(axis=1))
    return int(others[0] if len(others) else np.abs(before - after).sum(axis=1).argmax())
