"""Pins a room: who may vote when, what is shown when, what phones may send, and where Next and Back lead."""

import pytest

from explorer.rooms import room as rooms
from explorer.rooms.outcomes import Outcome
from explorer.rooms.room import Room, RoomError, digest, text_of
from explorer.rooms.script import OPEN
from transformer_core.errors import InputError

HOST = digest("host")


def new_room(**given) -> Room:
    return Room("ABCDEF", [HOST], "en", **given)


def at_the_vote(collects: str = "") -> Room:
    room = new_room()
    while not (room.step.kind == "vote" if not collects else room.step.collects == collects):
        room.jump(room.at + 1)
    for browser in "abc":
        room.join(browser)
    return room


def told(found: str = "house", **values) -> Outcome:
    return Outcome(
        found, [("It looks at “{source}”.", {"source": found})], values, {"kind": "sentence", "source": [], "words": []}
    )


def test_nothing_is_shown_while_a_vote_is_open_and_one_vote_may_be_skipped():
    room = at_the_vote()
    room.happens(room.name(), told())
    for phase, choice in (("ask", 0), ("talk", 3)):
        assert room.phase == phase
        room.vote("a", room.at, phase, choice)
        seen = room.seen("en")
        assert (seen["counts"], seen["found"], seen["words"], seen["picture"]) == (None, None, [], None)
        assert seen["sentence"] == "" and seen["resting"] and seen["votes"] == {"cast": 1, "of": 1}
        room.go("next")
    seen = room.seen("en")
    assert room.phase == "shown" and seen["counts"] == {"ask": [1, 0, 0, 0], "talk": [0, 0, 0, 1]}
    assert seen["words"] == ["It looks at “house”."] and seen["choices"][seen["found"]] == "house" and not seen["resting"]
    skipped = at_the_vote()
    skipped.vote("a", skipped.at, "ask", 1)
    skipped.go("show")
    assert skipped.phase == "shown" and skipped.seen("en")["counts"] == {"ask": [0, 1, 0, 0]}
    with pytest.raises(RoomError, match="closed"):
        skipped.go("show")


def test_the_host_sees_the_first_split_once_it_is_closed_and_not_what_comes():
    room = at_the_vote()
    room.vote("a", room.at, "ask", 2)
    room.give_reason("a", room.at, "ask", 1)
    assert room.led()["split"] is None and room.led()["then"]["picture"] is None
    room.go("next")
    led = room.led()
    assert led["split"] == [0, 0, 1, 0] and led["reasons"] == [0, 1, 0, 0] and led["then"]["picture"] is None
    assert "split" not in room.seen("en")


def test_an_answer_that_has_been_shown_closes_its_vote_for_good():
    room = at_the_vote()
    at = room.at
    room.vote("a", at, "ask", 0)
    room.go("show")
    room.go("back")
    assert room.at == at - 1
    room.go("next")
    assert (room.at, room.phase) == (at, "shown"), "it is not opened again"
    for phase in ("ask", "talk", "shown"):
        with pytest.raises(RoomError, match="closed"):
            room.vote("b", at, phase, 1)
    room.jump(0)
    room.jump(at)
    assert (room.at, room.phase) == (at, "shown") and room.counts(at, "ask") == [1, 0, 0, 0]


def test_the_new_case_is_one_vote_and_has_an_outcome_of_its_own():
    room = at_the_vote()
    room.happens(room.name(), told())
    room.go("show")
    room.go("next")
    assert room.phase == "new" and room.seen("en")["question"] != room.step.question
    room.happens(room.name(), told("my"))
    room.vote("a", room.at, "new", 0)
    assert room.seen("en")["words"] == []
    room.go("next")
    seen = room.seen("en")
    assert room.phase == "decided" and seen["words"] == ["It looks at “my”."] and seen["counts"] == {"new": [1, 0, 0, 0]}
    room.go("back")
    assert room.phase == "shown"


def test_a_vote_can_be_changed_while_it_is_open_and_counts_once():
    room = at_the_vote()
    for choice in (0, 2, 1):
        room.vote("a", room.at, "ask", choice)
    assert room.counts(room.at, "ask") == [0, 1, 0, 0]
    for wrong in ((room.at, "talk"), (room.at - 1, "ask"), (room.at, None)):
        with pytest.raises(RoomError, match="closed"):
            room.vote("a", *wrong, 1)
    for wrong in (-1, 4, True, "1", None, 1.0):
        with pytest.raises(RoomError, match="nonsense"):
            room.vote("a", room.at, "ask", wrong)
        with pytest.raises(RoomError, match="nonsense"):
            room.give_reason("a", room.at, "ask", wrong)
    with pytest.raises(RoomError, match="unknown"):
        room.vote("somebody", room.at, "ask", 1)


