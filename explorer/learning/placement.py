"""Assigns runs to places.

The home of a run is the place that trains it; its engine is with the worker there. To move a run, its state is copied, so it
stays unless another place has at least two runs fewer, or its home is lost.
"""

from collections import Counter
from collections.abc import Collection, Iterable

from explorer.learning.run import TrainingRun
from explorer.learning.workers import Place

_LONG = 0.5  # seconds; after a longer turn, a run waits until the others at its place have had as much time each


class Placement:
    """All places, and the home of each run that is or was active. Called with the scheduler's lock held."""

    def __init__(self, active: Collection[TrainingRun]) -> None:
        """`active`: the live collection of the runs that are trained in turn."""
        self._active = active
        self.places: list[Place] = []
        self._home: dict[TrainingRun, Place] = {}
        self._owes: dict[TrainingRun, float] = {}  # seconds that others at its place train first, after a long turn

    @property
    def remote(self) -> int:
        """The number of places on other machines."""
        return sum(place.is_remote for place in self.places)

    def of(self, run: TrainingRun) -> Place | None:
        return self._home.get(run)

    def forget(self, run: TrainingRun) -> None:
        self._home.pop(run, None)
        self._owes.pop(run, None)

    def find(self, run: TrainingRun) -> None:
        """Gives an active run a home: the place with the fewest runs; among equals its former home, then one on another
        machine, for this one also serves pages, then one whose worker has started."""
        before, load = self._home.pop(run, None), self._load()
        if self.places:
            self._home[run] = min(
                self.places, key=lambda place: (load[place], place is not before, not place.is_remote, not place.started)
            )

    def leave(self, place: Place) -> None:
        """Forgets a place. Its active runs go on at places of this machine: others may be lost as well, and a run whose workers
        end one after another is given up as their cause."""
        if place in self.places:
            self.places.remove(place)
        for run in [run for run, home in self._home.items() if home is place]:
            del self._home[run]
            here = [other for other in self.places if not other.is_remote]
            if run in self._active and here:
                self._home[run] = min(here, key=self._load().__getitem__)

    def next(self, place: Place, due: Collection[TrainingRun]) -> TrainingRun | None:
        """Chooses the run to train next at a place, one of those that are `due`: one at home there that owes no time, or else
        one moved from a busier place, or else any that is at home there."""
        mine = [run for run in due if self._home.get(run, place) is place]
        mine.sort(key=lambda run: run in self._owes)  # a stable sort: otherwise they keep their turns
        return mine[0] if mine and mine[0] not in self._owes else self.relieve(place, due) or next(iter(mine), None)

    def relieve(self, place: Place, due: Iterable[TrainingRun]) -> TrainingRun | None:
        """Moves a run to this place from one that has at least two runs more, and returns it."""
        load = self._load()
        run = next((run for run in due if load[self._home[run]] > load[place] + 1), None)
        if run is not None:
            self._home[run] = place
        return run

    def settle(self, run: TrainingRun, place: Place, seconds: float) -> None:
        """Counts the seconds of a turn, after which a run may owe time to the others at its place, or owe less. Without this, a
        run whose single steps take long would have most of the place's time."""
        others = [other for other in self._active if other is not run and self._home.get(other) is place]
        for other in others:
            if self._owes.get(other, 0.0) <= seconds:
                self._owes.pop(other, None)
            else:
                self._owes[other] -= seconds
        self._owes.pop(run, None)
        if seconds > _LONG and others:
            self._owes[run] = seconds * len(others)

    def _load(self) -> Counter[Place]:
        """Counts the active runs of each place."""
        return Counter(self._home[run] for run in self._active if run in self._home)
