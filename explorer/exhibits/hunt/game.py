"""The rules of the hunt: puzzles and their codes, what a look costs, and when it is over."""

import datetime
from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from transformer_core.analysis.sabotage import SABOTAGES, SUSPECTS, Sabotage, Suspect

POINTS = 12
WRONG = 3  # what a wrong accusation costs
PRICES = {"ask": 1, "shares": 1, "writing": 2, "encoder": 2, "cross": 2, "decoder": 2, "lengths": 4, "first": 6}
VARIANTS = 97  # of each sabotage: they begin with other sentences

# A code is a puzzle's number, stirred: the next one does not look like it. These three stay, or links no longer hold.
_PRIME, _FACTOR, _SHIFT = 9973, 4271, 2203
_PLACES = 100  # more than there will be sabotages
_STRIDE = 7  # from one day's sabotage to the next: through all of them, and no order is seen


@dataclass(frozen=True)
class Puzzle:
    """A sabotage by its number, and the variant of it."""

    number: int
    variant: int

    @property
    def code(self) -> int:
        """A number from 1 on, by which links name it."""
        return 1 + ((self.number + _PLACES * self.variant) * _FACTOR + _SHIFT) % _PRIME

    @property
    def sabotage(self) -> Sabotage:
        return SABOTAGES[self.number]


def puzzle_of(code: int) -> Puzzle | None:
    """Returns the puzzle of a code; None for a code of none."""
    variant, number = divmod((code - 1 - _SHIFT) * pow(_FACTOR, -1, _PRIME) % _PRIME, _PLACES)
    return Puzzle(number, variant) if number in SABOTAGES and variant < VARIANTS and 1 <= code <= _PRIME else None


def puzzle_of_day(day: datetime.date) -> Puzzle:
    numbers, count = sorted(SABOTAGES), day.toordinal()
    return Puzzle(numbers[count * _STRIDE % len(numbers)], count % VARIANTS)


@dataclass(frozen=True)
class Game:
    """A puzzle, and what somebody has done with it: the looks taken, who was accused, in this order, and the looks after the
    end, which are free.
    """

    puzzle: Puzzle
    looks: tuple[str, ...] = ()
    accused: tuple[Suspect, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def guilty(self) -> Suspect:
        return self.puzzle.sabotage.suspect

    @property
    def is_found(self) -> bool:
        return self.guilty in self.accused

    @cached_property
    def points(self) -> int:
        """The points that are left."""
        wrong = sum(each != self.guilty for each in self.accused)
        return max(0, POINTS - sum(PRICES[look] for look in self.looks) - WRONG * wrong)

    @property
    def is_over(self) -> bool:
        return self.is_found or self.points == 0

    @property
    def seen(self) -> tuple[str, ...]:
        """The looks that have been taken, those after the end last."""
        return tuple(dict.fromkeys((*self.looks, *(self.after if self.is_over else ()))))

    def affords(self, look: str) -> bool:
        """Returns whether a look leaves a point, since only an accusation ends the game; after the end there is no price."""
        return look not in self.seen and (self.is_over or PRICES[look] < self.points)


def read_looks(text: str) -> tuple[str, ...] | None:
    """Parses the looks of an address, joined by dots; None for an unknown one."""
    return _read(text, PRICES)


def read_accused(text: str) -> tuple[Suspect, ...] | None:
    """Parses the accused of an address, joined by dots; None for somebody unknown."""
    names = {str(suspect): suspect for suspect in SUSPECTS}
    read = _read(text, names)
    return None if read is None else tuple(names[name] for name in read)


def _read(text: str, known: Collection[str]) -> tuple[str, ...] | None:
    parts = tuple(dict.fromkeys(text.split("."))) if text else ()
    return parts if all(part in known for part in parts) else None
