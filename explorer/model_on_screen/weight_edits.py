"""The weights that the settings change in the model on screen."""

from collections.abc import Iterable

from explorer.model_on_screen.cuts import words
from explorer.model_on_screen.settings import ModelSettings
from transformer_core import TransformerConfig
from transformer_core.analysis.weight_edit import WeightEdit, fits, parse
from transformer_core.errors import InputError

MOST = 8  # changed weights at a time


def read(text: str) -> list[WeightEdit]:
    """Parses the edits of a setting; of two of one weight, the later counts. Skips what is none: links are written by hand as
    well."""
    parsed: dict[object, WeightEdit] = {}
    for word in words(text):
        try:
            edit = parse(word)
        except InputError:
            continue
        parsed[edit.place] = edit
    return [*parsed.values()][:MOST]


def written(edits: Iterable[WeightEdit]) -> str:
    return ",".join(map(str, edits))


def edits_of(settings: ModelSettings, cfg: TransformerConfig) -> tuple[WeightEdit, ...]:
    """Returns the edits of weights that this model has."""
    return tuple(edit for edit in read(settings.edit) if fits(edit, cfg)) if settings.edit else ()
