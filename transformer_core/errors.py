"""Errors that a person is told of: a whole English sentence with named places, so that it can be said in another language."""

from collections.abc import Mapping
from typing import Any

LONGEST = 120  # characters of one quoted text: what is read from a file, or typed, may be of any length


class WordedError(Exception):
    """What went wrong, in words.

    `str()` of it is English. Whoever speaks another language translates `template` and fills in `values` himself; a value may
    be a worded error itself, which is then translated first.

    Args:
        template: one whole sentence, with `{named}` places.
        nearest: what may be chosen instead: name of a setting -> values of it that would do, the nearest first, all else being
            left as it is.
        values: what stands in the places. Long texts are cut.
    """

    def __init__(self, template: str, /, *, nearest: Mapping[str, tuple[Any, ...]] | None = None, **values: Any):
        super().__init__(template)
        self.template = template
        self.values = {name: _cut(value) for name, value in values.items()}
        self.nearest = dict(nearest or {})

    def __str__(self) -> str:
        return self.template.format(**self.values)


class InputError(WordedError, ValueError):
    """Something was asked for that cannot be, or given that is not what it should be."""


def _cut(value: Any) -> Any:
    return value[: LONGEST - 1] + "…" if isinstance(value, str) and len(value) > LONGEST else value
