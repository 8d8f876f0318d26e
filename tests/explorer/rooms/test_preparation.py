"""Pins that no room waits without an end: what it asks is computed ahead, and recorded models come where others are late."""

import asyncio
from typing import Any

import pytest

from explorer.rooms import experiments, outcomes, preparation
from explorer.rooms.experiments import Learned
from explorer.rooms.preparation import Preparation
from explorer.rooms.room import Room
from transformer_core.errors import InputError


def room_at(answer: str, language: str = "en") -> Room:
    """A room whose script asks nothing else."""
    room = Room("ABCDEF", ["host"], language)
    task = "" if answer != "repeat" else answer
    name = "steps" if task else answer
    room.script = [step for step in room.script if (step.answer, step.task) == (name, task) or step.kind == "join"]
    return room


async def until(is_so: Any) -> None:
    for _turn in range(2000):
        if is_so():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")


def nothing_learns(plans, _viewer):
    return Learned(plans, {}, [None] * len(plans))


def the_recorded_ones(plans, _viewer):
    found = experiments.recorded(plans)
    return found if found is not None else nothing_learns(plans, _viewer)


def prepared(room: Room, do: Any) -> None:
    async def run() -> None:
        made = Preparation(room, lambda _room: None)
        made.begin()
        try:
            await do(made)
        finally:
            made.stop()

    asyncio.run(run())


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(preparation, "_LOOK", 0.01)


@pytest.mark.parametrize("answer", ["looks", "cut", "pronoun"])
def test_what_needs_no_learning_is_known_before_anybody_asks(answer):
    room = room_at(answer)

    async def wait(_made: Preparation) -> None:
        await until(lambda: {"1", "1 new"} <= room.outcomes.keys() and {"1", "1 new"} <= room.before.keys())

    prepared(room, wait)
    assert room.at == 0 and room.seen("en")["words"] == []


def test_people_are_told_how_long_and_after_twice_that_time_the_recorded_ones_come_by_themselves(monkeypatch):
    room = room_at("steps")
    monkeypatch.setattr(experiments, "look", nothing_learns)
    monkeypatch.setattr(experiments, "seconds_left", lambda _learned: 0.5)
    monkeypatch.setattr(preparation, "_LEAST", 0.2)

    async def wait(_made: Preparation) -> None:
        room.jump(1)
        await asyncio.sleep(0.1)
        assert room.waits == {} and room.outcomes == {}, "nobody waits while people vote"
        room.go("show")
        await until(lambda: room.waits)
        seen = room.seen("en")
        assert seen["wait"]["ready"] == 0 and seen["wait"]["of"] == 40 and seen["words"] == []
        await until(lambda: room.outcomes)

    prepared(room, wait)
    seen = room.seen("en")
    assert seen["words"][0].startswith("Recorded on 20") and len(seen["curves"]) == 40 and seen["wait"] is None
    assert "not computed now" not in " ".join(room_at("steps").seen("en")["words"])
    assert seen["choices"][seen["found"]] == "121 to 240"


@pytest.mark.parametrize("press", ["recorded", "full"])
def test_recorded_ones_come_at_once_where_the_host_says_so_or_the_server_is_full(monkeypatch, press):
    room = room_at("peek")
    monkeypatch.setattr(experiments, "look", nothing_learns)
    monkeypatch.setattr(experiments, "seconds_left", lambda _learned: 1000.0)

    def full(*_given: Any) -> Learned:
        raise InputError("This server is full.")

    if press == "full":
        monkeypatch.setattr(experiments, "look", full)

    async def wait(made: Preparation) -> None:
        room.jump(1)
        room.go("show")
        if press == "recorded":
            await until(lambda: room.led()["may_use_recorded"])
            made.use_recorded()
        await until(lambda: "1" in room.outcomes)

    prepared(room, wait)
    words = room.seen("en")["words"]
    assert (
        words[0].startswith("Recorded on 20") and "the one that could peek" in words[1] and not room.led()["may_use_recorded"]
    )


def test_next_drops_no_answer_that_is_still_computed(monkeypatch):
    room = room_at("peek")
    ready: list[bool] = []
    monkeypatch.setattr(
        experiments, "look", lambda plans, viewer: (the_recorded_ones if ready else nothing_learns)(plans, viewer)
    )
    monkeypatch.setattr(experiments, "seconds_left", lambda _learned: 1000.0)

    async def wait(_made: Preparation) -> None:
        room.join("a")
        room.jump(1)
        room.vote("a", 1, "ask", 2)
        room.go("show")
        await until(lambda: room.waits)
        room.jump(0)
        ready.append(True)
        await until(lambda: "1" in room.outcomes)

    prepared(room, wait)
    (asked,) = [each for each in room.asked() if not each["is_new"]]
    assert asked["outcome"] is not None and asked["counts"] == {"ask": [0, 0, 1]} and asked["found"] == 2


