"""What has been cut out of the model on screen, as the settings say it."""

from collections.abc import Iterable
from dataclasses import dataclass

from explorer.inference.settings import ModelSettings
from transformer_core import TransformerConfig
from transformer_core.analysis.cutting import Cut, HeadCut, Instead, PartCut, fits, parse
from transformer_core.data.tasks import Task
from transformer_core.errors import InputError

MOST = 24  # cuts at a time
_BETWEEN = ","


@dataclass(frozen=True)
class Cuts:
    """All that determines what a model lacks.

    Attributes:
        instead: what takes the place of a head's output.
        task: over whose held-out rows its mean is taken; None where no mean is needed.
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
        """Whether they mean the same in every sentence: heads and parts do, positions do not."""
        return all(isinstance(cut, HeadCut | PartCut) for cut in self.made)


NO_CUTS = Cuts()


def read(text: str) -> list[Cut]:
    """The cuts that a setting names, each once; what is none is passed over: links are written by hand as well."""
    found: dict[Cut, None] = {}
    for word in words(text):
        try:
            found[parse(word)] = None
        except ValueError:
            continue
    return [*found][:MOST]


def words(text: str) -> list[str]:
    """What a setting says, cut by cut, whether or not it means one."""
    return [word.strip() for word in text.split(_BETWEEN) if word.strip()]


def written(cuts: Iterable[Cut]) -> str:
    return _BETWEEN.join(map(str, cuts))


def and_also(text: str, more: Iterable[Cut]) -> str:
    """The setting with some more cuts. Raises InputError where there are too many."""
    cuts = dict.fromkeys([*read(text), *more])
    if len(cuts) > MOST:
        raise InputError("Up to {most} cuts fit. Undo one of them first.", most=MOST)
    return written(cuts)


def cuts_of(settings: ModelSettings, cfg: TransformerConfig, task: Task | None, src: int, tgt: int) -> Cuts:
    """Those that this model has something to be cut for, on so many tokens of source and target. A mean is that of the task:
    where it is not known, a head's output is replaced by nothing."""
    if not settings.cut:
        return NO_CUTS
    made = tuple(cut for cut in read(settings.cut) if fits(cut, cfg, src, tgt))
    cuts = Cuts(made, settings.instead)
    if not cuts.has_heads:
        return Cuts(made) if made else NO_CUTS
    if settings.instead != "mean":
        return cuts
    return Cuts(made, "zero") if task is None else Cuts(made, "mean", task)
