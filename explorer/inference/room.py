"""Which forward passes are small enough to be shown, by the bytes of all their tensors: known from the sizes alone."""

from collections.abc import Callable, Mapping
from typing import Any

from explorer.inference.settings import ModelSettings
from explorer.training import limits
from transformer_core import TransformerConfig
from transformer_core.errors import InputError
from transformer_core.model.accounting import activation_bytes


def check_room(cfg: TransformerConfig, src: int, tgt: int, nearest: Mapping[str, tuple[Any, ...]] | None = None) -> None:
    """Raises InputError for so many tokens of source and target that the forward pass is too large, or that the model has no
    positions for. `nearest`: what could be read instead."""
    size = activation_bytes(cfg, 1, src, tgt)
    if size > limits.FORWARD_BYTES:
        raise InputError(
            "A forward pass of this model on {src} and {tgt} tokens fills {size:,} MB with its tensors; up to {most:,} MB can "
            "be shown. Shorten the sentences, or choose a model with fewer layers or heads.",
            src=src, tgt=tgt, size=size >> 20, most=limits.FORWARD_BYTES >> 20, nearest=nearest,
        )  # fmt: skip


def shorter(
    cfg: TransformerConfig, src: int, tgt: int, settings: ModelSettings, *, in_words: bool, typed: bool
) -> dict[str, tuple[Any, ...]]:
    """What to read in place of a source that makes for too large a forward pass, by the name of the setting: the longest
    beginning of it that does not. Empty where it is small enough, or nothing else would be.

    `typed`: whether the target stays as it is, for somebody has typed it.
    """

    def fits(src: int, tgt: int) -> bool:
        return activation_bytes(cfg, 1, src, tgt) <= limits.FORWARD_BYTES

    if fits(src, tgt):
        return {}
    if in_words and settings.input == "lengths":
        length = _longest(src, lambda n: fits(n, 1 + _part(tgt - 1, n, src)))
        return {"src_len": (length,), "tgt_len": (_part(tgt - 1, length, src),)} if length else {}
    name = "src" if in_words else "numbers"
    words = str(getattr(settings, name)).split()
    length = _longest(len(words), lambda n: fits(_part(src, n, len(words)), tgt if typed else _part(tgt, n, len(words))))
    return {name: (" ".join(words[:length]),)} if length else {}


def _part(whole: int, n: int, of: int) -> int:
    """So many n-ths of a length, rounded up."""
    return -(-whole * n // of)


def _longest(below: int, fits: Callable[[int], bool]) -> int:
    return next((n for n in range(below - 1, 0, -1) if fits(n)), 0)
