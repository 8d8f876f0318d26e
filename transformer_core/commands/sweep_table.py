"""The output of `sweep`: a table of its combinations, and which of them learned soonest."""

from collections.abc import Sequence

from transformer_core.analysis.sweep import Combination, apart_by_chance, range_words, rivals, varied
from transformer_core.training.sweep_rows import SweepRow

SHORT = {"n_heads": "heads", "n_layers": "layers"}  # short names, those of the command line
_OUTCOMES = {
    "learned": "learned",
    "cut-off": "cut off",
    "cannot-learn": "stands still",
    "diverged": "diverged",
    "failed": "not trained",
}


def table(ranked: Sequence[Combination]) -> str:
    """A line for each combination, the soonest first, and below them what the first one is worth."""
    names = varied(ranked)
    head = [*(SHORT.get(name, name) for name in names), "parameters", "reached 99 %", "median step", "range", "right", "CPU s"]
    lines = [head, *([*(str(getattr(each.cfg, name)) for name in names), *_cells(each)] for each in ranked)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    rows = ["  ".join(text.rjust(width) for text, width in zip(line, widths, strict=True)) for line in lines]
    return "\n".join([*rows, "", soonest(ranked)])


def _cells(each: Combination) -> list[str]:
    right, of = each.right
    lost = len(each.rows) - len(each.finished)
    return [
        f"{each.parameters:,}",
        f"{len(each.reached)} of {len(each.finished)}" + (f" ({lost} not trained)" if lost else ""),
        "–" if each.median is None else f"{each.median:,.0f}",
        range_words(each),
        f"{right:,} of {of:,}" if of else "–",
        f"{each.cpu_seconds:,.1f}",
    ]


def soonest(ranked: Sequence[Combination]) -> str:
    """Says which combination was first, and whether its seeds tell it apart from the next."""
    first = ranked[0]
    if first.median is None:
        return "No combination reached 99 % with more than half of its seeds."
    names = varied(ranked)
    words = f"Soonest: {combination_name(first, names)}."
    if len(ranked) < 2:
        return words
    if min(len(each.finished) for each in ranked) < 2:
        words += " One seed is no measure of chance: add --seeds."
    if near := [combination_name(each, names) for each in rivals(ranked)]:
        others = "that of 1 other" if len(near) == 1 else f"those of {len(near)} others"
        return f"{words} Its range overlaps with {others}, which may be as soon: {'; '.join(near)}."
    if len(first.reached) < len(first.finished):
        return f"{words} {len(first.reached)} of its {len(first.finished)} seeds got there, and none of the others'."
    apart = f"by chance alone, two equally fast ones lie apart like this in 1 of {apart_by_chance(ranked)} cases"
    return f"{words} Each of its seeds was sooner than any of the others'; {apart}."


def combination_name(each: Combination, names: Sequence[str]) -> str:
    """The settings of these names, or the task where there are none."""
    return ", ".join(f"{SHORT.get(name, name)} {getattr(each.cfg, name)}" for name in names) or each.task


def row_words(row: SweepRow) -> str:
    """The result of one model."""
    if row.outcome == "failed":
        return f"{_OUTCOMES[row.outcome]}: {row.error}"
    reached = "" if row.to_99 is None else f" (99 % at step {row.to_99:,})"
    right = f"{row.right} of {row.rows} right after {row.steps:,} steps"
    return f"{_OUTCOMES[row.outcome]}{reached}, {right}, {row.cpu_seconds:.1f} s of CPU"
