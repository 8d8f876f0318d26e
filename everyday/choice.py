"""Free choices with known probabilities: one function of a chooser can be sampled, or have all its outcomes enumerated."""

import random
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

Value = TypeVar("Value")
RARE = 1e-6  # the probability of answers that are right but never drawn


class Choose(Protocol):
    """Chooses among options with probabilities that sum to 1. The same `key` is chosen once per sentence: later calls get the
    same choice.
    """

    def __call__(self, key: str, options: Sequence[tuple[float, Value]]) -> Value: ...


def right_too(said: Value, *others: Value) -> list[tuple[float, Value]]:
    """Returns options of which the first is taught to models, and the others are right as well."""
    return [(1 - RARE * len(others), said), *((RARE, other) for other in others)]


def pick(choose: Choose, key: str, options: Sequence[tuple[float, Value]]) -> Value:
    """Chooses among options; returns a single one without a choice."""
    return choose(key, options) if len(options) > 1 else options[0][1]


class Draw:
    """Chooses at random. If only one option is ever drawn, no random number is: the drawn sentences stay the same when more
    answers are found to be right.
    """

    def __init__(self, generator: random.Random):
        self._generator = generator
        self._chosen: dict[str, Any] = {}

    def __call__(self, key: str, options: Sequence[tuple[float, Value]]) -> Value:
        if key not in self._chosen:
            likely = [option for option in options if option[0] > RARE]
            probabilities, values = zip(*likely, strict=True)
            is_certain = len(likely) == 1 < len(options)
            self._chosen[key] = values[0] if is_certain else self._generator.choices(values, probabilities)[0]
        chosen: Value = self._chosen[key]
        return chosen


class _Replay:
    """Takes the options of a given path, and the first one after its end."""

    def __init__(self, path: Sequence[int]):
        self._path = path
        self._chosen: dict[str, Any] = {}
        self.taken: list[tuple[int, int]] = []  # option, number of options
        self.probability = 1.0

    def __call__(self, key: str, options: Sequence[tuple[float, Value]]) -> Value:
        if key not in self._chosen:
            option = self._path[len(self.taken)] if len(self.taken) < len(self._path) else 0
            self.taken.append((option, len(options)))
            self.probability *= options[option][0]
            self._chosen[key] = options[option][1]
        chosen: Value = self._chosen[key]
        return chosen


def distribution(outcome: Callable[[Choose], Value]) -> dict[Value, float]:
    """Returns every outcome with its probability, the most probable first, by replaying all paths through the choices."""
    found: dict[Value, float] = {}
    path: list[int] | None = []
    while path is not None:
        replay = _Replay(path)
        said = outcome(replay)
        found[said] = found.get(said, 0.0) + replay.probability
        path = _next_path(replay.taken)
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def _next_path(taken: Sequence[tuple[int, int]]) -> list[int] | None:
    """Returns the path that takes the next option at the last choice that has one; None after the last path."""
    for last in reversed(range(len(taken))):
        option, options = taken[last]
        if option + 1 < options:
            return [*(before for before, _ in taken[:last]), option + 1]
    return None