def test_curves_grow_while_they_learn_and_the_forty_first_begins_in_front_of_the_room(monkeypatch):
    room = room_at("steps")
    begun: list[str] = []
    recorded = experiments.recorded(experiments.forty())
    assert recorded is not None

    def look(plans, viewer):
        begun.extend(plans)
        if len(plans) == 1:
            return nothing_learns(plans, viewer)
        if room.phase == "shown" and "1" not in room.growing:
            return Learned(plans, {}, recorded.under_way)
        return recorded if room.phase == "shown" else nothing_learns(plans, viewer)

    monkeypatch.setattr(experiments, "look", look)
    monkeypatch.setattr(experiments, "seconds_left", lambda _learned: 1000.0)

    async def wait(_made: Preparation) -> None:
        room.jump(1)
        await asyncio.sleep(0.1)
        assert room.seen("en")["curves"] is None, "nothing is shown while people vote"
        room.go("show")
        await until(lambda: "1" in room.growing or "1" in room.outcomes)
        await until(lambda: "1" in room.outcomes)
        assert not [name for name in begun if int(name.split()[1]) > 40]
        room.go("next")
        await until(lambda: [name for name in begun if int(name.split()[1]) > 40])

    prepared(room, wait)
    assert len(room.outcome("1").curves) == 40 and room.seen("en")["curves"] == room.outcome("1").curves


def test_forty_that_repeat_begin_when_the_host_comes_there_and_one_with_one_layer_in_front_of_the_room(monkeypatch):
    """What is told of them is read off their curves and heads; the recorded ones stand in for those that learn."""
    room = room_at("repeat")
    begun: list[str] = []

    def look(plans, viewer):
        begun.extend(plans)
        return nothing_learns(plans, viewer)

    monkeypatch.setattr(experiments, "look", look)
    monkeypatch.setattr(experiments, "seconds_left", lambda _learned: 1000.0)

    async def wait(made: Preparation) -> None:
        await until(lambda: "1" in room.before)
        await asyncio.sleep(0.1)
        assert begun == [], "the host may never jump there"
        room.jump(1)
        await until(lambda: len({*begun}) == 40)
        room.go("show")
        await until(lambda: room.led()["may_use_recorded"])
        made.use_recorded()
        await until(lambda: "1" in room.outcomes)
        room.go("next")
        await until(lambda: [name for name in begun if name.endswith("n_layers 1")])
        room.go("next")
        await until(lambda: "1 new" in room.waits)
        made.use_recorded()
        await until(lambda: "1 new" in room.outcomes)

    prepared(room, wait)
    outcome = room.outcome("1")
    values, drawn = outcome.values, outcome.picture
    needed = [next(step for step, right in curve if right >= 0.85) for curve in outcome.curves]
    assert drawn["needed"] == needed and len(needed) == 40
    assert (values["least"], values["most"], values["median"]) == (min(needed), max(needed), sorted(needed)[19])
    assert 100 < values["least"] < values["most"] < 300 and outcome.found == str(values["median"])
    assert 30 < values["shortest"] < values["longest"] < 150
    heads = drawn["heads"]
    assert min(heads["before"]) > 0.4 and min(heads["after"]) > 0.5
    assert values["both"] == values["n"] == len(heads["before"]) == len(heads["after"]) == 40
    assert "In 40 of 40 models the same two heads" in outcome.words("en")[-1]
    asked, (_step, wrote) = drawn["rows"][0], drawn["film"][-1]
    assert wrote[0].strip() and all(letter in (" ", *"ABCDEFGHIJKLMNOPQRSTUVWXYZ") for letter in wrote[0]) and len(asked) == 20
    flat = room.outcome("1 new")
    assert flat.found == "after" and flat.values["steps"] is None and flat.picture["next_steps"] is None
    assert flat.values["taken"] == 500 and 0.3 < max(right for _step, right in flat.picture["next"]) < 0.5
    assert "did not get there in 500 steps: at most 3" in flat.words("en")[-1]


def test_a_script_that_asks_what_the_model_cannot_says_so_on_the_projector_and_the_room_goes_on():
    room = room_at("looks")
    step = room.script[1]
    room.script[1] = type(step)(**{**vars(step), "sentence": "the dinosaur sleeps", "phase": ()})

    async def wait(_made: Preparation) -> None:
        await until(lambda: room.troubles)

    prepared(room, wait)
    room.jump(1)
    room.go("show")
    assert "dinosaur" in room.seen("en")["words"][0]


def test_a_server_that_starts_again_draws_the_new_cases_of_what_it_has_kept():
    room = room_at("peek")
    learned = experiments.recorded(experiments.peeking())
    assert learned is not None
    peeked = outcomes.peek(learned)
    covered = experiments.recorded({experiments.COVERED: experiments.covered(learned.made[experiments.OPEN])})
    assert covered is not None
    room.happens("1", peeked)
    room.happens("1 new", outcomes.after_covering(peeked, covered))

    async def wait(_made: Preparation) -> None:
        await until(lambda: {"1", "1 new"} <= room.before.keys())

    prepared(room, wait)


def test_what_fails_is_logged_and_said_and_the_other_cases_go_on(monkeypatch, caplog):
    room = Room("ABCDEF", ["host"], "en")
    room.script = [step for step in room.script if step.answer in ("peek", "looks") or step.kind == "join"]

    def broken(*_given: Any) -> Learned:
        raise RuntimeError("broken")

    monkeypatch.setattr(experiments, "look", broken)

    async def wait(_made: Preparation) -> None:
        await until(lambda: "2" in room.troubles and "1 new" in room.outcomes)

    prepared(room, wait)
    assert "broken" in caplog.text
    room.jump(2)
    room.go("show")
    assert "could not be computed" in room.seen("en")["words"][0]