def test_a_vote_can_be_started_again_while_it_is_open():
    room = at_the_vote()
    room.vote("a", room.at, "ask", 0)
    room.give_reason("a", room.at, "ask", 0)
    room.enter_paper([1, 1, 1, 1])
    room.start_again()
    assert room.counts(room.at, "ask") is None and not room.reasons
    room.go("show")
    with pytest.raises(RoomError, match="closed"):
        room.start_again()


def test_hands_count_as_well_also_in_how_many_have_voted_and_only_as_whole_numbers():
    room = at_the_vote()
    room.opened("a", 1)
    room.opened("b", 1)
    room.vote("a", room.at, "ask", 3)
    room.enter_paper([1, 0, 2, 5])
    assert room.counts(room.at, "ask") == [1, 0, 2, 6] and room.seen("en")["votes"] == {"cast": 9, "of": 10}
    for wrong in ([1], [1, 2, 3, -1], [1, 2, 3, 1e3], [True, 0, 0, 0], "1 2 3 4", [0, 0, 0, 10**6], None):
        with pytest.raises(RoomError):
            room.enter_paper(wrong)


def test_those_here_are_those_whose_stream_is_open():
    room = at_the_vote()
    for browser in ("a", "b", "stranger"):
        room.opened(browser, 1)
    room.opened("a", 1)
    assert room.number_here == 2 and room.seen("en")["people"] == 2
    room.opened("a", -1)
    assert room.number_here == 2
    room.opened("a", -1)
    assert room.number_here == 1 and len(room.people) == 3


def test_a_phone_that_comes_back_is_told_its_number_and_its_votes():
    room = at_the_vote()
    room.vote("b", room.at, "ask", 2)
    room.give_reason("b", room.at, "ask", 3)
    assert room.join("b") == {
        "number": 2,
        "votes": {f"{room.at} ask": 2},
        "reasons": {str(room.at): 3},
        "looks": {},
        "quiz": {},
    }
    assert room.join("a")["votes"] == {}


def test_a_room_that_is_full_has_a_place_for_somebody_where_one_is_gone(monkeypatch):
    monkeypatch.setattr(rooms, "MOST_PEOPLE", 3)
    room = at_the_vote()
    room.vote("a", room.at, "ask", 0)
    room.opened("b", 1)
    room.join("d")
    assert "c" not in room.people and room.people["d"] == 3, "c had gone without a vote"
    room.opened("d", 1)
    with pytest.raises(RoomError, match="full"):
        room.join("e")


def test_a_host_locks_a_room_and_goes_on_from_another_computer():
    room = at_the_vote()
    room.lock(True)
    with pytest.raises(RoomError, match="locked"):
        room.join("late")
    assert room.join("a")["number"] == 1, "who is in stays in"
    for wrong in ("", "ABC", None, 5, "\ud83c", room.key[:-1]):
        with pytest.raises(RoomError, match="wrong key"):
            room.admit("other", wrong)
    room.admit("other", f" {room.key.lower()} ")
    assert room.hosts == [HOST, "other"] and "key" not in room.seen("en") and room.led()["key"] == room.key


def test_a_host_goes_on_and_back_through_all_of_it_and_jumps():
    room, passed = new_room(), []
    while (place := room.following(1)) is not None:
        passed.append((room.at, room.phase))
        room.go("next")
        assert (room.at, room.phase) == place
    led = [at for at, step in enumerate(room.script) if not step.extra]
    assert sorted({at for at, _phase in passed} | {room.at}) == led
    room.go("next")
    assert room.step.kind == "keep", "at the end Next does nothing"
    returned = []
    while room.following(-1) is not None:
        room.go("back")
        returned.append((room.at, room.phase))
    is_shown = {place for place in passed if room.script[place[0]].kind == "vote" and place[1] in OPEN}
    assert is_shown and returned == [place for place in passed[::-1] if place not in is_shown]
    assert (room.at, room.phase) == (0, "before")
    for extra in (at for at, step in enumerate(room.script) if step.extra):
        room.jump(extra)
        assert room.at == extra
    for wrong in ("sideways", "show"):
        with pytest.raises(RoomError):
            room.go(wrong)
    for wrong in (-1, 99, True, "1", None):
        with pytest.raises(RoomError, match="nonsense"):
            room.jump(wrong)


def test_the_short_cut_leaves_steps_out_and_says_its_own_minutes():
    room = new_room(short=True)
    led, passed = room.led(), {room.at}
    while room.following(1) is not None:
        room.go("next")
        passed.add(room.at)
    assert len(passed) == 7 < len(room.script) and led["whole"] == 30
    assert new_room().led()["whole"] == 53


