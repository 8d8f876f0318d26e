"""What a page has chosen to show of the model, as a browser says it: checked, since anybody can send anything."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from explorer.inference.settings import MAX_TOKENS
from explorer.inference.shown_attention import ShownAttention
from explorer.inference.shown_model import ShownModel
from transformer_core.model.stages import AttentionKind

Choices = Mapping[str, Any]

_BOTH, _SRC, _TGT = "blocked_padding", "pad_src", "pad_tgt"  # the knobs of a padding: of both sentences, or of one


def one_of(choices: Choices, name: str, options: Sequence[str | int]) -> Any:
    """Raises ValueError for anything else."""
    if choices.get(name) not in options:
        raise ValueError(f"{name} is none of {', '.join(map(str, options))}")
    return choices[name]


def place(choices: Choices, name: str, count: int) -> int:
    """One of so many, from 0. What the page has chosen may not exist with the knob's value: it falls back as a picker does.
    Raises ValueError for what is no whole number."""
    chosen = _whole(choices, name)
    return chosen if 0 <= chosen < count else 0


def _whole(choices: Choices, name: str) -> int:
    if type(choices.get(name)) is not int:
        raise ValueError(f"{name} is no whole number")
    return choices[name]


def whole(choices: Choices, name: str, low: int, high: int) -> int:
    """A whole number of a knob. Raises ValueError for what lies beyond its ends, or is none."""
    chosen = _whole(choices, name)
    if not low <= chosen <= high:
        raise ValueError(f"{name} cannot be {chosen!r:.100}")
    return chosen


def between(choices: Choices, name: str, low: int, high: int) -> int:
    """The same, where an end has moved: beyond it, the end itself, as the slider does. Raises ValueError for what is no whole
    number."""
    return min(max(_whole(choices, name), low), high)


def number(choices: Choices, name: str, low: float, high: float) -> float:
    """A number of a knob, with or without a fraction. Raises ValueError as `whole` does."""
    chosen = choices.get(name)
    if isinstance(chosen, bool) or not isinstance(chosen, int | float) or not low <= chosen <= high:
        raise ValueError(f"{name} cannot be {chosen!r:.100}")
    return float(chosen)


def attention(shown: ShownModel, choices: Choices) -> ShownAttention:
    """One of the model's attentions, with the padding that the page has chosen. Raises ValueError where there is none."""
    kind: AttentionKind = one_of(choices, "kind", get_args(AttentionKind))
    if kind == "cross" and not shown.cfg.cross_attention:
        raise ValueError("this model has no cross-attention")
    return shown.attention(kind, place(choices, "layer", shown.cfg.n_layers), padding(shown, choices))


def padding(shown: ShownModel, choices: Choices) -> tuple[int, int]:
    """Behind the source and the target, as far as there is room. Raises ValueError for what is no padding."""
    src, tgt = len(shown.src), len(shown.tgt)
    if _BOTH in choices:
        both = between(choices, _BOTH, 0, room(src, tgt))
        return both, both
    if _SRC in choices:
        return between(choices, _SRC, 0, room(src)), between(choices, _TGT, 0, room(tgt))
    return 0, 0


def room(*lengths: int) -> int:
    """How much padding fits behind the longest of sequences of these lengths."""
    return max(0, MAX_TOKENS - max(lengths))
