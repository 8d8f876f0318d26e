"""Assigns runs to places. A run stays at its home, unless another place has less to do, or the home goes."""

from collections import Counter
from collections.abc import Collection, Iterable

from explorer.training.run import TrainingRun
from explorer.training.workers import Place

_LONG = 0.5  # seconds; after a longer turn a run lets each of the others have as much


class Placement:
    """The places there are, and the home of each run that is active, or was. Called with the scheduler's lock held."""

    def __init__(self, active: Collection[TrainingRun]) -> None:
        """`active`: the live collection of the runs that are trained in turn."""
        self._active = active
        self.places: list[Place] = []
        self._home: dict[TrainingRun, Place] = {}
        self._owes: dict[TrainingRun, float] = {}  # seconds that go to other runs first, after a long turn

    @property
    def away(self) -> int:
        """The number of places on other machines."""
        return sum(place.away for place in self.places)

    def of(self, run: TrainingRun) -> Place | None:
        return self._home.get(run)

    def forget(self, run: TrainingRun) -> None:
        self._home.pop(run, None)
        self._owes.pop(run, None)

    def find(self, run: TrainingRun) -> None:
        """Gives an active run the place with the fewest others; among equals its former home, or one away from this machine,
        which computes pages, or one that has started."""
        before, load = self._home.pop(run, None), self._load()
        if self.places:
            self._home[run] = min(
                self.places, key=lambda place: (load[place], place is not before, not place.away, not place.started)
            )

    def leave(self, place: Place) -> None:
        """Forgets a place. Its runs go on here first: other places may be gone as well, and a run that dies with one after
        another would be given up as their cause."""
        if place in self.places:
            self.places.remove(place)
        for run in [run for run, home in self._home.items() if home is place]:
            del self._home[run]
            here = [other for other in self.places if not other.away]
            if run in self._active and here:
                self._home[run] = min(here, key=self._load().__getitem__)

    def next(self, place: Place, due: Collection[TrainingRun]) -> TrainingRun | None:
        """The run to train next at a place, one of those that are `due`, in turn."""
        mine = [run for run in due if self._home.get(run, place) is place]
        mine.sort(key=lambda run: run in self._owes)  # among equals, in turn
        return mine[0] if mine and mine[0] not in self._owes else self.relieve(place, due) or next(iter(mine), None)

    def relieve(self, place: Place, due: Iterable[TrainingRun]) -> TrainingRun | None:
        """Moves a run to this place from one that has at least two runs more, and returns it."""
        load = self._load()
        run = next((run for run in due if load[self._home[run]] > load[place] + 1), None)
        if run is not None:
            self._home[run] = place
        return run

    def settle(self, run: TrainingRun, place: Place, seconds: float) -> None:
        """Counts the seconds of a turn. A run whose single steps take long would otherwise have most of its place's time."""
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
        """How many active runs each place has."""
        return Counter(self._home[run] for run in self._active if run in self._home)
