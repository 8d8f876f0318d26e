"""A room: where it is in its script, who is there, how they voted, and what each screen is told.

Rooms live in the event loop of one server; all that computes runs in threads. Everything is bounded, and nothing personal is
kept: a browser is known by a digest of its cookie, and by its number in the room.
"""

import hashlib
import json
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from explorer.rooms.board import Board, Curve
from explorer.rooms.outcomes import Outcome, choice_of
from explorer.rooms.script import Step, script_of
from transformer_core.data import pairs
from transformer_core.training.folder import default_folder

LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"  # none that is taken for another
PHASES = ("vote", "talk", "again", "shown")  # phases of a vote; nothing is shown before the last
MOST_ROOMS, MOST_PEOPLE, MOST_PAPER = 24, 200, 500
HOURS = 6.0  # hours after which a room that nobody touches is over
_LENGTH = 6  # letters of a code: 0.9 thousand million
MOST_SENT = 20  # pairs of one person
_WRITTEN = ("language", "at", "phase", "votes", "paper", "outcomes", "people", "curves", "collects", "sent")


class RoomError(ValueError):
    """Raised for what cannot be done in a room; its text is a name, for which the pages have a sentence."""


@dataclass
class Room:
    """One room.

    Attributes:
        host: digest of the host's browser. people: numbers from 1, by the digests of their browsers.
        at: the step, from 0; phase: one of PHASES.
        votes: by step and round ("first" or "second"), a choice by the person's number; paper: counts that the host entered.
        collects: whether phones may send pairs of sentences; sent: those pairs.
        outcomes: by step, what happened; curves: by step, those of the models that it trained.
        board: the models that are being trained now; picture, estimate, trouble: of the step on screen.
        version: grows with every change; changed: when the last one was, in seconds of the clock.
    """

    code: str
    host: str
    language: str
    at: int = 0
    phase: str = PHASES[0]
    people: dict[str, int] = field(default_factory=dict)
    votes: dict[str, dict[str, int]] = field(default_factory=dict)
    paper: dict[str, list[int]] = field(default_factory=dict)
    outcomes: dict[str, dict[str, str]] = field(default_factory=dict)
    curves: dict[str, list[Curve]] = field(default_factory=dict)
    collects: bool = False
    sent: list[dict[str, Any]] = field(default_factory=list)
    version: int = 0
    changed: float = field(default_factory=time.time)
    board: Board | None = None
    picture: dict[str, Any] | None = None
    estimate: float = 0.0  # seconds that the models will take to learn
    trouble: str = ""  # why it cannot be computed

    def __post_init__(self) -> None:
        self.script: Sequence[Step] = script_of(self.language)

    @property
    def step(self) -> Step:
        return self.script[self.at]

    @property
    def is_shown(self) -> bool:
        """Returns whether the outcome may be shown: at every step but a vote that has not been cast twice."""
        return self.step.kind != "vote" or self.phase == "shown"

    def touch(self) -> None:
        """Notes a change."""
        self.version += 1
        self.changed = time.time()

    def join(self, browser: str) -> int:
        """Returns the person's number. Raises RoomError if the room is full."""
        if browser not in self.people:
            if len(self.people) >= MOST_PEOPLE:
                raise RoomError("full")
            self.people[browser] = len(self.people) + 1
            self.touch()
        return self.people[browser]

    def vote(self, browser: str, step: object, choice: object) -> None:
        """Takes a vote for the step on screen; a later one replaces it. Raises RoomError for anything else."""
        if browser not in self.people:
            raise RoomError("unknown")
        if step != self.at or self.step.kind != "vote" or self.phase not in ("vote", "again"):
            raise RoomError("closed")
        if isinstance(choice, bool) or not isinstance(choice, int) or not 0 <= choice < len(self.step.choices):
            raise RoomError("nonsense")
        self.votes.setdefault(self._round(), {})[str(self.people[browser])] = choice
        self.touch()

    def enter_paper(self, counts: object) -> None:
        """Takes the counts of hands for this round. Raises RoomError for anything but whole numbers, one for each choice."""
        if self.step.kind != "vote" or self.phase not in ("vote", "talk", "again"):
            raise RoomError("closed")
        if not isinstance(counts, list) or len(counts) != len(self.step.choices):
            raise RoomError("nonsense")
        if not all(type(count) is int and 0 <= count <= MOST_PAPER for count in counts):
            raise RoomError("counts")
        self.paper[self._round()] = counts
        self.touch()

    def collect(self, on: bool) -> None:
        """Lets phones send pairs, or no longer."""
        self.collects = on
        self.touch()

    def send(self, browser: str, source: object, answer: object) -> None:
        """Takes a pair of sentences. Raises RoomError, and InputError for a pair that cannot be learned."""
        if browser not in self.people:
            raise RoomError("unknown")
        if not self.collects:
            raise RoomError("not asked")
        if not isinstance(source, str) or not isinstance(answer, str):
            raise RoomError("nonsense")
        mine = [each for each in self.sent if each["by"] == self.people[browser]]
        if len(mine) >= MOST_SENT or len(self.sent) >= pairs.MOST:
            raise RoomError("enough")
        table = pairs.of_rows([(source, answer)])
        if table.faults:
            raise table.faults[0]
        if not table.pairs:
            raise RoomError("nonsense")
        self.sent.append({"by": self.people[browser], "pair": list(table.pairs[0]), "picked": True})
        self.touch()

    def pick(self, at: object, on: object) -> None:
        """Picks a pair that was sent, or leaves it out. Raises RoomError for another."""
        if type(at) is not int or not 0 <= at < len(self.sent):
            raise RoomError("nonsense")
        self.sent[at]["picked"] = bool(on)
        self.touch()

    @property
    def picked(self) -> list[pairs.Pair]:
        """The pairs that the host has not left out."""
        return [(each["pair"][0], each["pair"][1]) for each in self.sent if each["picked"]]

    def go(self, way: str) -> None:
        """Goes on or back: through the phases of a vote, and from step to step. Raises RoomError for another way."""
        if way == "next":
            if self.step.kind == "vote" and self.phase != "shown":
                self.phase = PHASES[PHASES.index(self.phase) + 1]
            elif self.at + 1 < len(self.script):
                self.at, self.phase = self.at + 1, PHASES[0]
            else:
                return
        elif way == "back":
            if self.step.kind == "vote" and self.phase != PHASES[0]:
                self.phase = PHASES[PHASES.index(self.phase) - 1]
            elif self.at > 0:
                self.at -= 1
                self.phase = PHASES[-1] if self.step.kind == "vote" else PHASES[0]
            else:
                return
        else:
            raise RoomError("nonsense")
        self.picture, self.trouble = None, ""
        self.touch()

    def happened(self, outcome: Outcome) -> None:
        """Keeps what happened at this step."""
        self.outcomes[str(self.about)] = {"found": outcome.found, "words": outcome.words}
        self.trouble = ""
        self.touch()

    def draw_curves(self, curves: list[Curve]) -> None:
        """Shows these curves of the models that are trained."""
        self.curves[str(self.about)] = curves
        self.touch()

    def close_board(self) -> None:
        """Ends the runs that are under way."""
        if self.board is not None:
            self.board.close()
            self.board = None

    @property
    def may_use_recorded(self) -> bool:
        """Returns whether recorded runs can take the place of those that this step trains: they are of the same plan."""
        return self.is_open and self.asked_about.answer == "steps" and not self.asked_about.vary

    @property
    def asked_about(self) -> Step:
        """The step whose outcome is shown."""
        return self.script[self.about]

    @property
    def is_open(self) -> bool:
        """Returns whether the outcome is to be shown and is not known yet."""
        return self.is_shown and self.asked_about.kind == "vote" and str(self.about) not in self.outcomes

    def counts(self, at: int, which: str) -> list[int]:
        """Counts the votes of a round of a step, hands included."""
        step, name = self.script[at], f"{at} {which}"
        cast = [*self.votes.get(name, {}).values()]
        hands = self.paper.get(name, [0] * len(step.choices))
        return [cast.count(choice) + hands[choice] for choice in range(len(step.choices))]

    @property
    def about(self) -> int:
        """Returns the step whose outcome is shown: this one; where it looks at runs again, the last one that trained some."""
        if self.step.kind == "watch" and self.step.picture == "runs":
            return next((at for at in range(self.at, -1, -1) if self.script[at].answer == "steps"), self.at)
        return self.at

    def _round(self) -> str:
        return f"{self.at} {'first' if self.phase == 'vote' else 'second'}"

    def seen(self) -> dict[str, Any]:
        """Returns what every screen may know now."""
        step, about = self.step, self.about
        found, trained = self.outcomes.get(str(about), {}), self.asked_about
        is_vote = step.kind == "vote"
        voted = len(self.votes.get(self._round(), {})) if is_vote else 0
        return {
            "version": self.version, "code": self.code, "at": self.at, "of": len(self.script), "kind": step.kind,
            "title": step.title, "show": step.show, "question": step.question,
            "choices": [choice.text for choice in step.choices], "phase": self.phase, "people": len(self.people),
            "voted": voted, "sentence": step.sentence, "picture": self.picture,
            "counts": [self.counts(self.at, which) for which in ("first", "second")] if is_vote and self.is_shown else None,
            "found": choice_of(step, found["found"]) if found and is_vote and self.is_shown else None,
            "words": self.trouble or (found.get("words", "") if self.is_shown else ""),
            "estimate": round(self.estimate) if step.answer == "steps" and not self.is_shown else 0,
            "curves": self.curves.get(str(about)) if step.picture == "runs" and self.is_shown else None,
            "vary": trained.vary, "values": trained.values, "collects": self.collects, "pairs": len(self.sent),
        }  # fmt: skip

    def led(self) -> dict[str, Any]:
        """Returns what the host's window knows besides."""
        step = self.step
        after = self.script[self.at + 1].title if self.at + 1 < len(self.script) else ""
        return self.seen() | {
            "say": step.say,
            "minutes": step.minutes,
            "after": after,
            "recorded": self.may_use_recorded,
            "sent": self.sent,
        }

    def asked(self) -> Iterator[dict[str, Any]]:
        """Returns every vote that has been shown: the question, both rounds, and what happened."""
        for at, step in enumerate(self.script):
            if step.kind == "vote" and (found := self.outcomes.get(str(at))):
                yield {
                    "title": step.title, "question": step.question, "choices": [choice.text for choice in step.choices],
                    "counts": [self.counts(at, which) for which in ("first", "second")], "sentence": step.sentence,
                    "found": choice_of(step, found["found"]), "words": found["words"],
                }  # fmt: skip


