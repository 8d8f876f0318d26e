"""The cuts that the settings make in the model on screen."""

from collections.abc import Iterable
from dataclasses import dataclass

from explorer.model_on_screen.settings import ModelSettings
from transformer_core import TransformerConfig
from transformer_core.analysis.cutting import Cut, HeadCut, Instead, PartCut, fits, parse
from transformer_core.data.tasks import Task
from transformer_core.errors import InputError

MOST = 24  # cuts at a time
_BETWEEN = ","


@dataclass(frozen=True)
class Cuts:
    """The cuts of a model, and what replaces the output of a head.

    Attributes:
        instead: what takes the place of a head's output.
        task: the mean is taken over its held-out rows; None where no mean is needed.
    """

    made: tuple[Cut, ...] = ()
    instead: Instead = "zero"
    task: Task | None = None

    def __bool__(self) -> bool:
        return bool(self.made)

    @property
    def has_heads(self) -> bool:
        return any(isinstance(cut, HeadCut) for cut in self.made)

    @property
    def are_of_any_sentence(self) -> bool:
        """True if all cuts mean the same in every sentence: heads and parts do, positions do not."""
        return all(isinstance(cut, HeadCut | PartCut) for cut in self.made)


NO_CUTS = Cuts()


def read(text: str) -> list[Cut]:
    """Parses the cuts of a setting, each once. Skips what is no cut: links are written by hand as well."""
    found: dict[Cut, None] = {}
    for word in words(text):
        try:
            found[parse(word)] = None
        except ValueError:
            continue
    return [*found][:MOST]


def words(text: str) -> list[str]:
    """Splits a setting into the texts of its cuts, whether or not they are valid."""
    return [word.strip() for word in text.split(_BETWEEN) if word.strip()]


def written(cuts: Iterable[Cut]) -> str:
    return _BETWEEN.join(map(str, cuts))


def and_also(text: str, more: Iterable[Cut]) -> str:
    """Adds cuts to a setting. Raises InputError if there are too many."""
    cuts = dict.fromkeys([*read(text), *more])
    if len(cuts) > MOST:
        raise InputError("Up to {most} cuts fit. Undo one of them first.", most=MOST)
    return written(cuts)


def cuts_of(settings: ModelSettings, cfg: TransformerConfig, task: Task | None, src: int, tgt: int) -> Cuts:
    """Returns the cuts that fit this model and so many tokens of source and target.

    A mean needs the task: where it is unknown, a head's output is replaced by zero.
    """
    if not settings.cut:
        return NO_CUTS
    made = tuple(cut for cut in read(settings.cut) if fits(cut, cfg, src, tgt))
    cuts = Cuts(made, settings.instead)
    if not cuts.has_heads:
        return Cuts(made) if made else NO_CUTS
    if settings.instead != "mean":
        return cuts
    return Cuts(made, "zero") if task is None else Cuts(made, "mean", task)
