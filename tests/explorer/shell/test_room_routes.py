"""Pins what the server does with what browsers send it: it is done, or refused with a name, and no stream falls silent."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from starlette.applications import Starlette

from explorer import i18n, limits
from explorer.rooms import outcomes, quiz
from explorer.rooms.lesson import packed
from explorer.rooms.outcomes import Outcome
from explorer.rooms.preparation import Preparation
from explorer.rooms.room import Room, digest
from explorer.rooms.rooms import Rooms
from explorer.rooms.script import Step
from explorer.runtime import addresses
from explorer.shell import room_routes, room_words
from explorer.shell.room_bundle import bundled, template
from explorer.shell.room_stream import Streams, Window, changes

SHELL = Path(room_routes.__file__).parent
COOKIE = "transformer_explorer_browser="


class Answer:
    def __init__(self, status: int, headers: dict[str, str], body: bytes):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self) -> str:
        return self.body.decode()

    @property
    def error(self) -> str:
        return str(json.loads(self.body).get("error"))


class House:
    """The routes of rooms on a server of their own, without a network."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(room_routes, "of_server", lambda: Rooms(tmp_path))
        monkeypatch.setattr(Preparation, "begin", lambda self: None)
        made = room_routes.routes()
        self.app = Starlette(routes=made)
        self.routes: room_routes.RoomRoutes = made[0].endpoint.__self__  # type: ignore[attr-defined]

    def ask(
        self, method: str, path: str, body: Any = b"", who: str | None = "host", address: str = "10.0.0.1", **headers: str
    ) -> Answer:
        return asyncio.run(self.asked(method, path, body, who, address, **headers))

    async def asked(
        self, method: str, path: str, body: Any = b"", who: str | None = "host", address: str = "10.0.0.1", **headers: str
    ) -> Answer:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        given = {"host": "here:8501"} | ({"cookie": COOKIE + who} if who is not None else {}) | headers
        path, _mark, query = path.partition("?")
        scope = {
            "type": "http",
            "method": method,
            "path": f"/room/{path}",
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [(name.replace("_", "-").encode(), value.encode("latin-1")) for name, value in given.items()],
            "client": (address, 1),
            "server": ("here", 8501),
            "scheme": "http",
            "root_path": "",
            "http_version": "1.1",
        }
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            return {"type": "http.request", "body": data, "more_body": False}

        async def send(message: Any) -> None:
            sent.append(message)

        await self.app(scope, receive, send)
        found = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return Answer(sent[0]["status"], found, b"".join(each.get("body", b"") for each in sent[1:]))

    def room(self, who: str = "host", language: str = "en") -> Room:
        answer = self.ask("POST", "new", f"lang={language}".encode(), who)
        assert answer.status == 303
        room = self.routes.rooms.get(answer.headers["location"].split("/")[0])
        assert room is not None
        return room


@pytest.fixture
def house(tmp_path, monkeypatch) -> House:
    return House(tmp_path, monkeypatch)


def to_step(room: Room, is_it: Any) -> None:
    room.jump(next(at for at, step in enumerate(room.script) if is_it(step)))


# --- A room is made ---


