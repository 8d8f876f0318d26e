"""A room: where it is in its script, who is there, how they voted, and what each screen is told.

Rooms live in the event loop of one server; all that computes runs in threads. Everything is bounded, and nothing personal is
kept: a browser is known by a digest of its cookie, and by its number in the room.
"""

import hashlib
import re
import secrets
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from explorer import i18n
from explorer.rooms import experiments
from explorer.rooms.lesson import led as led_through
from explorer.rooms.outcomes import Outcome, Picture, choice_of
from explorer.rooms.quiz import Counted, Question, as_csv, counted
from explorer.rooms.script import OPEN, TOLD, Case, Step, script_of
from transformer_core.data import pairs
from transformer_core.data.pair_rows import tidy
from transformer_core.errors import InputError

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is taken for another
CODE, KEY = 6, 10  # letters of a room's code, and of the key that lets its host go on from another computer
MOST_PEOPLE, MOST_PAPER, MOST_HOSTS = 200, 500, 5
MOST_SENT, MOST_SENT_BY_ONE = 200, 20  # sentences, pairs and lines that phones have sent
ON_SCREEN = 3  # sentences of the room on the projector at once
_LONGEST = 200  # letters of a sentence
_EARLY = {"pronoun": ("before", "noun", "share")}  # what a question may say before its outcome is shown
_WRITTEN = (
    "hosts", "key", "language", "lesson", "short", "locked", "at", "phase", "reached", "people", "votes", "reasons", "paper",
    "outcomes", "sent", "finds", "looks", "rows", "quiz", "on_screen", "day", "over",
)  # fmt: skip


class RoomError(ValueError):
    """Raised for what cannot be done in a room; its text is a name, for which the pages have a sentence."""


