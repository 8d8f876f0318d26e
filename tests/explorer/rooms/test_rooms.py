"""Pins the rooms of a server: bounded, kept over a restart, in memory where the disk is full, and readable when over."""

import json
import time
from pathlib import Path

import pytest

from explorer.rooms import rooms
from explorer.rooms.lesson import packed
from explorer.rooms.outcomes import Outcome
from explorer.rooms.room import RoomError, digest
from explorer.rooms.rooms import Rooms
from explorer.rooms.script import ScriptError, Step

HOST = digest("host")


def with_a_vote(house: Rooms):
    room = house.made_by(HOST, "en")
    room.jump(next(at for at, step in enumerate(room.script) if step.kind == "vote"))
    room.join("a")
    room.vote("a", room.at, "ask", 1)
    room.happens(room.name(), Outcome("house", [("words", {})], {"share": "97%"}, {"kind": "sentence"}))
    house.keep(room)
    return room


def test_a_server_that_starts_again_has_the_room(tmp_path):
    room = with_a_vote(Rooms(tmp_path))
    again = Rooms(tmp_path).get(room.code.lower())
    assert again is not None and (again.at, again.phase, again.votes) == (room.at, room.phase, room.votes)
    assert again.hosts == [HOST] and again.key == room.key and again.join("a")["number"] == 1
    assert again.outcome(again.name()).words("en") == ["words"] and again.is_asking


def test_what_a_room_did_can_be_read_when_it_is_over(tmp_path):
    house = Rooms(tmp_path)
    room = with_a_vote(house)
    house.end(room)
    for server in (house, Rooms(tmp_path)):
        over = server.kept(room.code)
        assert server.get(room.code) is None and over is not None and over.over
        assert [asked["counts"] for asked in over.asked()] == [{"ask": [0, 1, 0, 0]}]


@pytest.mark.parametrize("how", ["full", "read-only"])
def test_where_nothing_can_be_written_a_room_lives_in_memory_and_says_so(tmp_path, monkeypatch, how):
    def fails(*_given, **_named):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text" if how == "full" else "mkdir", fails)
    house = Rooms(tmp_path / "rooms")
    room = with_a_vote(house)
    assert house.get(room.code) is room and room.unkept and room.led()["unkept"]
    house.leave(room)
    assert house.get(room.code) is room, "another copy could not read it"
    house.end(room)
    assert house.get(room.code) is None and house.kept(room.code) is room
    monkeypatch.undo()
    house.keep(room)
    assert not room.unkept


def test_a_clock_that_jumps_ends_no_room(tmp_path, monkeypatch):
    house = Rooms(tmp_path)
    room = house.made_by(HOST, "en")
    now = time.time()
    for days in (2, -2):
        monkeypatch.setattr(time, "time", lambda days=days: now + 86_400 * days)
        assert house.get(room.code) is room
        house.keep(room)


def test_a_room_that_nobody_touches_is_over_some_time_also_one_that_was_kept(tmp_path, monkeypatch):
    house = Rooms(tmp_path)
    room, other = house.made_by(HOST, "en"), house.made_by(digest("other"), "en")
    room.touched -= 3600 * rooms.HOURS + 1
    assert house.get(room.code) is None and house.kept(room.code) is room
    house.keep(other)
    file = tmp_path / f"{other.code}.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"changed": time.time() - 3600 * rooms.HOURS - 1}))
    later = Rooms(tmp_path)
    assert later.get(other.code) is None and later.kept(other.code) is not None
    file.write_text(json.dumps(json.loads(file.read_text()) | {"changed": time.time() - 86_400 * rooms.DAYS - 1}))
    assert Rooms(tmp_path).kept(other.code) is None


def test_rooms_are_bounded_and_one_that_has_been_empty_gives_way(tmp_path):
    house = Rooms(tmp_path)
    first = house.made_by(HOST, "en")
    assert house.made_by(HOST, "en") is first and house.made_by(HOST, "en", short=True) is not first
    for number in range(rooms.MOST_ROOMS - 2):
        house.made_by(digest(str(number)), "en")
    with pytest.raises(RoomError, match="too many"):
        house.made_by(digest("one more"), "en")
    first.touched -= rooms._EMPTY + 1
    first.opened("somebody", 1)
    with pytest.raises(RoomError, match="too many"):
        house.made_by(digest("one more"), "en")
    first.opened("somebody", -1)
    house.made_by(digest("one more"), "en")
    assert house.get(first.code) is None and house.kept(first.code) is first


def test_a_room_with_a_lesson_is_another_and_goes_through_it_after_a_restart(tmp_path):
    said = {"show": "Look.", "question": "Why {here}?"}
    steps = (Step("watch", "Heads", 3.0, page="heads", view={"layer": "1"}, lock=("layer",), **said),)
    house = Rooms(tmp_path)
    usual, room = house.made_by(HOST, "en"), house.made_by(HOST, "en", lesson=packed(steps))
    assert room is not usual and house.made_by(HOST, "en", lesson=packed(steps)) is room
    room.jump(1)
    house.keep(room)
    again = Rooms(tmp_path).get(room.code)
    assert again is not None and again.script == room.script and again.script[1:] == steps
    seen, led = again.seen("en"), again.led()
    assert (seen["page"], seen["view"]) == ("heads", {"layer": "1", "lock": "layer"})
    assert (seen["show"], seen["question"], led["say"]) == ("Look.", "Why {here}?", "Look. Why {here}?")
    assert usual.seen("en")["page"] == "" and usual.seen("en")["view"] == {}
    with pytest.raises(ScriptError):
        house.made_by(HOST, "en", lesson="broken")


def test_files_of_rooms_that_are_over_are_few(tmp_path, monkeypatch):
    monkeypatch.setattr(rooms, "_MOST_OVER", 3)
    house = Rooms(tmp_path)
    for number in range(6):
        house.end(house.made_by(digest(str(number)), "en"))
    assert len([*tmp_path.glob("*.json")]) == 3


@pytest.mark.parametrize(
    "text", ["", "[", "[]", "{}", '{"changed": 0}', '{"changed": "x", "hosts": []}', "[" * 100_000, '{"changed": 1e999}']
)
def test_a_file_that_is_none_is_no_room(tmp_path, text):
    (tmp_path / "ABCDEF.json").write_text(text)
    assert Rooms(tmp_path).get("ABCDEF") is None


@pytest.mark.parametrize("code", ["", "ABC", "../../x", "ABCDE0", "A" * 5000, "АBCDEF", "ſſſſſſ"])
def test_a_code_that_none_can_have_leads_nowhere(tmp_path, code):
    assert Rooms(tmp_path).get(code) is None