def test_a_room_is_made_by_a_press_and_not_by_an_address(house):
    assert house.ask("GET", "new").status == 200 and not house.routes.rooms._rooms
    room = house.room()
    assert room.hosts == [digest("host")] and house.room() is room
    assert house.ask("POST", "new", b"lang=zh_CN").headers["location"] != f"{room.code}/host"


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_a_room_is_made_of_a_lesson_and_a_wrong_one_is_told_by_its_place(house, language):
    steps = [
        Step("watch", str(number), 4.0, page="heads", view={"layer": "1"}, show=f"Look at {number}. " * 40)
        for number in range(40)
    ]
    word = packed(steps)
    door = house.ask("GET", f"new?lang={language}&lesson={word}")
    assert door.status == 200 and f'name="lesson" value="{word}"' in door.text and "40" in door.text
    made = house.ask("POST", "new", f"lang={language}&lesson={word}".encode())
    room = house.routes.rooms.get(made.headers["location"].split("/")[0])
    assert room.script[1:] == (*steps,) and room.script[0].kind == "join"
    room.jump(3)
    page, file = (house.ask("GET", f"{room.code}/{name}").text for name in ("kept", "file"))
    assert page.count("Look at 2.") == 40 and 'href="/heads?layer=1"' in page and "Look at 3." not in page
    assert "Look at 2." in file and "/heads" not in file
    for method, path, body in (("GET", f"new?lesson={word[:-5]}", b""), ("POST", "new", f"lesson={word[:-5]}".encode())):
        refused = house.ask(method, path, body)
        assert refused.status == 400 and "the end of the link is missing" in refused.text
    assert house.ask("GET", "new?lesson=<script>").status == 400
    assert "too long for a link" in house.ask("GET", f"new?lesson={'A' * 7000}").text


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_a_browser_without_cookies_is_told_so_in_one_sentence(house, language):
    answer = house.ask("POST", "new", f"lang={language}".encode(), who=None)
    assert answer.status == 403 and ("cookies" in answer.text or "Cookie" in answer.text) and "refresh" not in answer.text
    assert not house.routes.rooms._rooms
    room = house.room()
    for what in ("join", "vote", "say", "cut", "pair", "lead"):
        assert house.ask("POST", f"{room.code}/{what}", {}, who=None).error == "cookies"


def test_one_address_makes_some_rooms_a_minute_and_cannot_fill_the_server(house):
    made = [house.ask("POST", "new", b"", who=f"made{number}").status for number in range(30)]
    assert made.count(303) == 8 and set(made[8:]) == {429}
    assert house.ask("POST", "new", b"", who="teacher", address="10.0.0.2").status == 303


def test_a_class_behind_one_address_joins_at_once_and_made_up_cookies_cannot_fill_a_room(house):
    room = house.room()
    joined = [house.ask("POST", f"{room.code}/join", {}, who=f"phone{number}").status for number in range(140)]
    assert set(joined[:100]) == {200} and 429 in joined and len(room.people) < 140
    assert house.ask("POST", f"{room.code}/join", {}, who="phone3").status == 200, "who is in stays in"
    assert house.ask("POST", f"{room.code}/join", {}, who="late", address="10.0.0.2").status == 200


def test_guesses_at_codes_and_keys_are_slowed(house):
    room = house.room()
    codes = [house.ask("GET", f"ABCDE{letter}").status for letter in "ABCDEFGHJKMNPQRSTUVWXYZ23456789" * 2]
    assert codes[0] == 404 and codes[-1] == 429
    assert house.ask("GET", room.code).status == 200, "a room that is there is found"
    keys = [house.ask("POST", f"{room.code}/host", b"key=WRONG", who="other", address="10.0.0.9").status for _try in range(20)]
    assert keys[0] == 403 and keys[-1] == 429 and room.hosts == [digest("host")]


def test_another_computer_of_the_host_enters_the_key(house):
    room = house.room()
    page = house.ask("GET", f"{room.code}/host", who="other")
    assert page.status == 403 and 'name="key"' in page.text and room.key not in page.text
    assert house.ask("POST", f"{room.code}/host", f"key={room.key}".encode(), who="other").status == 303
    assert house.ask("GET", f"{room.code}/host", who="other").status == 200
    assert house.ask("POST", f"{room.code}/lead", {"go": "next"}, who="other").status == 200


def test_a_teacher_s_script_is_checked_on_the_page_that_opens_a_room(house, tmp_path, monkeypatch):
    file = tmp_path / "mine.toml"
    monkeypatch.setattr(limits, "ROOM_SCRIPT", str(file))
    assert house.ask("GET", "new").status == 503 and house.ask("POST", "new", b"").status == 503
    good = '[[step]]\nkind = "watch"\ntitle = "Look"\nminutes = 2\nsentence = "i love you"\n'
    file.write_text(good)
    assert "Your script was checked: the model reads its sentences" in house.ask("GET", "new").text
    file.write_text(good.replace("love", "dinosaur"))
    page = house.ask("GET", "new").text
    assert "Look at this before the class" in page and "<li>1. Look: " in page and "dinosaur" in page