def test_what_is_said_holds_what_the_model_did_and_a_question_no_more_than_may_be_known():
    room = at_the_vote()
    room.jump(next(at for at, step in enumerate(room.script) if step.answer == "pronoun"))
    assert "…" in room.seen("en")["question"], "it is not known yet"
    room.happens(room.name(), told("stays", before="the cup", noun="cup", after="the jug"))
    question = room.seen("en")["question"]
    assert "“the cup”" in question and "jug" not in room.led()["say"]
    room.go("show")
    assert "“the jug”" in room.led()["say"] and room.step.of("shown").when["stays"] in room.led()["say"]


def test_a_phone_in_another_language_reads_the_question_in_it():
    room = at_the_vote()
    mine, others = room.seen("en"), room.seen("zh_CN")
    assert "maison" in mine["question"] and "maison" in others["question"] and "哪个词" in others["question"]
    assert others["choices"] == mine["choices"], "words of the sentence are what they are"
    assert room.seen("xx")["question"] == mine["question"]


def test_sentences_reach_the_projector_by_one_press_and_three_at_most():
    room = at_the_vote("sentences")
    room.go("next")
    for number in range(5):
        room.send_sentence("a", f"sentence {number}", {"kind": "sentence", "number": number})
    room.send_sentence("b", "sentence 0", {"kind": "sentence"})
    assert room.seen("en")["sent"] == 5 and room.seen("en")["on_screen"] == [], "nothing that the host has not pressed"
    for number in (1, 2, 3, 4, 2):
        room.put_on_screen(number)
    assert [each["number"] for each in room.seen("en")["on_screen"]] == [2, 3, 1]
    assert room.picture() == {"kind": "sentence", "number": 1}
    room.remove(2)
    assert room.on_screen == [3, 4]
    for wrong in (2, 99, True, "3", None):
        with pytest.raises(RoomError, match="nonsense"):
            room.put_on_screen(wrong)
    with pytest.raises(RoomError, match="not asked"):
        room.send_pair("a", "one", "un")


def test_the_thickest_line_that_changes_nothing_is_shown():
    room = at_the_vote("lines")
    room.go("next")
    for browser, query, thick in (("a", 0, 0.2), ("b", 1, 0.9), ("b", 1, 0.9), ("c", 0, 0.2)):
        room.find(browser, {"cut": [query, 0], "thick": thick, "kind": "sentence", "stays": True})
    assert len(room.finds) == 3 and room.seen("en")["finds"] == 2 and room.picture()["cut"] == [1, 0]


def test_pairs_are_taken_in_their_step_alone_and_none_is_public_until_the_host_ticks_it():
    room = at_the_vote("pairs")
    with pytest.raises(RoomError, match="unknown"):
        room.send_pair("somebody", "one", "un")
    for wrong in ((1, "un"), ("", ""), (None, None), ("\ud83c hello", "bonjour"), ("x" * 300, "y")):
        with pytest.raises(RoomError, match="nonsense"):
            room.send_pair("a", *wrong)
    with pytest.raises(InputError, match="from right to left"):
        room.send_pair("a", "peace", "שלום")
    room.send_pair("a", " one   cat ", "un <b>")
    room.send_pair("a", "two", "deux")
    assert room.picked == [] and room.seen("en")["sent"] == 2 and "all_sent" not in room.seen("en")
    room.pick(1, True)
    for wrong in (3, -1, True, "0"):
        with pytest.raises(RoomError, match="nonsense"):
            room.pick(wrong, False)
    assert room.picked == [("one cat", "un <b>")]
    for number in range(rooms.MOST_SENT_BY_ONE - 2):
        room.send_pair("a", f"number {number}", "n")
    with pytest.raises(RoomError, match="enough"):
        room.send_pair("a", "one more", "n")
    room.go("back")
    with pytest.raises(RoomError, match="not asked"):
        room.send_pair("b", "one", "un")


@pytest.mark.parametrize("wrong", ["\ud83c", "a \udfff b", "", "   ", "x" * 201, None, 5, ["a"], {"a": 1}])
def test_a_text_that_cannot_be_written_is_refused(wrong):
    assert text_of("  hello\n you ") == "hello you" and text_of("🐈") == "🐈"
    with pytest.raises(RoomError, match="nonsense"):
        text_of(wrong)


def test_a_question_that_was_asked_stays_in_the_worksheet_with_its_votes_though_nothing_was_shown():
    room = at_the_vote()
    room.vote("a", room.at, "ask", 1)
    room.jump(0)
    (asked,) = room.asked()
    assert asked["counts"] == {"ask": [0, 1, 0, 0]} and asked["outcome"] is None and asked["found"] is None
