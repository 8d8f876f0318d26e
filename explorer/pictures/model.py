"""Pictures of the whole model: its tensors as blocks, the course of its learning, its answer with and without the cuts."""

from dataclasses import dataclass
from typing import Annotated, Any

from explorer.components import cut_answer, scrubber, shape_map
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.choices import index
from explorer.pictures.registry import Ends, picture

_MOST_BESIDE = 63  # sentences


@dataclass(frozen=True)
class BlockChoices:
    """A layer, from 0, and how many sentences are in the batch beside the one on screen."""

    layer: int
    beside: Annotated[int, Ends(0, _MOST_BESIDE)]


@picture("blocks", needs_weights=False)
def blocks(shown: ShownModel, choices: BlockChoices) -> dict[str, Any]:
    sizes = 1 + choices.beside, len(shown.src), len(shown.tgt)
    return shape_map.numbers(shown.cfg, sizes, index(choices.layer, shown.cfg.n_layers), shown.sentences)


@picture("cut_answer")
def answer_after_cuts(shown: ShownModel) -> dict[str, Any]:
    return cut_answer.numbers(shown)


@picture("course")
def course(shown: ShownModel) -> dict[str, Any]:
    """The curve of learning, which stands below the slider that chooses a step of it."""
    return scrubber.numbers(scrubber.track_of(shown.learning))
