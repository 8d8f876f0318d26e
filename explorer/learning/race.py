"""A race as one run: it has one place in the queue and one core, which its models have in turn."""

import pickle
import time
from dataclasses import dataclass
from functools import cached_property

from explorer.learning import wire
from explorer.learning.engine import Engine, Order, Progress
from explorer.learning.plan import TrainingPlan
from explorer.learning.snapshots import Packed
from transformer_core.model.config import PRESETS
from transformer_core.training.race import BATCH, ENTRANTS, EVERY, MOST_STEPS, ROWS, TARGET, Racer, race_task
from transformer_core.training.trainer import Recipe


@dataclass(frozen=True)
class RacePlan(TrainingPlan):
    """A plan for all models of a race. Its configuration is that of the Transformer, than which the others are no larger."""

    @property
    def length(self) -> int:
        """The words of a row, without the first symbol, which is the same in all."""
        return self.task.longest[1]

    @cached_property
    def bytes(self) -> int:
        return len(ENTRANTS) * super().bytes


def race_plan(task: str, length: int, seed: int) -> RacePlan:
    """The plan of a race with a seed. Raises InputError for a task that is none of a race."""
    recipe = Recipe(steps=MOST_STEPS, batch_size=BATCH, seed=seed, evaluate_every=EVERY, evaluate_on=ROWS)
    return RacePlan(PRESETS["tiny"], race_task(task, length), recipe, target=TARGET)


class RaceEngine(Engine):
    """Runs a race: the model that has had the least of the processor's time takes the next step."""

    _racers: list[Racer] | None = None

    def _follow(self, order: Order, progress: Progress) -> None:
        end, racers = time.perf_counter() + order.seconds, self._models()
        while order.most != 0 and (under_way := [racer for racer in racers if not racer.row.is_over]):
            min(under_way, key=lambda racer: racer.seconds).step()
            if time.perf_counter() >= end:
                break
        progress.race = tuple(racer.row for racer in racers)
        if all(row.is_over for row in progress.race):
            progress.outcome = "learned"
        elif order.most == 0:  # it is moved
            progress.state = Packed(0, wire.dumps(racers))

    def _models(self) -> list[Racer]:
        """Returns the models of the race, drawn anew or as they stood where it was moved from."""
        if self._racers is None:
            plan, state = self._plan, self._from
            assert isinstance(plan, RacePlan)
            self._racers = (
                [Racer(entrant, plan.task.name, plan.length, plan.recipe.seed) for entrant in ENTRANTS]
                if state is None
                else pickle.loads(state.data)
            )
        return self._racers
