"""Shares in words: 100 % means all, and 0 % none, wherever shares stand beside one another."""

from collections.abc import Mapping, Sequence
from numbers import Real
from string import Formatter
from typing import Any

_ROUNDING = 1e-12  # of a sum of probabilities


def share_text(share: float, digits: int = 0) -> str:
    """Formats a share in per cent with so many decimals: `97%`. What is not all does not read `100%`, nor what is not nothing
    `0%`: it gets a decimal, `99.6%`, or is `> 99.9%` or `< 0.1%`."""
    is_part = _ROUNDING < share < 1 - _ROUNDING
    for decimals in (digits, max(digits, 1)):
        text = f"{share:.{decimals}%}"
        if not (is_part and float(text[:-1]) in (0.0, 100.0)):
            return text
    least = 10**-decimals
    return f"< {least:.{decimals}f}%" if share < 0.5 else f"> {100 - least:.{decimals}f}%"


class Message(str):
    """A message whose placeholders for shares, such as `{share:.0%}`, are filled by `share_text`."""

    __slots__ = ()

    def format(self, *args: object, **values: object) -> str:
        return _FORMATTER.vformat(self, args, values) if "%}" in self else super().format(*args, **values)


class _Formatter(Formatter):
    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, Real) and format_spec[:1] == "." and format_spec[-1:] == "%":
            return share_text(float(value), int(format_spec[1:-1]))
        return str(super().format_field(value, format_spec))

    def check_unused_args(self, used_args: set[int | str], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """A sentence may say less than it is given: of another language, or one of several."""


_FORMATTER = _Formatter()
