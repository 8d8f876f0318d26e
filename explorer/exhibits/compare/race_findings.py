"""Findings of the race, in sentences and in a table: each number is read off its rows."""

from collections.abc import Sequence

import numpy as np

from explorer.i18n import _
from explorer.pictures.race import LENGTHS, NAMES, TASK_NAMES, Runs, runs_of
from transformer_core.analysis.race_results import Scale, arrival, by_place, middle, path_lengths, waiting_steps
from transformer_core.data.tasks import CopyTask
from transformer_core.training.race import ENTRANTS, RATES, WIDTHS, Entrant, RaceRow, parameters_of, rows_of

_LONG = LENGTHS[-1]


def first_of(runs: Runs, scale: Scale) -> Entrant:
    """Returns who arrives first, by the middle seed of each."""

    def late(model: Entrant) -> float:
        at = arrival(middle(runs[model], scale), scale)
        return float("inf") if at is None else at

    return min(runs, key=late)


def seconds_of_all(rows: Sequence[RaceRow], task: str, length: int) -> float:
    """Returns the seconds of the processor that all three took together, the middle seed of each."""
    return sum(middle(each, "seconds").seconds[-1] for each in runs_of(rows, task, length).values())


def parameters() -> int:
    """Returns the parameters of the Transformer, from which the others differ by less than 1 %."""
    return parameters_of("transformer", CopyTask().vocab)


def state_size() -> int:
    """Returns the values in which the LSTM keeps what it has read: its two states."""
    return 2 * WIDTHS["lstm"]


def findings(rows: Sequence[RaceRow]) -> list[str]:
    """Says what the race bears out of what is often heard, and what it cannot judge."""
    settings = [runs_of(rows, task, length) for length in LENGTHS for task in TASK_NAMES]
    seconds, steps = ([first_of(runs, scale) for runs in settings].count("lstm-attention") for scale in ("seconds", "steps"))
    copied, backwards = (by_place(rows_of(rows, task, _LONG, "lstm")) for task in ("copy", "reverse"))
    return [
        _(
            "**Does the Transformer learn soonest?** Of {n} races, the LSTM with attention is first in {k} by seconds and in "
            "{m} by steps, by the median of {seeds} seeds; the Transformer in the others."
        ).format(n=len(settings), k=seconds, m=steps, seeds=len(settings[0]["lstm"])),
        _(
            "**What wins is attention**, which LSTMs had before: in {k} of {n} races, the slowest LSTM with it needs fewer "
            "steps than the fastest one without."
        ).format(k=sum(_is_always_sooner(runs["lstm-attention"], runs["lstm"]) for runs in settings), n=len(settings)),
        _(
            "**Does an LSTM forget the beginning?** Not this one. Backwards, of {long} numbers, the one that it read first is "
            "right in {first:.0%} of rows, and the worst in {worst:.0%}. When it copies, each is right hardly more often than "
            "by guessing ({guess:.0%}): {low:.0%} to {high:.0%}, whether it was read first or last."
        ).format(
            long=_LONG,
            first=float(backwards[-1]),
            worst=float(backwards.min()),
            low=float(copied.min()),
            high=float(copied.max()),
            guess=1 / (CopyTask().vocab - 1),
        ),
        _(
            "**Not seen here:** within a row of {long} numbers, an LSTM takes {many} steps, each of which waits for the one "
            "before; the Transformer {few}. On many cores, as in the paper, that saves time; one core takes all in turn anyway."
        ).format(long=_LONG, few=waiting_steps("transformer", _LONG), many=waiting_steps("lstm", _LONG)),
    ]


def _is_always_sooner(some: Sequence[RaceRow], others: Sequence[RaceRow]) -> bool:
    """Returns whether each of some arrives after fewer steps than any of others."""
    mine, theirs = ([np.inf if (at := arrival(row)) is None else at for row in rows] for rows in (some, others))
    return max(mine) < min(theirs)


def table() -> list[dict[str, str]]:
    """Returns a row for each model: its size, its rate, and two numbers of the paper's table 1, for the longest rows."""
    return [
        {
            _("model"): _(NAMES[model]),
            _("parameters"): f"{parameters_of(model, CopyTask().vocab):,}",
            _("learning rate"): f"{RATES[model]:g}",
            _("way of a number, copy"): _range(path_lengths(model, "copy", _LONG)),
            _("way of a number, reverse"): _range(path_lengths(model, "reverse", _LONG)),
            _("steps that wait"): f"{waiting_steps(model, _LONG):,}",
        }
        for model in ENTRANTS
    ]


def _range(numbers: np.ndarray) -> str:
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low}" if low == high else f"{low}–{high}"


def way(task: str, length: int) -> str:
    """Says how far apart a word and its copy are in the LSTM without attention."""
    paths = path_lengths("lstm", task, length)
    if paths.min() == paths.max():
        return _("To copy, the LSTM has {n} steps between reading a number and writing it, whichever it is.").format(
            n=int(paths[0])
        )
    words = _("To reverse, it has {first} for the number that is written first, {second} for the next, {last} for the last.")
    return words.format(first=int(paths[0]), second=int(paths[1]), last=int(paths[-1]))