# --- Whatever is sent ---

BODIES = [
    b"", b"[", b"[" * 2000, b'{"a":' * 300, b'"x"', b"\xff\xfe", b"null", b"[]", b"1e999", b"x" * 3000,
    b'{"go": 5}', b'{"step": 1e999, "phase": "ask", "choice": 1e999}', b'{"choice": ' + b"9" * 1900 + b"}",
    b'{"step": {"a": []}, "phase": [], "choice": null}', b'{"sentence": "\\ud83c hello", "send": true}',
    b'{"source": "\\ud83c hello", "answer": "bonjour"}', b'{"query": -1, "key": 10000000000000}', b'{"query": [], "key": {}}',
    b'{"sentence": 7}', b'{"sentence": ""}', b'{"paper": {}}', b'{"jump": -1}', b'{"jump": "x"}', b'{"lock": "yes"}',
    b'{"show": null}', b'{"remove": []}', b'{"pick": 1}', b'{"end": 1}', b'{"because": -5}',
]  # fmt: skip


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_no_body_ends_in_an_error_of_the_server(house, body):
    room = house.room()
    for collects in ("sentences", "lines", "pairs"):
        to_step(room, lambda step, collects=collects: step.collects == collects)
        for what in ("join", "vote", "say", "cut", "pair", "lead"):
            house.ask("POST", f"{room.code}/join", {})
            assert house.ask("POST", f"{room.code}/{what}", body).status in (200, 400, 409, 429), what
    for path in ("new", f"{room.code}/host"):
        assert house.ask("POST", path, body, who="somebody").status in (303, 403)
    assert house.routes.rooms.get(room.code) is room


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "[::1"},
        {"host": ""},
        {"host": "a:b:c"},
        {"host": "here:99999999"},
        {"host": "]"},
        {"origin": "http://[::1"},
        {"origin": "null"},
        {"origin": "x"},
        {"cookie": "=;;=\x01"},
        {"cookie": COOKIE + "\xff\xfe"},
        {"accept_language": ";;q=,"},
        {"accept_language": "zh" * 3000},
        {"x_forwarded_proto": "<script>"},
    ],
    ids=str,
)
def test_no_header_ends_in_an_error_of_the_server(house, headers):
    room = house.room()
    for path in (
        "new",
        room.code,
        f"{room.code}/screen",
        f"{room.code}/host",
        f"{room.code}/kept",
        f"{room.code}/file",
        "ZZZZZZ",
    ):
        answer = house.ask("GET", path, **headers)
        assert answer.status in (200, 403, 404) and "<script>://" not in answer.text, path
    for path in ("new", f"{room.code}/join", f"{room.code}/lead", f"{room.code}/host"):
        assert house.ask("POST", path, {}, **headers).status in (200, 303, 400, 403, 409), path


def test_pages_of_other_sites_change_nothing(house):
    room = house.room()
    for origin in ("https://elsewhere.example", "http://here:9999"):
        assert house.ask("POST", f"{room.code}/lead", {"go": "next"}, origin=origin).error == "origin"
        assert house.ask("POST", "new", b"", who="other", origin=origin).status == 403
    assert room.at == 0 and len(house.routes.rooms._rooms) == 1


def test_nobody_else_leads_and_one_browser_does_not_act_without_end(house):
    room = house.room()
    assert house.ask("POST", f"{room.code}/lead", {"go": "next"}, who="phone").error == "not the host"
    asked = [house.ask("POST", f"{room.code}/vote", {}, who="phone").status for _try in range(40)]
    assert asked[-1] == 429 and room.at == 0


