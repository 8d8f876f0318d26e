"""The pictures of a race, recorded or under way: the curves, and what is right by place."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from explorer.exhibits.compare import race_findings
from explorer.exhibits.compare.race_findings import LENGTHS, NAMES, TASK_NAMES
from explorer.figures.lines import several_runs
from explorer.figures.matrix import matrices
from explorer.i18n import _, n_
from explorer.ui import document
from transformer_core.analysis.race_results import Scale, by_place, course, middle
from transformer_core.training.race import ROWS, TARGET, Entrant, RaceRow, rows_of

Runs = Mapping[Entrant, Sequence[RaceRow]]  # one row of each seed, the same seeds of all models


def curves(runs: Runs, scale: Scale) -> None:
    """Draws the share right over the steps, or the seconds."""
    lines = {_(name): [course(row, scale) for row in runs.get(model, ())] for model, name in NAMES.items()}
    thick = {_(NAMES[model]): rows.index(middle(rows, scale)) for model, rows in runs.items()}
    x_title = _("step") if scale == "steps" else _("seconds of one processor core, for the steps alone")
    told = race_findings.arrivals(runs) or _("None has taken a step yet")
    drawn = several_runs(lines, thick, x_title=x_title, y_title=_("rows right"), alt=told, target=TARGET)
    reading = n_(
        "the share of {rows} new rows that each model writes without a mistake, from one seed. A line ends where {target:.0%} "
        "are right, or where the model gives up. {told}.",
        "the share of {rows} new rows that each model writes without a mistake: a thin line for each of {n} seeds, a thick one "
        "for the seed in the middle. A line ends where {target:.0%} are right, or where the model gives up. {told}.",
        (seeds := _seeds(runs)),
    )
    document.picture(drawn, reading.format(rows=ROWS, n=seeds, target=TARGET, told=told), "race-curves")


def places(rows: Sequence[RaceRow]) -> None:
    """Draws the share right of each place of the longest answers, as the models of a race stand at their ends."""
    length = LENGTHS[-1]
    found = [[rows_of(rows, task, length, model) for model in NAMES] for task in TASK_NAMES]
    shares = np.array([[by_place(each) for each in of_task] for of_task in found])  # (task, model, place)
    ends = _("{task}, {model}: {first:.0%} at the first place, {last:.0%} at the last")
    told = [
        ends.format(task=_(task), model=_(model), first=float(shares[i, j, 0]), last=float(shares[i, j, -1]))
        for i, task in enumerate(TASK_NAMES.values())
        for j, model in enumerate(NAMES.values())
    ]
    drawn = matrices(
        shares,
        names=[_(name) for name in TASK_NAMES.values()],
        rows=[_(name) for name in NAMES.values()],
        columns=[f"{place}" for place in range(1, length + 1)],
        column_title=_("place in the answer"),
        title=_("share right"),
        alt="; ".join(told),
        wide=1,
        size=130,
    )
    reading = _(
        "the share right of the first number of the answers, the second, and so on up to {length}, of each model at its end "
        "(mean of {n} seeds). {ways}"
    )
    ways = " ".join(race_findings.way(task, length) for task in TASK_NAMES)
    drawn = replace(drawn, decimals=2)  # of few rows: there is room
    document.picture(drawn, reading.format(length=length, n=len(found[0][0]), ways=ways), "race-places")


def _seeds(runs: Runs) -> int:
    return max(map(len, runs.values()), default=1)
