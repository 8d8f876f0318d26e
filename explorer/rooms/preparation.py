"""Computes what a room will ask its models, from the moment that it is opened: what is shown is there before it is needed.

What has to learn is looked at again and again. Where people wait for it, they are told how long; after twice the time that it
takes on an idle computer the recorded models take their place.
"""

import asyncio
import logging
import secrets
import time
from collections.abc import Callable, Mapping
from typing import TypeVar

from explorer import resources
from explorer.learning.plan import TrainingPlan
from explorer.rooms import experiments, outcomes, quiz
from explorer.rooms.experiments import Learned
from explorer.rooms.outcomes import Outcome
from explorer.rooms.room import Room
from explorer.rooms.script import Case
from transformer_core.errors import InputError

_log = logging.getLogger(__name__)
T = TypeVar("T")
_LOOK = 0.5  # seconds between two looks at what learns
_LEAST, _LONGEST = 15.0, 120.0  # seconds that people wait before the recorded models come, whatever was estimated
_SEEDS = 10_000  # of models that nobody has seen


class Preparation:
    """What is computed for one room. `announce` is called after each change."""

    def __init__(self, room: Room, announce: Callable[[Room], None]):
        self._room, self._announce = room, announce
        self._task: asyncio.Task[None] | None = None
        self._waited: dict[str, tuple[float, float]] = {}  # since when people wait for a case, and until when
        self._failed: set[str] = set()  # cases that cannot be computed, whatever is tried
        self._seed = experiments.MODELS + 1 + secrets.randbelow(_SEEDS)

    def begin(self) -> None:
        """Begins, or goes on where something is still to be computed."""
        if (self._task is None or self._task.done()) and not self._is_ready():
            self._task = asyncio.create_task(self._prepare())

    def stop(self) -> None:
        if self._task is not None:
            self._task.cancel()

    def use_recorded(self) -> None:
        """Shows at once what was recorded of the case that people wait for."""
        name = self._room.name()
        if name in self._room.waits:
            self._waited[name] = (0.0, 0.0)

    def _is_ready(self) -> bool:
        room = self._room
        has_questions = bool(room.questions) or not room.quizzes
        return has_questions and all(
            name in self._failed or (name in room.outcomes and name in room.before) for name, _case, _at in room.cases()
        )

    async def _prepare(self) -> None:
        room = self._room
        for at, step in enumerate(room.script):
            if step.asked is None and step.sentence and str(at) not in room.before:
                await self._drawn(str(at), outcomes.sentence, step.sentence, room.language)
        for name, case, _at in room.cases():
            await self._known(name, case)
        if room.quizzes and not room.questions:
            room.questions = await self._computed(quiz.questions, room.language)
            self._changed()
        while not room.over and not self._is_ready():
            for name, case, at in room.cases():
                try:
                    await self._look_at(name, case, at)
                except Exception:  # it concerns this case alone
                    self._fails(name)
            await asyncio.sleep(_LOOK)

    async def _known(self, name: str, case: Case) -> None:
        """Draws a case before it is voted on, and finds what happens, where no model has to learn for it."""
        room = self._room
        if not case.answer.startswith("new ") or outcomes.is_known_at_once(case):
            await self._drawn(name, outcomes.before, case, room.language)
        if outcomes.is_known_at_once(case) and name not in room.outcomes:
            await self._happens(name, outcomes.at_once, case, room.language)

    async def _look_at(self, name: str, case: Case, at: int) -> None:
        """Looks at what learns for a case: begins it, tells how far it is, or that it is over."""
        room = self._room
        is_new = case.answer.startswith("new ")
        earlier = room.outcome(str(at)) if is_new else None
        if name in self._failed or outcomes.is_known_at_once(case) or (is_new and earlier is None):
            return
        if name not in room.before:
            await self._drawn(name, outcomes.before, case, room.language, earlier)
        if name in room.outcomes:
            return
        if case.answer == "new steps" and not (room.at == at and room.is_new):
            return  # it begins in front of the room
        if room.script[at].extra and str(at) not in room.reached:
            return  # the host may never jump there
        try:
            plans = self._plans(case, earlier)
            learned = await self._computed(experiments.look, plans, f"room {room.code}") if plans else None
        except InputError:  # the server is full, or has dropped them
            learned = None
        is_late = await self._is_late(name, learned)
        if learned is None or learned.failed or (is_late and not learned.is_over):
            learned = await self._computed(experiments.recorded, self._recorded_plans(case, earlier)) or learned
        if learned is not None and learned.is_over and not learned.failed:
            await self._happens(name, self._outcome, case, learned, earlier)
        elif learned is not None:
            self._grows(name, case, learned)
        else:
            room.troubles[name] = InputError("The server has no room for these models, and they were not recorded.")

    def _plans(self, case: Case, earlier: Outcome | None) -> Mapping[str, TrainingPlan]:
        """Returns the models that a case asks about; none where they have to go on from weights that are not known here."""
        match case.answer:
            case "steps":
                vary, values, task = case.vary, case.values, case.task
                return experiments.varied(vary, values, task) if vary else experiments.forty(task)
            case "peek":
                return experiments.peeking()
            case "new peek":
                peeked = experiments.look(experiments.peeking(), f"room {self._room.code}").made.get(experiments.OPEN)
                known = peeked is not None and peeked.weights is not None and earlier is not None and not earlier.day
                return {experiments.COVERED: experiments.covered(peeked)} if peeked is not None and known else {}
            case _:
                return experiments.another(self._seed, case.task, case.layers)

    def _recorded_plans(self, case: Case, earlier: Outcome | None) -> Mapping[str, TrainingPlan]:
        if case.answer == "new steps":
            return experiments.another(experiments.MODELS + 1, case.task, case.layers)
        if case.answer == "new peek":
            peeked = experiments.recorded(experiments.peeking())
            return {} if peeked is None else {experiments.COVERED: experiments.covered(peeked.made[experiments.OPEN])}
        return self._plans(case, earlier)

    def _outcome(self, case: Case, learned: Learned, earlier: Outcome | None) -> Outcome:
        if case.answer == "steps":
            return outcomes.steps(case, learned)
        if case.answer == "peek":
            return outcomes.peek(learned)
        assert earlier is not None
        return (outcomes.next_model if case.answer == "new steps" else outcomes.after_covering)(earlier, learned)

    async def _is_late(self, name: str, learned: Learned | None) -> bool:
        """Returns whether people have waited for a case twice as long as it takes where nothing else computes; tells them how
        long it will take here."""
        room = self._room
        if learned is None or learned.is_over or room.is_asking or room.name() != name:
            return False
        left = await self._computed(experiments.seconds_left, learned)
        slowness = resources.training_scheduler().slowness.now()
        now = time.monotonic()
        _since, until = self._waited.setdefault(name, (now, now + min(max(2 * left, _LEAST), _LONGEST)))
        wait = {
            "ready": len(learned.made),
            "of": len(learned.plans),
            "seconds": max(round(left * slowness), 1),
            "recorded": max(round(until - now), 0),
        }
        if room.waits.get(name) != wait:
            room.waits[name] = wait
            self._changed()
        return now >= until

    def _grows(self, name: str, case: Case, learned: Learned) -> None:
        room = self._room
        if case.answer == "steps":
            drawn = outcomes.growing(learned, case), experiments.curves(learned.under_way)
            if room.growing.get(name) != drawn:
                room.growing[name] = drawn
                if room.name() == name and not room.is_asking:
                    self._changed()

    async def _drawn(self, name: str, draw: Callable[..., outcomes.Picture], *given: object) -> None:
        await self._tried(name, draw, *given, then=lambda picture: self._room.before.__setitem__(name, picture))

    async def _happens(self, name: str, find: Callable[..., Outcome], *given: object) -> None:
        await self._tried(name, find, *given, then=lambda outcome: self._room.happens(name, outcome))

    async def _tried(self, name: str, compute: Callable[..., T], *given: object, then: Callable[[T], None]) -> None:
        try:
            then(await self._computed(compute, *given))
        except InputError as error:
            self._failed.add(name)
            self._room.troubles[name] = error
        except Exception:
            self._fails(name)
        self._changed()

    def _fails(self, name: str) -> None:
        _log.exception("case %s of a room could not be computed", name)
        self._failed.add(name)
        self._room.troubles[name] = InputError("This could not be computed. The server's log says why.")

    async def _computed(self, function: Callable[..., T], *given: object) -> T:
        """Computes in a thread."""
        return await asyncio.to_thread(function, *given)

    def _changed(self) -> None:
        self._room.touch()
        self._announce(self._room)
