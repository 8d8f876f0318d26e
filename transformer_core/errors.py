"""Errors that are shown to people: a whole English sentence with named placeholders, so that it can be translated."""

from collections.abc import Mapping
from typing import Any

LONGEST = 120  # characters of a quoted text: what is typed, or read from a file, may be of any length


class WordedError(Exception):
    """An error, in words.

    `str()` gives the English sentence. A translation translates `template` and fills in `values`; a value may itself be a
    worded error, which is translated first.

    Args:
        template: one whole sentence, with `{named}` placeholders.
        nearest: what could be chosen instead: name of a setting -> values that would do, the nearest first, everything else
            unchanged.
        values: of the placeholders. Long texts are cut.
    """

    def __init__(self, template: str, /, *, nearest: Mapping[str, tuple[Any, ...]] | None = None, **values: Any):
        super().__init__(template)
        self.template = template
        self.values = {name: _cut(value) for name, value in values.items()}
        self.nearest = dict(nearest or {})

    def __str__(self) -> str:
        return self.template.format(**self.values)


class InputError(WordedError, ValueError):
    """A request that cannot be met, or a value that is not what it should be."""


class TextError(InputError):
    """A text that a model cannot read, or was never taught to answer."""


def _cut(value: Any) -> Any:
    return value[: LONGEST - 1] + "…" if isinstance(value, str) and len(value) > LONGEST else value
