"""The pictures of a race: what each model has right over the steps or the seconds, and at each place of the answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np

from explorer.figures.lines import several_runs
from explorer.figures.matrix import Matrices, matrices
from explorer.figures.style import Figure
from explorer.i18n import N_, _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.registry import OneOf, picture
from transformer_core.analysis.race_results import Scale, arrival, by_place, course, middle, shipped_race
from transformer_core.training.race import ENTRANTS, MOST_STEPS, TARGET, Entrant, RaceRow, rows_of

NAMES: dict[Entrant, str] = {  # shown as _(NAMES[model])
    "transformer": N_("Transformer"),
    "lstm-attention": N_("LSTM with attention"),
    "lstm": N_("LSTM"),
}
TASK_NAMES = {"copy": N_("copy"), "reverse": N_("reverse")}
LENGTHS = (5, 10, 20)
Runs = Mapping[Entrant, Sequence[RaceRow]]  # one row of each seed, the same seeds of all models


@dataclass(frozen=True)
class RaceChoices:
    """One of the recorded races, and what its curves are drawn over."""

    race_task: Annotated[str, OneOf((*TASK_NAMES,))]
    race_length: Annotated[int, OneOf(LENGTHS)]
    race_scale: Scale


@picture("race-curves", needs_weights=False)
def race_curves(_shown: ShownModel, choices: RaceChoices) -> Figure:
    """Draws the share right of the recorded race over the steps, or the seconds."""
    return curves(runs_of(shipped_race().rows, choices.race_task, choices.race_length), choices.race_scale)


@picture("race-places", needs_weights=False)
def race_places(_shown: ShownModel) -> Matrices:
    """Draws the share right of each place of the longest answers, as the models of the recorded race stand at their ends."""
    return places(shipped_race().rows)


def curves(runs: Runs, scale: Scale) -> Figure:
    """Draws the share right of a race over the steps, or the seconds."""
    lines = {_(name): [course(row, scale) for row in runs.get(model, ())] for model, name in NAMES.items()}
    thick = {_(NAMES[model]): rows.index(middle(rows, scale)) for model, rows in runs.items()}
    x_title = _("step") if scale == "steps" else _("seconds of one processor core, for the steps alone")
    return several_runs(lines, thick, x_title=x_title, y_title=_("rows right"), alt=arrivals(runs), target=TARGET)


def places(rows: Sequence[RaceRow]) -> Matrices:
    """Draws the share right of each place of the longest answers, as the models of a race stand at their ends."""
    found = [[rows_of(rows, task, LENGTHS[-1], model) for model in NAMES] for task in TASK_NAMES]
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
        columns=[f"{place}" for place in range(1, LENGTHS[-1] + 1)],
        column_title=_("place in the answer"),
        title=_("share right"),
        alt="; ".join(told),
        wide=1,
        size=130,
    )
    return replace(drawn, decimals=2)  # of few rows: there is room


def runs_of(rows: Sequence[RaceRow], task: str, length: int) -> dict[Entrant, list[RaceRow]]:
    """Returns the rows of each model in one setting."""
    return {model: rows_of(rows, task, length, model) for model in ENTRANTS}


def arrivals(runs: Runs) -> str:
    """Says of each model when the middle one of its seeds arrived, or how far it is."""
    said = _("{name}: {values}")
    told = [said.format(name=_(NAMES[model]), values=_arrival(rows)) for model, rows in runs.items()]
    return "; ".join(told) or _("None has taken a step yet")


def _arrival(rows: Sequence[RaceRow]) -> str:
    steps, seconds = arrival(middle(rows)), arrival(middle(rows, "seconds"), "seconds")
    if steps is not None and seconds is not None:
        return _("{steps:,.0f} steps, {seconds:.1f} s").format(steps=steps, seconds=seconds)
    if not all(row.is_over for row in rows):
        return _("{share:.0%} after {steps:,} steps").format(share=rows[0].right[-1], steps=rows[0].step)
    if there := sum(row.has_arrived for row in rows):
        return _("{k} of {n} seeds in {most:,} steps").format(k=there, n=len(rows), most=MOST_STEPS)
    return _("not in {most:,} steps").format(most=MOST_STEPS)