class Rooms:
    """The rooms of a server, kept in a folder, so that a server that starts again has them. `path` None: nothing is kept."""

    def __init__(self, path: Path | None = None):
        self._path, self._rooms = path, dict[str, Room]()

    def made_by(self, browser: str, language: str) -> Room:
        """Returns the room of a host: the one that it has, or a new one. Raises RoomError if there are too many."""
        self._tidy()
        for room in self._rooms.values():
            if room.host == browser and room.language == language:
                return room
        if len(self._rooms) >= MOST_ROOMS:
            raise RoomError("too many")
        room = Room("".join(secrets.choice(LETTERS) for _letter in range(_LENGTH)), browser, language)
        self._rooms[room.code] = room
        self.keep(room)
        return room

    def get(self, code: str) -> Room | None:
        """Returns a room by its code, also one that a former server has kept; None if there is none, or if it is over."""
        code = code.upper()
        if len(code) != _LENGTH or not set(code) <= set(LETTERS):
            return None
        if code not in self._rooms and (room := self._read(code)) is not None:
            self._rooms[code] = room
        self._tidy()
        return self._rooms.get(code)

    def keep(self, room: Room) -> None:
        """Writes down where a room is."""
        if self._path is not None:
            self._path.mkdir(parents=True, exist_ok=True)
            values = {name: getattr(room, name) for name in _WRITTEN}
            file = self._path / f"{room.code}.json"
            new = file.with_suffix(".new")
            new.write_text(json.dumps({"host": room.host, "changed": room.changed} | values), encoding="utf-8")
            new.replace(file)

    def leave(self, room: Room) -> None:
        """Leaves a new room to the server that its code leads to, of several that share the folder."""
        self._rooms.pop(room.code, None)

    def end(self, room: Room) -> None:
        """Ends a room, with its runs."""
        self._rooms.pop(room.code, None)
        room.close_board()
        if self._path is not None:
            (self._path / f"{room.code}.json").unlink(missing_ok=True)

    def _read(self, code: str) -> Room | None:
        file = self._path / f"{code}.json" if self._path is not None else None
        if file is None or not file.exists() or len(self._rooms) >= MOST_ROOMS:
            return None
        try:
            return Room(code=code, **json.loads(file.read_text(encoding="utf-8")))
        except (ValueError, TypeError):
            return None

    def _tidy(self) -> None:
        for room in [*self._rooms.values()]:
            if time.time() - room.changed > 3600 * HOURS:
                self.end(room)


def of_server() -> Rooms:
    """Returns the rooms of this server, as they are kept: another object that is made later reads the same ones."""
    return Rooms(default_folder() / "rooms")


def digest(token: str) -> str:
    """Returns what a browser is known by: its cookie stays its own."""
    return hashlib.sha256(token.encode()).hexdigest()[:32]
