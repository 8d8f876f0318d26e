"""A picture of the next word before the cuts and with them."""

import numpy as np

from explorer.figures.lines import bars
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.inference.shown_model import ShownModel
from explorer.pictures.registry import picture
from transformer_core.analysis.teacher_forcing import teacher_forced, top_tokens
from transformer_core.model.stages import LOGITS

WORDS = 8  # words whose probabilities are shown


@picture("next-word-cut")
def next_word(shown: ShownModel) -> Figure:
    """Draws the probabilities of the next word before and after, where the cuts first change the answer."""
    place, (before, after) = place_of(shown), _probabilities(shown)
    rows = before[place], after[place]
    tokens = top_tokens(np.stack(rows), WORDS)
    names = shown.vocabulary.decode(tokens.tolist())
    series = {_("before"): rows[0][tokens], _("with the cuts"): rows[1][tokens]}
    return bars(names, series, y_title=_("probability"), height=260)


def place_of(shown: ShownModel) -> int:
    """Returns the first place where the cuts change the most probable word, or else the probabilities most."""
    return _first_change(*_probabilities(shown))


def _probabilities(shown: ShownModel) -> tuple[np.ndarray, np.ndarray]:
    """Returns those of each next word before the cuts and with them. Shape: -> both (tgt, vocab)"""
    _src, _tgt, labels = shown.batch(0, 0)
    whole, cut = (teacher_forced(each.forward()[LOGITS], labels).probabilities for each in (shown.whole, shown))
    return whole, cut


def _first_change(before: np.ndarray, after: np.ndarray) -> int:
    """Returns the first place with another most probable word; else that of the largest change. Shape: both (tgt, vocab)"""
    others = np.flatnonzero(before.argmax(axis=1) != after.argmax(axis=1))
    return int(others[0] if len(others) else np.abs(before - after).sum(axis=1).argmax())