def test_a_sentence_that_the_model_does_not_know_is_answered_in_the_phone_s_language(house):
    room = house.room()
    to_step(room, lambda step: step.collects == "sentences")
    house.ask("POST", f"{room.code}/join", {}, who="phone")
    said = [
        house.ask("POST", f"{room.code}/say", {"sentence": "the dinosaur sleeps"}, who="phone", accept_language=tongue)
        for tongue in ("en", "zh-CN")
    ]
    assert all(each.status == 409 and "dinosaur" in each.error for each in said) and said[0].error != said[1].error
    good = house.ask("POST", f"{room.code}/say", {"sentence": "i love you", "send": True}, who="phone")
    assert json.loads(good.body)["picture"]["source"] == ["i", "love", "you"]
    assert [each["sentence"] for each in room.sent] == ["i love you"] and room.seen("en")["on_screen"] == []


def test_a_line_that_changes_nothing_is_found_by_the_model_and_one_that_does_is_not(house):
    room = house.room()
    to_step(room, lambda step: step.collects == "lines")
    house.ask("POST", f"{room.code}/join", {}, who="phone")
    drawn = outcomes.sentence(room.step.sentence, "en")
    lines = [(query, key) for query, row in enumerate(drawn["weights"]) for key, weight in enumerate(row) if weight >= 0.06]
    told = [
        json.loads(house.ask("POST", f"{room.code}/cut", {"query": query, "key": key}, who="phone").body)
        for query, key in lines
    ]
    assert all(("words" in each["picture"]) for each in told)
    stays = [each["picture"]["words"] == drawn["words"] for each in told]
    assert [each["picture"]["stays"] for each in told] == stays and len(room.finds) == sum(stays) > 0 and not all(stays)
    assert house.ask("POST", f"{room.code}/cut", {"query": 0, "key": 5}, who="phone").status == 409, "no such line is drawn"


# --- Pages ---


def test_the_room_s_looks_write_the_sentence_and_several_phones_share_a_word(house):
    room = house.room()
    to_step(room, lambda step: step.collects == "looks")
    sentence = outcomes.sentence(room.step.sentence, "en")
    room.before[str(room.at)] = sentence
    people = [f"phone{number}" for number in range(1, 9)]
    for person in people:
        assert house.ask("POST", f"{room.code}/join", {}, who=person).status == 200

    def look(person: int, keys: list[Any], step: int | None = None) -> Answer:
        body = {"step": room.at if step is None else step, "keys": keys}
        return house.ask("POST", f"{room.code}/look", body, who=people[person - 1])

    assert look(1, [0]).error == "closed", "the host has not asked yet"
    room.go("next")
    assert room.seen("en")["picture"]["words"] == ["…"] * 7 and room.seen("en")["own_words"][1] == ["chat", "cat"]
    assert json.loads(look(2, [2]).body)["word"] == "chat"
    assert json.loads(look(2, [6]).body)["word"] == "lit", "a later look replaces the first"
    assert room.seen("en")["picture"]["words"] == ["…", "lit", *["…"] * 5] and room.seen("en")["written"] == 1
    assert json.loads(look(8, [0]).body)["word"] == "le"  # the first word again
    assert json.loads(look(1, [3]).body)["word"] and room.rows[str(room.at)]["0"]["weights"] == [0.5, 0, 0, 0.5, 0, 0, 0]
    for wrong in ([], [7], [-1], [2, 2], ["2"], [True], "2"):
        assert look(3, wrong).error == "nonsense", wrong
    assert look(3, [1], step=0).error == "closed"
    assert json.loads(house.ask("POST", f"{room.code}/join", {}, who=people[1]).body)["looks"] == {str(room.at): [6]}
    room.go("next")
    over = room.seen("en")["picture"]
    assert over["before"] == sentence["words"] and over["words"][1] == "lit" and over["words"][2:] == sentence["words"][2:]


