"""Pins a room: who may vote when, what is shown when, its bounds, and that a server that starts again has it."""

import time

import pytest

from explorer.rooms import room as rooms
from explorer.rooms.outcomes import Outcome
from explorer.rooms.room import Room, RoomError, Rooms, digest
from transformer_core.errors import InputError

HOST = digest("host")


def at_the_vote() -> Room:
    room = Room("ABCDEF", HOST, "en")
    while room.step.kind != "vote":
        room.go("next")
    return room


def test_nothing_is_shown_before_the_second_vote():
    room = at_the_vote()
    for phase in ("vote", "talk", "again"):
        assert room.phase == phase
        for browser in ("a", "b"):
            room.join(browser)
        if phase != "talk":
            room.vote("a", room.at, 0)
            room.vote("b", room.at, 3)
        room.happened(Outcome("house", "It looks at “house”."))
        seen = room.seen()
        assert seen["counts"] is None and seen["found"] is None and seen["words"] == "" and not room.is_shown
        assert seen["voted"] == 2 or phase == "talk"
        room.go("next")
    seen = room.seen()
    assert seen["counts"] == [[1, 0, 0, 1], [1, 0, 0, 1]] and seen["words"] and seen["choices"][seen["found"]] == "house"


def test_a_vote_can_be_changed_while_it_is_open_and_counts_once():
    room = at_the_vote()
    room.join("a")
    for choice in (0, 2, 1):
        room.vote("a", room.at, choice)
    assert room.counts(room.at, "first") == [0, 1, 0, 0]
    room.go("next")
    for wrong in ((room.at, 1), (room.at - 1, 1)):
        with pytest.raises(RoomError, match="closed"):
            room.vote("a", *wrong)
    room.go("next")
    for wrong in (-1, 4, True, "1", None, 1.0):
        with pytest.raises(RoomError, match="nonsense"):
            room.vote("a", room.at, wrong)
    with pytest.raises(RoomError, match="unknown"):
        room.vote("somebody", room.at, 1)


def test_hands_count_as_well_and_only_as_whole_numbers():
    room = at_the_vote()
    room.join("a")
    room.vote("a", room.at, 3)
    room.enter_paper([1, 0, 2, 5])
    assert room.counts(room.at, "first") == [1, 0, 2, 6]
    for wrong in ([1], [1, 2, 3, -1], [1, 2, 3, 1e3], [True, 0, 0, 0], "1 2 3 4", [0, 0, 0, 10**6]):
        with pytest.raises(RoomError):
            room.enter_paper(wrong)


def test_a_host_goes_on_and_back_through_all_of_it():
    room, passed = Room("ABCDEF", HOST, "en"), []
    for way in ("next", "back"):
        for _turn in range(60):
            passed.append((room.at, room.phase))
            room.go(way)
    assert len({at for at, _phase in passed}) == len(room.script) and (room.at, room.phase) == (0, "vote")
    with pytest.raises(RoomError):
        room.go("sideways")


def test_a_server_that_starts_again_has_the_room(tmp_path):
    before = Rooms(tmp_path)
    room = before.made_by(HOST, "en")
    while room.step.kind != "vote":
        room.go("next")
    room.join("a")
    room.vote("a", room.at, 1)
    room.happened(Outcome("house", "words"))
    before.keep(room)
    again = Rooms(tmp_path).get(room.code.lower())
    assert again is not None and (again.at, again.phase, again.votes) == (room.at, room.phase, room.votes)
    assert again.host == HOST and again.join("a") == 1 and again.outcomes == room.outcomes
    before.end(room)
    assert Rooms(tmp_path).get(room.code) is None


def test_pairs_are_taken_while_they_are_collected_and_the_host_picks(tmp_path):
    house = Rooms(tmp_path)
    room = house.made_by(HOST, "en")
    room.join("a")
    with pytest.raises(RoomError, match="not asked"):
        room.send("a", "one", "un")
    room.collect(True)
    with pytest.raises(RoomError, match="unknown"):
        room.send("somebody", "one", "un")
    for wrong in ((1, "un"), ("", ""), (None, None)):
        with pytest.raises(RoomError, match="nonsense"):
            room.send("a", *wrong)
    with pytest.raises(InputError, match="from right to left"):
        room.send("a", "peace", "שלום")
    room.send("a", " one   cat ", "un <b>")
    room.send("a", "two", "deux")
    room.pick(1, False)
    for wrong in (2, -1, True, "0"):
        with pytest.raises(RoomError, match="nonsense"):
            room.pick(wrong, False)
    assert room.picked == [("one cat", "un <b>")]
    assert room.seen()["pairs"] == 2 and "sent" not in room.seen() and len(room.led()["sent"]) == 2
    house.keep(room)
    assert Rooms(tmp_path).get(room.code).picked == room.picked
    for number in range(rooms.MOST_SENT - 2):
        room.send("a", f"number {number}", "n")
    with pytest.raises(RoomError, match="enough"):
        room.send("a", "one more", "n")


def test_rooms_and_people_are_bounded_and_a_room_is_over_some_time(tmp_path, monkeypatch):
    house = Rooms(tmp_path)
    first = house.made_by(HOST, "en")
    assert house.made_by(HOST, "en") is first
    for number in range(rooms.MOST_ROOMS - 1):
        house.made_by(digest(str(number)), "en")
    with pytest.raises(RoomError, match="too many"):
        house.made_by(digest("one more"), "en")
    for number in range(rooms.MOST_PEOPLE):
        first.join(str(number))
    with pytest.raises(RoomError, match="full"):
        first.join("one more")
    first.changed = time.time() - 3600 * rooms.HOURS - 1
    assert house.get(first.code) is None and not (tmp_path / f"{first.code}.json").exists()


@pytest.mark.parametrize("code", ["", "ABC", "../../x", "ABCDE0", "A" * 5000, "АBCDEF"])
def test_a_code_that_none_can_have_leads_nowhere(tmp_path, code):
    assert Rooms(tmp_path).get(code) is None
