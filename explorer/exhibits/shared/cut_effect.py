"""The effect of the cuts: on the next word here, and on the answers elsewhere."""

from collections.abc import Callable

import streamlit as st

from explorer.exhibits.shared import measuring
from explorer.exhibits.shared.measuring import Several
from explorer.i18n import _
from explorer.inference.held_out import count_of, shares_right
from explorer.inference.shown_model import ShownModel
from explorer.pictures import cut_effect as pictures
from explorer.ui import document
from explorer.ui.format import plain, share_words
from transformer_core.data.tasks import Task


def draw(shown: ShownModel) -> None:
    """Draws both, for a model with cuts."""
    _next_word(shown)
    if shown.choice.cuts.are_of_any_sentence and shown.taught is not None:
        _elsewhere(shown)


def _next_word(shown: ShownModel) -> None:
    """Draws the probabilities of the next word before and after, where the cuts first change the answer."""
    read = shown.vocabulary.decode(shown.tgt[: pictures.place_of(shown) + 1])
    st.markdown(f"**{_('The next word after “{begun}”').format(begun=plain(' '.join(read)))}**")
    document.picture(
        pictures.next_word(shown),
        _("two bars per word: its probability before the cuts and with them. Both models are given the same words. This is "
          "the first place where the cuts change the most probable word; where they change none, the place where they change "
          "the probabilities most."),
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