def test_the_same_questions_before_and_after_leave_only_counts(house):
    room = house.room()
    room.questions = quiz.questions("en")
    first, last = room.quizzes
    for phone in ("one", "two", "three"):
        house.ask("POST", f"{room.code}/join", {}, who=phone)

    def answer(phone: str, question: int, choice: int) -> Answer:
        body = {"step": room.at, "question": question, "choice": choice}
        return house.ask("POST", f"{room.code}/answer", body, who=phone)

    right = room.questions[0].right
    wrong = (right + 1) % len(room.questions[0].choices)
    room.jump(first)
    assert [each["question"] for each in room.seen("en")["quiz"]["asked"]] == [each.question for each in room.questions]
    assert "right" not in json.dumps(room.seen("en")["quiz"]["asked"])
    assert json.loads(answer("one", 0, right).body) == {"answered": 1}
    assert answer("one", 0, wrong).error == "closed", "what was said stays"
    assert answer("one", 1, 99).error == "nonsense"
    answer("two", 0, wrong)
    answer("three", 0, wrong)
    room.jump(last)
    answer("one", 0, right)
    answer("two", 0, right)
    assert room.seen("en")["quiz"]["counts"] == []
    room.go("next")
    (told, *_others) = room.seen("en")["quiz"]["counts"]
    assert (told["both"], told["both_before_right"], told["both_after_right"]) == (2, 1, 2)
    table = house.ask("GET", f"{room.code}/answers.csv", who="host")
    assert table.status == 200 and table.body.decode("utf-8-sig").splitlines()[1].endswith(",3,1,2,2,2,1,2")
    assert house.ask("GET", f"{room.code}/answers.csv", who="one").status == 404, "it is the host's"
    assert json.loads(house.ask("POST", f"{room.code}/join", {}, who="two").body)["quiz"] == {str(first): 1, str(last): 1}


def test_a_phone_reads_its_own_language_and_the_projector_that_of_the_room(house):
    room = house.room()
    for path, accepted, language in (
        (room.code, "zh-CN,zh;q=0.9", "zh-CN"),
        (room.code, "en-GB", "en"),
        (room.code, "de", "en"),
        (f"{room.code}/screen", "zh-CN", "en"),
    ):
        assert f'<html lang="{language}">' in house.ask("GET", path, accept_language=accepted).text
    other = house.room("other", "zh_CN")
    assert '<html lang="zh-CN">' in house.ask("GET", other.code, accept_language="de").text
    assert '<html lang="en">' in house.ask("GET", other.code, accept_language="en").text


def test_the_square_leads_where_phones_can_reach_the_server(house, monkeypatch):
    room = house.room()
    path, reached = f"{room.code}/screen", "10.1.2.3"
    monkeypatch.setattr(addresses, "on_the_network", lambda: reached)

    def shown(host: str) -> tuple[bool, bool]:
        page = house.ask("GET", path, host=host).text
        return "<svg" in page.partition("<script")[0], f"{reached}:8501/room/{room.code}" in page

    bound = dict.fromkeys(("server.address",), None)
    monkeypatch.setattr(st, "get_option", bound.get)
    assert shown("localhost:8501") == (True, True) and shown("school.example") == (True, False)
    bound["server.address"] = "127.0.0.1"
    assert shown("localhost:8501") == (False, False) and '"reachable": false' in house.ask("GET", path, host="localhost:1").text
    assert shown("school.example") == (True, False), "a proxy in front is reached by its own name"
    monkeypatch.setattr(limits, "PUBLIC_ADDRESS", "https://school.example/tool/")
    assert f"school.example/tool/room/{room.code}" in house.ask("GET", path, host="localhost:8501").text


