"""The templates of the recorded race."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.race import LENGTHS, RaceChoices
from explorer.programs.template import ProgramTemplate


def _chosen(_shown: ShownModel, choices: RaceChoices) -> Mapping[str, Any]:
    return asdict(choices)


_RECORDED = """
# This runs it again, and takes other seconds: python -m transformer_core race
recorded = race_results.shipped_race().rows"""

TEMPLATES = {
    "race-curves": ProgramTemplate(
        "the share of new rows that each model of the recorded race writes without a mistake, in the runs of all seeds; those "
        "of the seed in the middle are last",
        _RECORDED
        + """
entrants = [race.rows_of(recorded, $race_task, $race_length, each) for each in race.ENTRANTS]
middles = [race_results.middle(runs, $race_scale) for runs in entrants]
drawn = [*(run for runs in entrants for run in runs if run not in middles), *middles]
courses = [race_results.course(run, $race_scale) for run in drawn]  # when it was judged, and its share right then
values = [shares[1:] for _at, shares in courses]  # without that before its first step
""",
        _chosen,
        draw="""
figure, colours = go.Figure(), dict(zip(race.ENTRANTS, ["blue", "orange", "green"]))
for run, (at, shares) in zip(drawn, courses):
    line = {"color": colours[run.model], "width": 4 if run in middles else 1}
    figure.add_scatter(x=at[1:], y=shares[1:], name=f"{run.model}, seed {run.seed}", mode="lines", line=line)
figure.update_xaxes(type="log", title=$race_scale)
figure.update_yaxes(title="rows right")
figure.show()
""",
    ),
    "race-places": ProgramTemplate(
        "the share right at each place of the answers, of each model of the recorded race at its end, the mean of its seeds",
        _RECORDED
        + """
found = [[race.rows_of(recorded, given, $length, each) for each in race.ENTRANTS] for given in race.TASKS]
values = np.array([[race_results.by_place(runs) for runs in of_task] for of_task in found])  # (task, model, place)
""",
        lambda _shown, _choices: {"length": LENGTHS[-1]},
    ),
}