@dataclass
class Room:
    """One room.

    Attributes:
        hosts: digests of the browsers that lead it; key: makes another browser one of them.
        lesson: one that it goes through in place of the server's script, as a link has it; "" none.
        short: whether it goes through the short cut of its script; locked: whether nobody new may join.
        at: the step, from 0; phase: the name of a phase of it; reached: by step, how many of its phases have been reached.
        people: numbers from 1, by the digests of their browsers; here: how many streams each has open.
        votes: by step and phase, a choice by the person's number; reasons: by step, likewise; paper: counts of raised hands
            that the host entered, by step and phase.
        outcomes: what happens, by step, and by step and "new" for a new case; known before it is shown. before: pictures of an
            open vote, likewise.
        sent: sentences and pairs that phones sent; finds: lines that can be cut without a change; on_screen: the numbers of
            those sentences that the projector shows.
        looks: where phones let their word look, by step and the person's number; rows: by step and word, what is written with
            the mean of those who have it.
        quiz: choices of the questions of the bank, by step and the person's number; questions: of the bank, once known.
        day: on which it was opened; over: whether it has ended, and only what is kept of it can be read.
        growing: of models that learn, by case: their picture and their curves so far; waits: how many are ready, of how many,
            and the seconds that the others will take; troubles: why a case cannot be computed.
        version: grows with every change; touched: when the last one was, on a clock that never jumps.
    """

    code: str
    hosts: list[str]
    language: str
    key: str = field(default_factory=lambda: word(KEY))
    lesson: str = ""
    short: bool = False
    locked: bool = False
    at: int = 0
    phase: str = ""
    reached: dict[str, int] = field(default_factory=dict)
    people: dict[str, int] = field(default_factory=dict)
    votes: dict[str, dict[str, int]] = field(default_factory=dict)
    reasons: dict[str, dict[str, int]] = field(default_factory=dict)
    paper: dict[str, list[int]] = field(default_factory=dict)
    outcomes: dict[str, dict[str, Any]] = field(default_factory=dict)
    sent: list[dict[str, Any]] = field(default_factory=list)
    finds: list[dict[str, Any]] = field(default_factory=list)
    looks: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    rows: dict[str, dict[str, dict[str, Any]]] = field(default_factory=dict)
    quiz: dict[str, dict[str, list[int]]] = field(default_factory=dict)
    on_screen: list[int] = field(default_factory=list)
    day: str = field(default_factory=lambda: time.strftime("%Y-%m-%d"))
    over: bool = False

    def __post_init__(self) -> None:
        self.script: Sequence[Step] = led_through(self.lesson, self.language) if self.lesson else script_of(self.language)
        self.at = min(self.at, len(self.script) - 1)
        if self.phase not in self.step.phases:
            self.phase = self.step.phases[0]
        self.here: dict[str, int] = {}
        self.before: dict[str, Picture] = {}
        self.questions: Sequence[Question] = ()
        self.growing: dict[str, tuple[Picture, list[experiments.Curve]]] = {}
        self.waits: dict[str, dict[str, int]] = {}
        self.troubles: dict[str, InputError] = {}
        self.unkept = False  # whether it could not be written down
        self.version = 0
        self.touched = self.began = self.turned = time.monotonic()
        self._reach()

    # --- Where it is ---

    @property
    def step(self) -> Step:
        return self.script[self.at]

    @property
    def is_asking(self) -> bool:
        """True if a vote is open: until it is over, nothing may show what decides it."""
        return self.step.kind == "vote" and self.phase in OPEN

    @property
    def is_new(self) -> bool:
        return self.phase in ("new", "decided")

    def case(self, at: int | None = None, is_new: bool | None = None) -> Case | None:
        """Returns what is asked: at the step on screen, unless another is named."""
        step = self.step if at is None else self.script[at]
        return step.new if (self.is_new if is_new is None else is_new) else step.asked

    def name(self, at: int | None = None, is_new: bool | None = None) -> str:
        """Returns the key of a case in `outcomes`."""
        return f"{self.at if at is None else at}{' new' if (self.is_new if is_new is None else is_new) else ''}"

    def outcome(self, name: str) -> Outcome | None:
        """Returns what happens in a case; None while it is not known."""
        outcome = self.outcomes.get(name)
        return None if outcome is None else Outcome(**outcome)

    def cases(self) -> Iterator[tuple[str, Case, int]]:
        """Yields everything that the script asks: its key, the case and the step."""
        for at, step in enumerate(self.script):
            for is_new, case in ((False, step.asked), (True, step.new)):
                if case is not None:
                    yield self.name(at, is_new), case, at

    def is_shown(self, name: str) -> bool:
        """Returns whether the outcome of a case has been shown."""
        at, _space, new = name.partition(" ")
        phases = self.script[int(at)].phases
        told = "decided" if new else "shown"
        return told in phases and self.reached.get(at, 0) > phases.index(told)

    def touch(self) -> None:
        """Notes a change."""
        self.version += 1
        self.touched = time.monotonic()

    def go(self, way: str) -> None:
        """Goes on or back, or shows at once what happens ("show"). Raises RoomError for another way."""
        if way == "show":
            if not self.is_asking:
                raise RoomError("closed")
            self._turn(self.at, TOLD[self.phase])
        elif way in ("next", "back"):
            if (place := self.following(1 if way == "next" else -1)) is not None:
                self._turn(*place)
        else:
            raise RoomError("nonsense")

    def jump(self, at: object) -> None:
        """Goes to a step: where it has been left, or to its beginning. Raises RoomError for another."""
        if type(at) is not int or not 0 <= at < len(self.script):
            raise RoomError("nonsense")
        phases = self.script[at].phases
        left = max(self.reached.get(str(at), 1), 1) - 1
        self._turn(at, next(name for name in (*phases[left:], *reversed(phases)) if not self._is_past(at, name)))

    def following(self, way: int) -> tuple[int, str] | None:
        """Returns the place after this one, or before it; None at the end. A vote that has been shown is not opened again."""
        places = [
            (at, phase)
            for at, step in enumerate(self.script)
            if at == self.at or self.is_led_through(step)
            for phase in step.phases
        ]
        here = places.index((self.at, self.phase))
        ahead = places[here + 1 :] if way > 0 else places[:here][::-1]
        return next((place for place in ahead if not self._is_past(*place)), None)

    def is_led_through(self, step: Step) -> bool:
        """Returns whether Next comes to a step, also in the short cut of the script."""
        return not step.extra and (not self.short or step.short > 0)

    def _is_past(self, at: int, phase: str) -> bool:
        told = TOLD.get(phase) if self.script[at].kind == "vote" else None
        return told is not None and self.is_shown(self.name(at, told == "decided"))

    def _turn(self, at: int, phase: str) -> None:
        if (self.at, self.phase) == (0, self.script[0].phases[0]):
            self.began = time.monotonic()
        self.at, self.phase, self.turned = at, phase, time.monotonic()
        self._reach()
        self.touch()

    def _reach(self) -> None:
        name = str(self.at)
        self.reached[name] = max(self.reached.get(name, 0), self.step.phases.index(self.phase) + 1)

    # --- Who is there ---

    def join(self, browser: str) -> dict[str, Any]:
        """Returns the person's number and votes. Raises RoomError if the room is locked or full of people who are there or have
        voted."""
        if browser not in self.people:
            if self.locked:
                raise RoomError("locked")
            if len(self.people) >= MOST_PEOPLE:
                self._make_place()
            self.people[browser] = max(self.people.values(), default=0) + 1
            self.touch()
        number = str(self.people[browser])
        mine = {name: votes[number] for name, votes in self.votes.items() if number in votes}
        why = {name: votes[number] for name, votes in self.reasons.items() if number in votes}
        looks = {name: given[number] for name, given in self.looks.items() if number in given}
        quiz = {name: len(given[number]) for name, given in self.quiz.items() if number in given}
        return {"number": self.people[browser], "votes": mine, "reasons": why, "looks": looks, "quiz": quiz}

    def _make_place(self) -> None:
        cast = {number for votes in self.votes.values() for number in votes}
        gone = next((each for each, number in self.people.items() if str(number) not in cast and not self.here.get(each)), None)
        if gone is None:
            raise RoomError("full")
        del self.people[gone]

    def opened(self, browser: str | None, by: int) -> None:
        """Notes that a stream of a phone has been opened (1) or closed (-1)."""
        if browser is not None:
            self.here[browser] = self.here.get(browser, 0) + by
            if self.here[browser] <= 0:
                del self.here[browser]

    @property
    def number_here(self) -> int:
        """How many people's phones are connected now."""
        return sum(browser in self.people for browser in self.here)

    def admit(self, browser: str, key: object) -> None:
        """Makes a browser one that leads the room. Raises RoomError for a wrong key."""
        if not isinstance(key, str) or not secrets.compare_digest(
            key.strip().upper().encode("utf-8", "replace"), self.key.encode()
        ):
            raise RoomError("wrong key")
        if browser not in self.hosts:
            self.hosts = [*self.hosts, browser][-MOST_HOSTS:]
        self.touch()

    def lock(self, on: bool) -> None:
        """Lets nobody new join, or again everybody."""
        self.locked = on
        self.touch()

    # --- Votes ---

    def vote(self, browser: str, step: object, phase: object, choice: object) -> None:
        """Takes a vote for the step on screen; a later one replaces it. Raises RoomError for anything else."""
        case = self._asked_now(browser, step, phase)
        self.votes.setdefault(self._round(), {})[self._number(browser)] = _place(choice, len(case.choices))
        self.touch()

    def give_reason(self, browser: str, step: object, phase: object, reason: object) -> None:
        """Takes the reason for a vote, likewise."""
        self._asked_now(browser, step, phase)
        self.reasons.setdefault(str(self.at), {})[self._number(browser)] = _place(reason, len(self.step.because))
        self.touch()

    def enter_paper(self, counts: object) -> None:
        """Takes the counts of hands for this round. Raises RoomError for anything but whole numbers, one for each choice."""
        case = self.case()
        if case is None or not self.is_asking:
            raise RoomError("closed")
        if not isinstance(counts, list) or len(counts) != len(case.choices):
            raise RoomError("nonsense")
        if not all(type(count) is int and 0 <= count <= MOST_PAPER for count in counts):
            raise RoomError("counts")
        self.paper[self._round()] = counts
        self.touch()

    def start_again(self) -> None:
        """Begins the open round of a vote anew. Raises RoomError where none is open."""
        if not self.is_asking:
            raise RoomError("closed")
        self.votes.pop(self._round(), None)
        self.paper.pop(self._round(), None)
        if self.phase == "ask":
            self.reasons.pop(str(self.at), None)
        self.touch()

    def counts(self, at: int, phase: str) -> list[int] | None:
        """Counts the votes of a round of a step, hands included; None if there was none."""
        case, name = self.case(at, phase == "new"), f"{at} {phase}"
        if case is None or not (self.votes.get(name) or any(self.paper.get(name, []))):
            return None
        cast, hands = [*self.votes.get(name, {}).values()], self.paper.get(name, [0] * len(case.choices))
        return [cast.count(choice) + hands[choice] for choice in range(len(case.choices))]

    def _asked_now(self, browser: str, step: object, phase: object) -> Case:
        if browser not in self.people:
            raise RoomError("unknown")
        case = self.case()
        if case is None or step != self.at or phase != self.phase or not self.is_asking:
            raise RoomError("closed")
        return case

    def _number(self, browser: str) -> str:
        return str(self.people[browser])

    def _round(self) -> str:
        return f"{self.at} {self.phase}"

    # --- Questions before and after ---

    def answer(self, browser: str, step: object, question: object, choice: object) -> int:
        """Takes a choice for the next question of the bank. Returns how many this phone has answered. Raises RoomError for
        anything else: a choice cannot be changed."""
        if browser not in self.people:
            raise RoomError("unknown")
        if self.step.kind != "quiz" or self.phase != "during" or step != self.at or not self.questions:
            raise RoomError("closed")
        mine = self.quiz.setdefault(str(self.at), {}).setdefault(self._number(browser), [])
        if question != len(mine):
            raise RoomError("closed")
        mine.append(_place(choice, len(self.questions[len(mine)].choices)))
        self.touch()
        return len(mine)

    @property
    def quizzes(self) -> list[int]:
        """The steps that ask the questions of the bank: the first before, the last after."""
        return [at for at, step in enumerate(self.script) if step.kind == "quiz"]

    def _twice(self) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
        steps = self.quizzes
        first, last = (self.quiz.get(str(steps[at]), {}) if steps else {} for at in (0, -1))
        return first, last if len(steps) > 1 else {}

    def quiz_table(self) -> str:
        """Returns the counts of both times as CSV: no person can be told from it."""
        return as_csv(self.questions, *self._twice())

    def _quiz(self) -> dict[str, Any]:
        """Returns what screens are told of the questions: what is right only after the last time."""
        if self.step.kind != "quiz":
            return {}
        given = self.quiz.get(str(self.at), {})
        asked = [{"question": each.question, "choices": each.choices, "sentence": each.sentence} for each in self.questions]
        told: list[Counted] = []
        if self.phase == "after" and self.at == self.quizzes[-1]:
            told = counted(self.questions, *self._twice())
        return {
            "asked": asked if self.phase == "during" else [],
            "all": len(self.questions),
            "done": sum(len(each) == len(self.questions) for each in given.values()),
            "counts": [asdict(each) | {"title": question.title} for each, question in zip(told, self.questions, strict=False)],
        }

    # --- What phones send ---

    def check_may_send(self, browser: str, kind: str) -> None:
        """Raises RoomError if a phone may not send such a thing now."""
        if browser not in self.people:
            raise RoomError("unknown")
        if self.step.collects != kind:
            raise RoomError("not asked")
        mine = [each for each in (*self.sent, *self.finds) if each["by"] == self.people[browser]]
        if len(mine) >= MOST_SENT_BY_ONE or len(self.sent) >= MOST_SENT:
            raise RoomError("enough")

    def send_pair(self, browser: str, source: object, answer: object) -> None:
        """Takes a pair of sentences. Raises RoomError, and InputError for a pair that cannot be learned."""
        self.check_may_send(browser, "pairs")
        table = pairs.of_rows([(tidy(text_of(source)), tidy(text_of(answer)))])
        if table.faults:
            raise table.faults[0]
        if not table.pairs:
            raise RoomError("nonsense")
        self._take(browser, {"pair": list(table.pairs[0]), "picked": False})

    def send_sentence(self, browser: str, sentence: str, picture: Picture) -> None:
        """Takes a sentence, with its picture."""
        self.check_may_send(browser, "sentences")
        if not any(each.get("sentence") == sentence for each in self.sent):
            self._take(browser, {"sentence": sentence, "picture": picture})

    def find(self, browser: str, picture: Picture) -> None:
        """Takes a line that has been cut without a change."""
        self.check_may_send(browser, "lines")
        line = {"by": self.people[browser], "line": picture["cut"]}
        if not any(each["by"] == line["by"] and each["line"] == line["line"] for each in self.finds):
            self.finds.append(line | {"thick": picture["thick"], "picture": picture})
            self.touch()

    def take_look(self, browser: str, step: object, keys: object) -> tuple[int, int]:
        """Takes the words that a phone lets its own word look at, half each of two. Returns the step and the place of its word
        in the answer: people take turns. Raises RoomError for anything else."""
        self.check_may_send(browser, "looks")
        drawn = self.before.get(str(self.at))
        if step != self.at or self.phase != "during" or drawn is None:
            raise RoomError("closed")
        count = len(drawn["source"])
        if not isinstance(keys, list) or not 1 <= len(keys) <= count or len({_place(key, count) for key in keys}) < len(keys):
            raise RoomError("nonsense")
        self.looks.setdefault(str(self.at), {})[self._number(browser)] = keys
        self.touch()
        return self.at, self._own_row(self.people[browser], self.at)

    def given_row(self, at: int, query: int) -> tuple[float, ...]:
        """Returns the mean of the looks of all who have a word."""
        count = len(self.before[str(at)]["source"])
        given = [keys for number, keys in self.looks[str(at)].items() if self._own_row(int(number), at) == query]
        return tuple(sum((key in keys) / len(keys) for keys in given) / len(given) for key in range(count))

    def row_weights(self, at: int, query: int) -> tuple[float, ...] | None:
        """Returns the weights with which a word was last written; None while it was not."""
        row = self.rows.get(str(at), {}).get(str(query))
        return None if row is None else tuple(row["weights"])

    def write_row(self, at: int, query: int, row: dict[str, Any]) -> None:
        """Keeps what is written with a row: its word, the gloss, and the weights."""
        self.rows.setdefault(str(at), {})[str(query)] = row
        self.touch()

    def _own_row(self, number: int, at: int) -> int:
        return (number - 1) % len(self.before[str(at)]["words"])

    def _take(self, browser: str, what: dict[str, Any]) -> None:
        number = max((each["id"] for each in self.sent), default=0) + 1
        self.sent.append({"id": number, "by": self.people[browser]} | what)
        self.touch()

    def pick(self, number: object, on: object) -> None:
        """Picks a pair for the model to learn, or leaves it out. Raises RoomError for another."""
        self._sent(number)["picked"] = bool(on)
        self.touch()

    def remove(self, number: object) -> None:
        """Removes a sentence or a pair. Raises RoomError for another."""
        gone = self._sent(number)
        self.sent.remove(gone)
        self.on_screen = [each for each in self.on_screen if each != gone["id"]]
        self.touch()

    def put_on_screen(self, number: object) -> None:
        """Shows a sentence on the projector, the newest of three. Raises RoomError for another."""
        shown = self._sent(number)
        if "sentence" not in shown:
            raise RoomError("nonsense")
        self.on_screen = [*[each for each in self.on_screen if each != shown["id"]], shown["id"]][-ON_SCREEN:]
        self.touch()

    def _sent(self, number: object) -> dict[str, Any]:
        if type(number) is int and (sent := next((each for each in self.sent if each["id"] == number), None)) is not None:
            return sent
        raise RoomError("nonsense")

    @property
    def picked(self) -> list[pairs.Pair]:
        """The pairs that the host has picked."""
        return [(each["pair"][0], each["pair"][1]) for each in self.sent if each.get("picked")]

    # --- What is computed ---

    def happens(self, name: str, outcome: Outcome) -> None:
        """Keeps what happens in a case."""
        self.outcomes[name] = outcome.as_values()
        self.growing.pop(name, None)
        self.waits.pop(name, None)
        self.troubles.pop(name, None)
        self.touch()

    # --- What screens are told ---

    def seen(self, language: str) -> dict[str, Any]:
        """Returns what every screen may know now, in a language."""
        step, case, name = self.step, self.case(), self.name()
        told = case is not None and not self.is_asking
        outcome = self.outcome(name) if told else None
        texts = self._texts(language)
        return {
            "version": self.version, "code": self.code, "at": self.at, "of": len(self.script), "kind": step.kind,
            "phase": self.phase, "title": texts["title"], "show": texts["show"], "people": self.number_here,
            "question": texts["question"], "choices": texts["choices"], "because": texts["because"],
            "votes": self._votes(), "sentence": "" if self.is_asking else self._sentence(),
            "picture": self.picture(), "curves": self._curves(outcome), "counts": self._rounds() if told else None,
            "found": choice_of(case, outcome.found) if case is not None and outcome is not None else None,
            "words": outcome.words(language) if outcome is not None else self._trouble(language),
            "wait": self.waits.get(name) if told and outcome is None else None,
            "collects": step.collects, "sent": len(self.sent), "finds": len({str(each["line"]) for each in self.finds}),
            "on_screen": [each["picture"] for each in self._on_screen()] if step.collects == "sentences" else [],
            "quiz": self._quiz(), "own_words": self._own_words(), "written": len(self.rows.get(str(self.at), {})),
            "page": step.page, "view": {**step.view} | self._kept_to(step),
            "models": experiments.MODELS, "locked": self.locked, "resting": self.is_asking,
        }  # fmt: skip

    def led(self) -> dict[str, Any]:
        """Returns what the host's window knows besides."""
        step, phase, case = self.step, self.step.of(self.phase), self.case()
        ahead = self.following(1)
        share = self.script[ahead[0]] if ahead is not None else None
        asked = self.counts(self.at, "ask") if self.phase == "talk" else None
        cast = [*self.reasons.get(str(self.at), {}).values()]
        minutes = [(each.short if self.short else each.minutes) * self.is_led_through(each) for each in self.script]
        return {
            "say": self._said(), "usual": phase.usual or step.usual, "expect": phase.expect or step.expect,
            "steps": [
                {"title": each.title, "minutes": part, "is_led": self.is_led_through(each), "reached": str(at) in self.reached}
                for at, (each, part) in enumerate(zip(self.script, minutes, strict=True))
            ],
            "phases": list(step.phases), "minutes": self._minutes(step, self.phase),
            "whole": sum(minutes), "planned": sum(minutes[: self.at]) + self._minutes_before(step, self.phase),
            "now": round(time.monotonic()), "began": round(self.began), "turned": round(self.turned),
            "then": None if ahead is None or share is None else {
                "title": share.title, "phase": ahead[1], "is_next_step": ahead[0] != self.at,
                "picture": None if self.is_asking else self._picture_at(*ahead), "question": self._filled(share.question, {}),
            },
            "split": asked, "reasons": [cast.count(at) for at in range(len(step.because))] if not self.is_new and case else [],
            "all_sent": [{key: value for key, value in each.items() if key != "picture"} for each in self.sent],
            "shown_now": self.on_screen, "key": self.key, "unkept": self.unkept, "short": self.short,
            "reason_texts": list(step.because), "may_use_recorded": self._may_use_recorded(),
            "has_quiz": any(self.quiz.values()),
        }  # fmt: skip

    def picture(self) -> Picture | None:
        """Returns what is drawn on all screens now."""
        return self._picture_at(self.at, self.phase)

    def _picture_at(self, at: int, phase: str) -> Picture | None:
        step, is_new = self.script[at], phase in ("new", "decided")
        if self.case(at, is_new) is None:
            return self._watched(step, phase, at)
        name = self.name(at, is_new)
        if phase in OPEN:
            return self.before.get(name)
        if (outcome := self.outcome(name)) is not None:
            return outcome.picture
        return self.growing[name][0] if name in self.growing else self.before.get(name)

    def _watched(self, step: Step, phase: str, at: int) -> Picture | None:
        """Returns the picture of a step at which nobody votes."""
        if step.collects == "lines" and phase != "before" and self.finds:
            thickest: Picture = max(self.finds, key=lambda each: each["thick"])["picture"]
            return thickest
        if step.collects == "sentences" and self.on_screen and phase != "before":
            newest: Picture = self._on_screen()[-1]["picture"]
            return newest
        if step.picture == "runs":
            earlier = (name for name, case, of in self.cases() if case.answer == "steps" and of < at and self.is_shown(name))
            outcome = self.outcome(next(iter([*earlier][::-1]), ""))
            return None if outcome is None else outcome.picture
        drawn = self.before.get(str(at))
        if drawn is not None and step.collects == "looks" and phase != "before":
            return self._by_the_room(drawn, self.rows.get(str(at), {}), phase == "after")
        if drawn is not None and phase == "before" and step.collects != "lines" and len(step.phases) > 1:
            return drawn | {"words": [], "weights": None, "glosses": []}
        return drawn

    @staticmethod
    def _by_the_room(drawn: Picture, rows: Mapping[str, Mapping[str, Any]], is_over: bool) -> Picture:
        """Returns the picture of a sentence with the rows that phones have given; the others are empty until it is over, and
        then the model's own."""
        words, weights, glosses = [], [], []
        own_glosses = drawn["glosses"] or [""] * len(drawn["words"])
        for query, own in enumerate(drawn["words"]):
            row = rows.get(str(query))
            if row is None and not is_over:
                row = {"word": "…", "weights": [0.0] * len(drawn["source"]), "gloss": ""}
            words.append(row["word"] if row else own)
            weights.append(row["weights"] if row else drawn["weights"][query])
            glosses.append(row["gloss"] if row else own_glosses[query])
        before = {"before": drawn["words"]} if is_over else {}
        return drawn | {"words": words, "weights": weights, "glosses": glosses} | before

    def _curves(self, curves: Outcome | None) -> list[experiments.Curve] | None:
        if curves is not None:
            return curves.curves
        if self.step.picture == "runs" and self.case() is None:
            shown = [
                self.outcome(name)
                for name, case, at in self.cases()
                if case.answer == "steps" and at < self.at and self.is_shown(name)
            ]
            return shown[-1].curves if shown and shown[-1] is not None else None
        if self.phase == "new" and (earlier := self.outcome(str(self.at))) is not None:
            return earlier.curves
        return self.growing[self.name()][1] if self.name() in self.growing and not self.is_asking else None

    def _trouble(self, language: str) -> list[str]:
        with i18n.speaking(language):
            return [i18n.error(self.troubles[self.name()])] if self.name() in self.troubles else []

    def _on_screen(self) -> list[dict[str, Any]]:
        return [each for number in self.on_screen for each in self.sent if each["id"] == number]

    def _own_words(self) -> list[list[str]]:
        """Returns the words that phones make the model write, with their glosses."""
        drawn = self.before.get(str(self.at))
        if self.step.collects != "looks" or drawn is None:
            return []
        glosses = drawn["glosses"] or [""] * len(drawn["words"])
        return [list(pair) for pair in zip(drawn["words"], glosses, strict=True)]

    def _sentence(self) -> str:
        case = self.case()
        return case.sentence if case is not None else self.step.sentence

    def _votes(self) -> dict[str, int] | None:
        if not self.is_asking:
            return None
        cast, hands = len(self.votes.get(self._round(), {})), sum(self.paper.get(self._round(), []))
        return {"cast": cast + hands, "of": max(self.number_here, cast) + hands}

    def _rounds(self) -> dict[str, list[int]]:
        names = ("new",) if self.is_new else ("ask", "talk")
        by_name = {name: self.counts(self.at, name) for name in names}
        return {name: counts for name, counts in by_name.items() if counts is not None}

    def _texts(self, language: str) -> dict[str, Any]:
        """Returns title, question, choices and reasons: those of the script, or its translation into another language."""
        case, step, prefix = self.case(), self.step, "new_" if self.is_new else ""
        other: Mapping[str, Any] = step.translated.get(language, {}) if language != self.language else {}
        choices = [choice.text for choice in case.choices] if case is not None else []
        translated = other.get(f"{prefix}choices", ())
        question = other.get(f"{prefix}question", "") or (case.question if case is not None else "")
        because = list(step.because) if self.phase == "ask" else []
        reasons = other.get("because", ())
        return {
            "title": other.get("title", "") or step.title,
            "show": other.get(f"show_{self.phase}", "") or step.of(self.phase).show,
            "question": question or step.question if step.page else self._filled(question, self._values_now()),
            "choices": list(translated) if len(translated) == len(choices) else choices,
            "because": list(reasons) if because and len(reasons) == len(because) else because,
        }

    def _kept_to(self, step: Step) -> dict[str, str]:
        """Returns the words of an address that say what of a step's page is shown and locked."""
        words = {"show": step.parts, "lock": step.lock}
        return {name: ",".join(names) for name, names in words.items() if names}

    def _values_now(self) -> dict[str, Any]:
        """Returns what the model says in the texts of this phase: no more than may be known."""
        case, outcome = self.case(), self.outcome(self.name())
        shown = [self.outcome(name) for name, _case, at in self.cases() if at <= self.at and self.is_shown(name)]
        values = {name: value for each in shown if each is not None for name, value in each.values.items()}
        if case is None or outcome is None:
            return values
        early = _EARLY.get(case.answer.removeprefix("new "), ())
        return values | {name: value for name, value in outcome.values.items() if not self.is_asking or name in early}

    def _said(self) -> str:
        phase, outcome = self.step.of(self.phase), self.outcome(self.name())
        if self.step.page and not phase.say:  # a teacher's own words, in which nothing is filled in
            return f"{phase.show} {self.step.question}".strip()
        sentence = phase.say
        if outcome is not None and not self.is_asking and phase.when:
            sentence = f"{sentence} {phase.when.get(outcome.found, phase.when.get('*', ''))}"
        return self._filled(sentence, self._values_now())

    def _filled(self, text: str, values: Mapping[str, Any]) -> str:
        given = {"here": self.number_here, **values}
        return re.sub(r"\{(\w+)\}", lambda found: str(given.get(found[1], "…")), text)

    def _minutes(self, step: Step, phase: str) -> float:
        """Returns the minutes of a phase, scaled to what the short cut gives its step."""
        part = (step.short or step.minutes) if self.short else step.minutes
        return step.minutes_of(phase) * part / step.minutes if step.minutes else 0.0

    def _minutes_before(self, step: Step, phase: str) -> float:
        return sum(self._minutes(step, name) for name in step.phases[: step.phases.index(phase)])

    def _may_use_recorded(self) -> bool:
        case = self.case()
        return case is not None and not self.is_asking and not case.vary and self.name() in self.waits

    # --- What is kept ---

    def asked(self) -> Iterator[dict[str, Any]]:
        """Returns every question that has been asked: both rounds, and what happened where that has been shown."""
        for name, case, at in self.cases():
            rounds = ("new",) if name.endswith("new") else ("ask", "talk")
            counts = {each: counts for each in rounds if (counts := self.counts(at, each)) is not None}
            outcome = self.outcome(name) if self.is_shown(name) else None
            if counts or outcome is not None:
                values = outcome.values if outcome is not None else {}
                yield {
                    "at": at,
                    "is_new": name.endswith("new"),
                    "title": self.script[at].title,
                    "case": case,
                    "question": self._filled(case.question, values),
                    "counts": counts,
                    "because": self.script[at].because,
                    "found": None if outcome is None else choice_of(case, outcome.found),
                    "outcome": outcome,
                }

    def as_values(self) -> dict[str, Any]:
        """Returns all that is kept of it, as plain values."""
        return {name: getattr(self, name) for name in _WRITTEN}


def word(length: int) -> str:
    """Returns so many random letters."""
    return "".join(secrets.choice(LETTERS) for _letter in range(length))


def text_of(given: object) -> str:
    """Returns a text that somebody sent, as one line. Raises RoomError for anything else: also for half a character, which no
    answer could be written with."""
    if not isinstance(given, str) or not given.strip() or len(given) > _LONGEST:
        raise RoomError("nonsense")
    try:
        given.encode()
    except UnicodeEncodeError as error:
        raise RoomError("nonsense") from error
    return " ".join(given.split())


def _place(given: object, count: int) -> int:
    if type(given) is not int or not 0 <= given < count:
        raise RoomError("nonsense")
    return given


def digest(token: str) -> str:
    """Returns what a browser is known by: its cookie stays its own."""
    return hashlib.sha256(token.encode("utf-8", "replace")).hexdigest()[:32]
