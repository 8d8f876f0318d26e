"""A beam search as a tree: for its part, and while one of its knobs is moved. The choices are named as the knobs."""

from collections.abc import Callable, Mapping
from typing import Any

from explorer.figures.style import Figure
from explorer.figures.tree import tree
from explorer.inference.decoding import beams, most_steps, token_texts
from explorer.inference.shown_model import ShownModel
from explorer.pictures.choices import Choices, number, whole
from transformer_core.model.decoding import BeamSearch

MOST_STEPS = 14
WIDEST = 8
STRONGEST = 2.0  # length penalty
_DROPPED = 3  # candidates of a step that are drawn, at most


def choices_of(width: int, steps: int, penalty: float) -> dict[str, Any]:
    """What the knobs say."""
    return {"beam_width": width, "beam_steps": steps, "beam_penalty": penalty}


def search_of(shown: ShownModel, choices: Choices) -> tuple[BeamSearch, int]:
    """The search, without what is not drawn of it, and the number of candidates that it compared. Raises ValueError for choices
    that there are not, and InputError where the model's tokens do not fit."""
    width, steps = whole(choices, "beam_width", 1, WIDEST), whole(choices, "beam_steps", 1, MOST_STEPS)
    penalty = round(number(choices, "beam_penalty", 0.0, STRONGEST), 2)  # a knob says hundredths
    return beams(
        shown.choice, shown.src, shown.tgt[0], most_steps(shown, steps), width, penalty, shown.vocabulary.end,
        dropped=min(width, _DROPPED),
    )  # fmt: skip


def drawn(shown: ShownModel, choices: Choices) -> Figure:
    """All that was kept, the best of what was dropped, and the best answer."""
    search, _tried = search_of(shown, choices)
    levels = search.levels
    return tree(
        [level.parent for level in levels],
        [level.score for level in levels],
        labels=[token_texts(shown, level.token.tolist()) for level in levels],
        own=[level.log_probability for level in levels],
        kept=[level.kept for level in levels],
        ended=[level.ended for level in levels],
        best=search.hypotheses[0].path,
        root=token_texts(shown, shown.tgt[:1])[0],
    )


PICTURES: Mapping[str, Callable[[ShownModel, Choices], Figure]] = {"beam-tree": drawn}
