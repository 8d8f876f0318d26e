"""The same questions before a room and after it: each phone answers them by itself, and nothing is shown in between.

They are those of the bank (`script.bank`). The model decides what is right; only counts leave the room.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from explorer.rooms import outcomes
from explorer.rooms.script import bank

Answers = Mapping[str, Sequence[int]]  # by a person's number, the choices so far, in the order of the questions


@dataclass(frozen=True)
class Question:
    """One question, with what the model does. `right`: the place of that choice."""

    title: str
    question: str
    sentence: str
    choices: tuple[str, ...]
    right: int


@dataclass(frozen=True)
class Counted:
    """The counts of one question, answered and answered rightly: the first time, the second time, and both times by those who
    answered it twice."""

    before: int = 0
    before_right: int = 0
    after: int = 0
    after_right: int = 0
    both: int = 0
    both_before_right: int = 0
    both_after_right: int = 0


def questions(language: str) -> list[Question]:
    """Asks the model all questions."""
    asked = []
    for step in bank(language):
        assert step.asked is not None
        found = outcomes.at_once(step.asked, language)
        right = outcomes.choice_of(step.asked, found.found)
        assert right is not None, "a test holds that one choice of each question is what happens"
        text = step.asked.question.format(**found.values)
        choices = tuple(choice.text for choice in step.asked.choices)
        asked.append(Question(step.title, text, step.asked.sentence, choices, right))
    return asked


def counted(asked: Sequence[Question], before: Answers, after: Answers) -> list[Counted]:
    """Counts the answers to each question. Shape: -> (question,)"""
    found = []
    for at, question in enumerate(asked):
        first, second = (
            {who: said[at] == question.right for who, said in each.items() if len(said) > at} for each in (before, after)
        )
        twice = first.keys() & second.keys()
        found.append(
            Counted(
                len(first),
                sum(first.values()),
                len(second),
                sum(second.values()),
                len(twice),
                sum(first[who] for who in twice),
                sum(second[who] for who in twice),
            )
        )
    return found


def as_csv(asked: Sequence[Question], before: Answers, after: Answers) -> str:
    """Returns the counts as a table, a row for each question; the mark at its beginning names its encoding to spreadsheets."""
    text = io.StringIO()
    names = [*Counted.__dataclass_fields__]
    table = csv.writer(text)
    table.writerow(["title", "question", "right", *names])
    for question, each in zip(asked, counted(asked, before, after), strict=True):
        table.writerow([question.title, question.question, question.choices[question.right], *asdict(each).values()])
    return "\ufeff" + text.getvalue()
