"""The pictures of a race, recorded or under way, with the words below them."""

from explorer.components import LivePicture
from explorer.exhibits.compare import race_findings
from explorer.i18n import _, n_
from explorer.pictures import race
from explorer.pictures.race import LENGTHS, TASK_NAMES, Runs
from explorer.pictures.registry import Drawn
from explorer.ui import document
from transformer_core.analysis.race_results import Scale, shipped_race
from transformer_core.training.race import ROWS, TARGET, rows_of


def curves(runs: Runs, scale: Scale, live: LivePicture | None = None) -> None:
    """Draws the share right over the steps, or the seconds. `live`: its name, where it is recorded."""
    drawn = race.curves(runs, scale)
    reading = n_(
        "the share of {rows} new rows that each model writes without a mistake, from one seed. A line ends where {target:.0%} "
        "are right, or where the model gives up. {told}.",
        "the share of {rows} new rows that each model writes without a mistake: a thin line for each of {n} seeds, a thick one "
        "for the seed in the middle. A line ends where {target:.0%} are right, or where the model gives up. {told}.",
        (seeds := max(map(len, runs.values()), default=1)),
    )
    words = reading.format(rows=ROWS, n=seeds, target=TARGET, told=race.arrivals(runs))
    document.picture(drawn if live is None else Drawn(drawn, live), words, "race-curves")


def places() -> None:
    """Draws the share right of each place of the longest answers, as the models of the recorded race stand at their ends."""
    rows, length = shipped_race().rows, LENGTHS[-1]
    reading = _(
        "the share right of the first number of the answers, the second, and so on up to {length}, of each model at its end "
        "(mean of {n} seeds). {ways}"
    )
    ways = " ".join(race_findings.way(task, length) for task in TASK_NAMES)
    seeds = len(rows_of(rows, "copy", length, "lstm"))
    document.picture(Drawn(race.places(rows), race.race_places.live()), reading.format(length=length, n=seeds, ways=ways))
