"""The limits of what a page may compute: the bytes of a forward pass, and the operations of many, both known from the
sizes alone.
"""

import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from explorer import limits
from explorer.model_on_screen.settings import ModelSettings
from transformer_core import TransformerConfig
from transformer_core.analysis.accounting import activation_bytes
from transformer_core.data.vocabulary import number_row
from transformer_core.errors import InputError
from transformer_core.training.cost import forward_flops


def check_pass_size(cfg: TransformerConfig, src: int, tgt: int, nearest: Mapping[str, tuple[Any, ...]] | None = None) -> None:
    """Raises InputError if the forward pass of so many tokens is too large, or if the model has too few positions.

    `nearest`: settings to offer instead.
    """
    size = activation_bytes(cfg, 1, src, tgt)
    if size > limits.FORWARD_BYTES:
        raise InputError(
            "A forward pass of this model on {src} and {tgt} tokens fills {size:,} MB with its tensors; up to {most:,} MB can "
            "be shown. Shorten the sentences, or choose a model with fewer layers or heads.",
            src=src,
            tgt=tgt,
            size=size >> 20,
            most=limits.FORWARD_BYTES >> 20,
            nearest=nearest,
        )


def check_passes(cfg: TransformerConfig, src: int, tgt: int, passes: Callable[[int], int], in_turns: bool = False) -> None:
    """Raises InputError if a picture takes so many passes that everybody else would wait for it.

    Args:
        passes: their number, by the number of source tokens; they run in one thread, however they are batched.
        in_turns: whether others get their turn in between.
    """
    most = limits.MEASURE_OPERATIONS if in_turns else limits.VIEW_OPERATIONS

    def operations(src: int) -> int:
        return passes(src) * operations_of(cfg, src, tgt)

    if operations(src) <= most:
        return
    values: dict[str, Any] = {
        "passes": passes(src),
        "operations": operations(src) // 10**9,
        "most": most // 10**9,
    }
    fits = _longest(src, lambda n: operations(n) <= most)
    if not fits:
        raise InputError(
            "This picture takes {passes:,} passes through the model, {operations:,} billion operations; the limit is {most:,} "
            "billion. Choose a smaller model.",
            **values,
        )
    raise InputError(
        "This picture takes {passes:,} passes through the model, {operations:,} billion operations; the limit is {most:,} "
        "billion. Shorten the source from {src} tokens to {fits}, or choose a smaller model.",
        **values,
        src=src,
        fits=fits,
    )


def check_measurement(cfg: TransformerConfig, operations: Callable[[TransformerConfig], int]) -> None:
    """Raises InputError if a measurement takes too long even in batches; it names the largest number of layers and the
    largest width that do not.

    Args:
        operations: of the whole measurement, by the model's sizes.
    """
    if (count := operations(cfg)) <= limits.MEASURE_OPERATIONS:
        return

    def largest(values: Sequence[int], made: Callable[[int], TransformerConfig]) -> int | None:
        """Returns the largest of ascending values that is affordable."""
        count = bisect_right(values, limits.MEASURE_OPERATIONS, key=lambda n: operations(made(n)))
        return values[count - 1] if count else None

    values: dict[str, Any] = {"operations": count // 10**9, "most": limits.MEASURE_OPERATIONS // 10**9}
    step = math.lcm(cfg.n_heads, 8)  # of the knob
    layers = largest(range(1, cfg.n_layers), lambda n: replace(cfg, n_layers=n))
    width = largest(range(step, cfg.d_model, step), lambda n: replace(cfg, d_model=n))
    if layers is None or width is None:
        raise InputError(
            "This measurement takes {operations:,} billion operations; the limit is {most:,} billion. Choose a smaller model.",
            **values,
        )
    raise InputError(
        "This measurement takes {operations:,} billion operations; the limit is {most:,} billion. Set the layers to {layers}, "
        "or d_model to {width}.",
        **values,
        layers=layers,
        width=width,
        nearest={"n_layers": (layers,), "d_model": (width,)},
    )


def rows_at_once(cfg: TransformerConfig, src: int, tgt: int) -> int:
    """Returns how many rows of so many tokens pass through a model before others get their turn: at least one."""
    return max(1, limits.TURN_OPERATIONS // operations_of(cfg, src, tgt))


def operations_of(cfg: TransformerConfig, src: int, tgt: int) -> int:
    """Counts the operations of one forward pass of one row."""
    return sum(forward_flops(cfg, 1, src, tgt).values())


def affordable(cfg: TransformerConfig, src: int, tgt: int, most: int, least: int) -> int:
    """Returns how many rows of so many tokens the limit of a view allows, between `least` and `most`."""
    return max(least, min(most, limits.VIEW_OPERATIONS // operations_of(cfg, src, tgt)))


def shorter(
    cfg: TransformerConfig, src: int, tgt: int, settings: ModelSettings, *, in_words: bool, typed: bool
) -> dict[str, tuple[Any, ...]]:
    """Returns the longest beginning of the source whose forward pass is small enough, by the name of the setting. Empty if the
    source itself fits, or if nothing does.

    `typed`: whether the target was typed, and stays as it is.
    """

    def fits(src: int, tgt: int) -> bool:
        return activation_bytes(cfg, 1, src, tgt) <= limits.FORWARD_BYTES

    if fits(src, tgt):
        return {}
    if in_words and settings.input == "lengths":
        length = _longest(src, lambda n: fits(n, 1 + _part(tgt - 1, n, src)))
        return {"src_len": (length,), "tgt_len": (_part(tgt - 1, length, src),)} if length else {}
    name = "src" if in_words else "numbers"
    words = settings.src.split() if in_words else number_row(settings.numbers).split()
    length = _longest(len(words), lambda n: fits(_part(src, n, len(words)), tgt if typed else _part(tgt, n, len(words))))
    return {name: (" ".join(words[:length]),)} if length else {}


def _part(whole: int, n: int, of: int) -> int:
    """Returns `n` / `of` of a length, rounded up."""
    return -(-whole * n // of)


def _longest(below: int, fits: Callable[[int], bool]) -> int:
    return next((n for n in range(below - 1, 0, -1) if fits(n)), 0)