def test_what_is_kept_outlives_the_room_and_a_file_says_nobody_s_votes(house):
    room = house.room()
    to_step(room, lambda step: step.answer == "looks")
    house.ask("POST", f"{room.code}/join", {}, who="phone")
    assert house.ask("POST", f"{room.code}/vote", {"step": room.at, "phase": "ask", "choice": 2}, who="phone").status == 200
    assert house.ask("POST", f"{room.code}/vote", {"step": room.at, "phase": "ask", "because": 0}, who="phone").status == 200
    room.happens(room.name(), outcomes.looks(room.case(), "en"))
    page = house.ask("GET", f"{room.code}/kept", who="phone").text
    assert "white" in page and "97%" not in page, "the answer has not been shown"
    assert house.ask("POST", f"{room.code}/lead", {"go": "show"}).status == 200
    assert house.ask("POST", f"{room.code}/lead", {"end": True}).status == 200
    assert house.ask("GET", room.code, who="phone").headers["location"] == f"/room/{room.code}/kept"
    page = house.ask("GET", f"{room.code}/kept", who="phone")
    assert page.status == 200 and "You: first vote: white (it stands in the same place)" in page.text and "97%" in page.text
    file = house.ask("GET", f"{room.code}/file", who="phone")
    assert f"room-{room.code}-{room.day}.html" in file.headers["content-disposition"]
    assert (
        "97%" in file.text
        and "You:" not in file.text
        and "download" not in file.text
        and "http" not in file.text.replace("http://www.w3.org", "")
    )


@pytest.mark.parametrize("text", ["</script><script>alert(1)</script>", "<b>\ud83c", "\u2028"])
def test_no_text_breaks_out_of_a_page(house, text):
    room = house.room()
    to_step(room, lambda step: step.answer == "looks")
    room.happens(room.name(), Outcome("house", [("{x}", {"x": text})], {}, {"kind": "sentence", "source": [text], "words": []}))
    room.go("show")
    for path in (f"{room.code}/kept", f"{room.code}/file"):
        page = house.ask("GET", path)
        assert page.status == 200 and page.text.count("<script") == 1 and page.text.count("</script") == 1


# --- Streams ---


def told_by(data: str) -> dict[str, Any]:
    return json.loads(data.removeprefix("data: "))


def test_a_window_is_told_all_at_first_and_then_what_is_new(house):
    room = house.room()

    async def listen() -> list[dict[str, Any]]:
        streams, told = Streams(house.routes.rooms), []
        stream = streams.tell(room, Window("en", browser="a"))
        told.append(told_by(await anext(stream)))
        room.join("a")
        streams.announce(room)
        told.append(told_by(await anext(stream)))
        room.go("next")
        streams.announce(room)
        told.append(told_by(await anext(stream)))
        assert room.number_here == 1 and streams._listeners == {room.code: 1}
        house.routes.rooms.end(room)
        streams.announce(room)
        told.append(told_by(await anext(stream)))
        await stream.aclose()
        assert room.here == {} and not any([streams._listeners, streams._hosts, streams._states, streams._texts])
        return told

    first, joined, turned, over = asyncio.run(listen())
    assert first["all"] and first["title"] == "Join with your phone" and not first["host"]
    assert joined == {"version": joined["version"], "people": 1} and "title" not in turned and turned["phase"] == "during"
    assert over == {"over": True}


def test_a_window_that_comes_anew_is_told_all_of_it_beside_those_that_are_there(house):
    room = house.room()

    async def listen() -> None:
        streams = Streams(house.routes.rooms)
        one, other = (streams.tell(room, Window("en")) for _window in range(2))
        assert told_by(await anext(one))["all"]
        assert told_by(await anext(other))["all"]
        room.go("next")
        streams.announce(room)
        assert "all" not in told_by(await anext(one)) and "all" not in told_by(await anext(other))
        third = streams.tell(room, Window("en", leads=True))
        told = told_by(await anext(third))
        assert told["all"] and told["host"] and told["key"] == room.key
        assert told_by(await anext(one))["host"]
        for stream in (one, other, third):
            await stream.aclose()

    asyncio.run(listen())


def test_curves_that_grow_are_sent_as_their_new_points():
    before = {"a": 1, "curves": [[(10, 0.1)], []]}
    grown = {"a": 1, "curves": [[(10, 0.1), (20, 0.2)], [(10, 0.3)]]}
    assert changes(before, grown) == {"more": [[(20, 0.2)], [(10, 0.3)]]}
    assert changes(before, {"a": 2, "curves": [[(10, 0.5)], []]}) == {"a": 2, "curves": [[(10, 0.5)], []]}
    assert changes(grown, {"a": 1, "curves": None}) == {"curves": None} and changes(grown, grown) == {}


