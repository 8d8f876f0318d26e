"""The script of a room: the steps that its host goes through, from a TOML file. A teacher can edit it, or bring another.

What is right is never in the file: each choice of a question says what it means, and the model is asked when it is shown.
"""

import re
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, NoReturn, get_type_hints

from explorer import limits
from explorer.i18n import ENGLISH
from explorer.rooms import board
from transformer_core.errors import InputError

_SCRIPTS = Path(__file__).parent / "scripts"
KINDS = ("join", "watch", "vote", "keep")
PICTURES = ("", "sentence", "runs")
ANSWERS = ("", "looks", "cut", "steps", "peek", "pronoun")
ELSE = "*"  # the meaning of a choice for all that no other one means
_LONGEST = 300  # letters of a text
_MOST_STEPS, _MOST_CHOICES, _MOST_VALUES = 40, 6, 4
_NAMES = {"kind": KINDS, "picture": PICTURES, "answer": ANSWERS, "vary": board.VARIED}
_MEANINGS = {"peek": ("better", "same", "worse"), "pronoun": ("changes", "stays")}  # of choices, where there are only these


class ScriptError(ValueError):
    """Raised for a script that cannot be led. Its text names the line and the field."""


@dataclass(frozen=True)
class Choice:
    """One answer that people can vote for. `means`: what the model has to do for it to be what happens."""

    text: str
    means: str


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        kind: one of KINDS; answer: how a question is answered, one of ANSWERS; picture: what is shown, one of PICTURES.
        title: on every screen; show: a sentence below it; say: for the host alone; minutes: that it takes, likewise.
        question, choices: of a vote.
        sentence: that is translated; word: of its answer, whose line the question is about.
        vary, values: a setting in which the models of an answer "steps" differ, and its values.
    """

    kind: str
    title: str
    minutes: float
    say: str = ""
    show: str = ""
    question: str = ""
    choices: tuple[Choice, ...] = ()
    answer: str = ""
    picture: str = ""
    sentence: str = ""
    word: str = ""
    vary: str = ""
    values: tuple[int, ...] = ()


def script_of(language: str) -> tuple[Step, ...]:
    """Returns the script of new rooms: the one that the server is given, or the app's own. Raises ScriptError."""
    if not limits.ROOM_SCRIPT:
        return shipped(language)
    try:
        return read(Path(limits.ROOM_SCRIPT).expanduser().read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(str(error)) from error


def shipped(language: str) -> tuple[Step, ...]:
    """Returns the app's own script in a language; in English where there is none."""
    file = _SCRIPTS / f"{language}.toml"
    return read((file if file.exists() else _SCRIPTS / f"{ENGLISH}.toml").read_text(encoding="utf-8"))


def read(text: str) -> tuple[Step, ...]:
    """Returns the steps of a script. Raises ScriptError."""
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScriptError(str(error)) from error
    if tables.keys() != {"step"} or not isinstance(tables["step"], list) or not 1 <= len(tables["step"]) <= _MOST_STEPS:
        raise ScriptError(f"a script is made of 1 to {_MOST_STEPS} tables [[step]], and of nothing else")
    begins = [at for at, line in enumerate(text.splitlines(), 1) if line.strip() == "[[step]]"]
    if len(begins) != len(tables["step"]):
        raise ScriptError("each step begins with a line [[step]]")
    return tuple(_Reader(text, begin, table).step() for begin, table in zip(begins, tables["step"], strict=True))


class _Reader:
    """One table of a script, and the line that it begins on."""

    def __init__(self, text: str, begin: int, table: Any):
        self._lines, self._begin, self._table = text.splitlines(), begin, table

    def step(self) -> Step:
        hints = get_type_hints(Step)
        known = {field.name for field in fields(Step)}
        for name in self._table:
            if name not in known:
                self._refuse(name, f"is no field of a step: {', '.join(sorted(known))}")
        for name in ("kind", "title", "minutes"):
            if name not in self._table:
                self._refuse(name, "is missing")
        values = {name: self._value(name, hints[name], value) for name, value in self._table.items()}
        made = Step(**values)
        if made.kind == "vote" and not (made.question and made.answer and len(made.choices) >= 2):
            self._refuse("kind", "is vote, which needs a question, an answer and two choices or more")
        if made.answer in ("looks", "cut") and not (made.sentence and made.word):
            self._refuse("answer", f"is {made.answer}, which needs a sentence and a word of its translation")
        if made.picture == "sentence" and not made.sentence:
            self._refuse("picture", "is sentence, which needs one")
        if made.vary and not (made.answer == "steps" and made.values):
            self._refuse("vary", "needs values, and an answer that is steps")
        if made.values:
            self._check_values(made)
        self._check_meanings(made)
        return made

    def _check_values(self, made: Step) -> None:
        if not made.vary:
            self._refuse("values", "are those of a setting, which vary names")
        try:
            for plan in board.plans(0, made.vary, made.values):
                plan.check()
        except InputError as error:
            self._refuse("values", f"cannot all be trained: {error}")

    def _check_meanings(self, made: Step) -> None:
        known = _MEANINGS.get(made.answer) or tuple(map(str, made.values))
        for choice in made.choices:
            if made.answer == "steps" and not known:
                if choice.means != ELSE and not re.fullmatch(r"[1-9]\d{0,5}", choice.means):
                    self._refuse("choices", f"must each mean a number of steps or {ELSE}, not {choice.means!r:.40}")
            elif known and choice.means not in (*known, ELSE):
                self._refuse("choices", f"must each mean one of {', '.join(known)} or {ELSE}, not {choice.means!r:.40}")

    def _value(self, name: str, kind: Any, value: Any) -> Any:
        if name == "choices":
            return self._choices(value)
        if name == "values":
            whole = isinstance(value, list) and all(type(each) is int and each > 0 for each in value)
            if not whole or not 2 <= len(set(value)) == len(value) <= _MOST_VALUES:
                self._refuse(name, f"must be a list of 2 to {_MOST_VALUES} whole numbers above 0, all different")
            return tuple(value)
        if kind is float:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 60:
                self._refuse(name, "must be a number of minutes from 0 to 60")
            return float(value)
        if not isinstance(value, str) or len(value) > _LONGEST:
            self._refuse(name, f"must be a text of at most {_LONGEST} letters")
        if name in _NAMES and value not in _NAMES[name]:
            self._refuse(name, f"must be one of {', '.join(filter(None, _NAMES[name]))}, not {value!r:.40}")
        return value

    def _choices(self, value: Any) -> tuple[Choice, ...]:
        if not isinstance(value, list) or len(value) > _MOST_CHOICES:
            self._refuse("choices", f"must be a list of at most {_MOST_CHOICES}")
        for each in value:
            texts = isinstance(each, dict) and each.keys() == {"text", "means"} and [*each.values()]
            if not texts or not all(isinstance(text, str) and len(text) <= _LONGEST for text in texts):
                self._refuse("choices", 'must each be { text = "…", means = "…" }')
        return tuple(Choice(**each) for each in value)

    def _refuse(self, name: str, why: str) -> NoReturn:
        after = self._lines[self._begin :]
        ends = next((at for at, line in enumerate(after) if line.strip() == "[[step]]"), len(after))
        at = next((at for at, line in enumerate(after[:ends]) if re.match(rf"\s*{re.escape(name)}\s*=", line)), -1)
        raise ScriptError(f"line {self._begin + 1 + at}: {name} {why}")
