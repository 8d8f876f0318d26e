"""A beam search as a tree."""

from dataclasses import dataclass
from typing import Annotated

from explorer.figures.style import Figure
from explorer.figures.tree import tree
from explorer.model_on_screen.decoding import beams, most_steps, token_texts
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import Ends, picture
from transformer_core.model.beam_search import BeamSearch

MOST_STEPS = 14
WIDEST = 8
STRONGEST = 2.0  # length penalty
DROPPED = 3  # candidates of a step that are drawn, at most


@dataclass(frozen=True)
class BeamChoices:
    beam_width: Annotated[int, Ends(1, WIDEST)]
    beam_steps: Annotated[int, Ends(1, MOST_STEPS)]
    beam_penalty: Annotated[float, Ends(0.0, STRONGEST)]


def search_of(shown: ShownModel, choices: BeamChoices) -> tuple[BeamSearch, int]:
    """The search, with the few dropped candidates that are drawn, and the number of candidates that it compared. Raises
    InputError where the model's tokens do not fit."""
    width, penalty = choices.beam_width, round(choices.beam_penalty, 2)  # its slider moves in hundredths
    return beams(
        shown.choice,
        shown.src,
        shown.start,
        most_steps(shown.cfg, choices.beam_steps, shown.start),
        width,
        penalty,
        shown.vocabulary.end,
        dropped=min(width, DROPPED),
    )


@picture("beam-tree")
def beam_tree(shown: ShownModel, choices: BeamChoices) -> Figure:
    """Draws all candidates that were kept, the best of those that were dropped, and the best answer."""
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
        root=token_texts(shown, shown.start[-1:])[0],
    )