def test_one_faulty_item_silences_no_stream(house):
    """Half a character cannot be sent any more; what an older server has kept may hold one."""
    room = house.room()
    room.sent.append(
        {"id": 1, "by": 1, "sentence": "\ud83c", "picture": {"kind": "sentence", "source": ["\ud83c"], "words": []}}
    )
    to_step(room, lambda step: step.collects == "sentences")
    room.put_on_screen(1)

    async def listen() -> str:
        stream = Streams(house.routes.rooms).tell(room, Window("en", leads=True))
        data = await anext(stream)
        await stream.aclose()
        return data

    assert told_by(asyncio.run(listen()).encode().decode())["all_sent"][0]["sentence"] == "?"


def test_a_stream_that_cannot_be_had_says_why(house, monkeypatch):
    room = house.room()
    monkeypatch.setattr(Streams, "is_full", lambda *_given: True)
    full, gone = house.ask("GET", f"{room.code}/events"), house.ask("GET", "GHJKMN/events")
    assert b'"full": true' in full.body and b'"over": true' in gone.body and b"retry:" in full.body
    assert full.headers["content-type"].startswith("text/event-stream")


def test_one_browser_cannot_take_all_streams_of_a_room(house):
    room, streams = house.room(), Streams(house.routes.rooms)
    for _window in range(12):
        assert not streams.is_full(room, "a")
        room.opened("a", 1)
    assert streams.is_full(room, "a") and not streams.is_full(room, "b")


def test_changes_are_written_down_once_for_many(house, tmp_path, monkeypatch):
    room, written = house.room(), []
    monkeypatch.setattr(room_routes, "_KEEP", 0.01)
    keep = house.routes.rooms.keep
    monkeypatch.setattr(house.routes.rooms, "keep", lambda room: (written.append(room.version), keep(room)))

    async def many() -> None:
        for number in range(30):
            await house.asked("POST", f"{room.code}/join", {}, who=f"phone{number}")
        await asyncio.sleep(0.1)

    asyncio.run(many())
    assert 1 <= len(written) < 15 and written[-1] == room.version
    assert len(Rooms(tmp_path).get(room.code).people) == 30


# --- Words and scripts ---


@pytest.mark.parametrize("language", i18n.LANGUAGES)
def test_every_refusal_has_a_sentence_and_the_pages_use_every_word(language):
    sources = [Path(room_routes.__file__), SHELL.parent / "rooms" / "room.py", SHELL.parent / "rooms" / "rooms.py"]
    names = {name for path in sources for name in re.findall(r'RoomError\("([^"]+)"|"error": "([^"]+)"', path.read_text())}
    scripts = "".join(map(template, (*room_routes._MODULES, "kept.js")))
    with i18n.speaking(language):
        said, refused = room_words.words(), room_words.refusals()
    elsewhere = {"too many"}  # it has a page of its own
    assert {one or other for one, other in names} - elsewhere <= refused.keys()
    used = set(re.findall(r"(?<![.\w])(?:words|said)\.(\w+)", scripts)) - {
        "length",
        "map",
        "join",
        "entries",
    }  # of lists of words
    phases = {name for name in said if name.startswith("phase_")}
    assert used == said.keys() - refused.keys() - phases | {"over", "crowded"}


@pytest.mark.parametrize("modules", [room_routes._MODULES, ("pictures.js", "kept.js")])
def test_the_modules_of_a_page_fit_into_one(modules):
    text = bundled(*modules)
    names = re.findall(r"^(?:async )?(?:function|const|let) (\w+)", text, re.MULTILINE)
    assert len(names) == len(set(names)) > 10 and not re.search(r"^(import|export) ", text, re.MULTILINE)
