"""The script of a room: the steps that its host goes through, from a TOML file. A teacher can edit it, or bring another.

What is right is never in the file: each choice of a question says what it means, and the model is asked. Words in {braces} are
filled in by the model, too.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, NoReturn, get_type_hints

from explorer import limits
from explorer.i18n import ENGLISH
from explorer.rooms import experiments
from explorer.root import ROOT
from transformer_core.errors import InputError

_SCRIPTS = Path(__file__).parent / "scripts"
_BANK = Path(__file__).parent / "bank"
PHASES = {  # of each kind of step, in their order; the last three may be left out
    "join": ("before", "during", "after"),
    "watch": ("before", "during", "after"),
    "vote": ("ask", "talk", "shown", "new", "decided"),
    "keep": ("before", "during", "after"),
    "quiz": ("before", "during", "after"),
}
KINDS = tuple(PHASES)
OPEN = ("ask", "talk", "new")  # phases in which people vote
TOLD = {"ask": "shown", "talk": "shown", "new": "decided"}  # the phase that shows what happens, for good
PICTURES = ("", "sentence", "runs")
COLLECTS = ("", "sentences", "lines", "pairs", "looks")
ANSWERS = ("", "looks", "cut", "given", "steps", "peek", "pronoun")
TASKS = ("", experiments.LETTERS, experiments.REPEAT)
ELSE = "*"  # the meaning of a choice for all that no other one means
_LONGEST = 900  # letters of a text
MOST_STEPS, _MOST_CHOICES, _MOST_VALUES, _MOST_LAYERS = 40, 6, 4, 4
_MOST_OF_VIEW = 60  # values of a page's address, names of its controls or of its parts
_NOT_SHOWN = ("host", "lesson")  # pages that are no step of a lesson
PAGES = tuple(sorted({file.stem for file in (ROOT / "pages").glob("*.py")} - {*_NOT_SHOWN}))
_NAMES = {
    "kind": KINDS,
    "page": PAGES,
    "picture": PICTURES,
    "collects": COLLECTS,
    "answer": ANSWERS,
    "vary": experiments.VARIED,
    "task": TASKS,
}
_MEANINGS = {  # of choices, where there are only these; of a new case, by the answer of its step
    "peek": ("better", "same", "worse"),
    "pronoun": ("changes", "stays"),
    "new steps": ("before", "among", "after"),
    "new peek": ("few", "half", "most"),
    "new pronoun": ("changes", "stays"),
}
_TRANSLATED = (
    "title",
    "show_before",
    "show_during",
    "show_after",
    "question",
    "choices",
    "because",
    "new_question",
    "new_choices",
)
_LISTS = ("choices", "because", "new_choices")


class ScriptError(ValueError):
    """Raised for a script that cannot be led. Its text names the line, or the step, and the field."""


@dataclass(frozen=True)
class Choice:
    """One answer that people can vote for. `means`: what the model has to do for it to be what happens."""

    text: str
    means: str


@dataclass(frozen=True)
class Case:
    """What the model is asked. `answer`: one of ANSWERS, or "new " and one of them, where it differs for a new case; cut: a
    word that no other may look at; look: the word that all heads are made to look at; task: of models that learn; layers: of
    the one more that learns, 0: as many as the others."""

    answer: str
    question: str
    choices: tuple[Choice, ...]
    sentence: str = ""
    word: str = ""
    cut: str = ""
    look: str = ""
    vary: str = ""
    values: tuple[int, ...] = ()
    task: str = experiments.LETTERS
    layers: int = 0


@dataclass(frozen=True)
class Phase:
    """A part of a step, between two presses of Next.

    Attributes:
        minutes: that it takes; 0 where the script does not say.
        say: to be spoken aloud, by the host; usual: what people usually answer, and expect: what is likely to happen, both for
            the host alone; when: what to say besides, by the meaning of what happened.
        show: a sentence on all screens.
        sentence, word, cut, look, layers, question, choices: of a new case.
    """

    name: str
    minutes: float = 0.0
    say: str = ""
    usual: str = ""
    expect: str = ""
    when: Mapping[str, str] = field(default_factory=dict)
    show: str = ""
    sentence: str = ""
    word: str = ""
    cut: str = ""
    look: str = ""
    layers: int = 0
    question: str = ""
    choices: tuple[Choice, ...] = ()


@dataclass(frozen=True)
class Step:
    """One step.

    Attributes:
        kind: one of KINDS, of which a quiz asks the questions of the bank; answer: how a question is answered, one of ANSWERS;
            picture: what is shown, one of PICTURES; collects: what phones may send, one of COLLECTS.
        title: on every screen; minutes: that it takes; short: likewise in the short cut of the script, 0 for a step that is
            left out there; extra: whether it is left out unless the host jumps to it.
        question, choices, because: of a vote, the last one the reasons that can be tapped.
        sentence: that is translated; word: of its answer, whose line the question is about; look: where it is made to look.
        task: that the models of an answer "steps" learn, one of TASKS; vary, values: a setting in which they differ, and its
            values.
        page: of the app, which a step to watch may show; view: what its address says, by name; parts: what of it is drawn, all
            of it by default; lock: names of its controls that nobody can change.
        usual, expect: as those of a phase, for all phases that have none.
        translated: by language, the title, question, choices and because as phones in that language show them.
    """

    kind: str
    title: str
    minutes: float
    short: float = 0.0
    extra: bool = False
    question: str = ""
    choices: tuple[Choice, ...] = ()
    because: tuple[str, ...] = ()
    answer: str = ""
    picture: str = ""
    collects: str = ""
    sentence: str = ""
    word: str = ""
    look: str = ""
    task: str = ""
    vary: str = ""
    values: tuple[int, ...] = ()
    page: str = ""
    view: Mapping[str, str] = field(default_factory=dict)
    parts: tuple[str, ...] = ()
    lock: tuple[str, ...] = ()
    usual: str = ""
    expect: str = ""
    say: str = ""
    show: str = ""
    phase: tuple[Phase, ...] = ()
    translated: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def phases(self) -> tuple[str, ...]:
        """The names of its phases, in their order: of a vote at least the first three, of others at least one."""
        told = {each.name for each in self.phase}
        if self.kind == "vote":
            return PHASES["vote"] if "new" in told else PHASES["vote"][:3]
        return tuple(name for name in PHASES[self.kind] if name in told) or ("during",)

    def of(self, name: str) -> Phase:
        """Returns a phase; one without words where the script has none of this name."""
        phase = next((each for each in self.phase if each.name == name), Phase(name, say=self.say, show=self.show))
        return phase

    @property
    def asked(self) -> Case | None:
        """What a vote asks the model."""
        if self.kind != "vote":
            return None
        given = self.sentence, self.word, "", self.look
        task = self.task or experiments.LETTERS
        return Case(self.answer, self.question, self.choices, *given, self.vary, self.values, task)

    @property
    def new(self) -> Case | None:
        """The new case of the same rule, if there is one."""
        if self.kind != "vote" or "new" not in self.phases:
            return None
        given = self.of("new")
        answer = f"new {self.answer}" if f"new {self.answer}" in _MEANINGS else self.answer
        sentence, word = given.sentence or self.sentence, given.word or self.word
        asked = given.question, given.choices, sentence, word, given.cut, given.look or self.look
        return Case(answer, *asked, task=self.task or experiments.LETTERS, layers=given.layers)

    def minutes_of(self, name: str) -> float:
        """Returns the minutes of a phase: its own, or an equal share of those that no phase claims."""
        own = {each: self.of(each).minutes for each in self.phases}
        unclaimed = [each for each, minutes in own.items() if not minutes]
        return own[name] or max(self.minutes - sum(own.values()), 0.0) / len(unclaimed)


def script_of(language: str) -> tuple[Step, ...]:
    """Returns the script of new rooms: the one that the server is given, or the app's own. Raises ScriptError."""
    if not limits.ROOM_SCRIPT:
        return shipped(language)
    try:
        return read(Path(limits.ROOM_SCRIPT).expanduser().read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError) as error:
        raise ScriptError(str(error)) from error


def shipped(language: str) -> tuple[Step, ...]:
    """Returns the app's own script in a language; in English where there is none."""
    file = _SCRIPTS / f"{language}.toml"
    return read((file if file.exists() else _SCRIPTS / f"{ENGLISH}.toml").read_text(encoding="utf-8"))


def bank(language: str) -> tuple[Step, ...]:
    """Returns the questions that are asked before one looks, each with a new case; those in English where there are none."""
    file = _BANK / f"{language}.toml"
    return read((file if file.exists() else _BANK / f"{ENGLISH}.toml").read_text(encoding="utf-8"))


def read(text: str) -> tuple[Step, ...]:
    """Reads a script. Raises ScriptError."""
    try:
        tables = tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError as error:
        raise ScriptError("it is nested too deeply") from error
    except ValueError as error:
        raise ScriptError(str(error)) from error
    steps = tables.get("step")
    if tables.keys() != {"step"} or not isinstance(steps, list) or not 1 <= len(steps) <= MOST_STEPS:
        raise ScriptError(f"a script is made of 1 to {MOST_STEPS} tables [[step]], and of nothing else")
    begins = _begins(text, len(steps))
    made = tuple(
        _Reader(text, begin, number, table).step() for number, (begin, table) in enumerate(zip(begins, steps, strict=True), 1)
    )
    if all(step.extra for step in made):
        raise ScriptError("every step is extra: nothing is left to go through")
    return made


def _begins(text: str, count: int) -> list[int | None]:
    """Returns the lines on which steps begin, as far as the usual way of writing tells; TOML knows others."""
    heads = [at for at, line in enumerate(text.splitlines(), 1) if re.fullmatch(r"\s*\[\[\s*step\s*\]\]\s*(#.*)?", line)]
    return [*heads] if len(heads) == count else [None] * count


class _Reader:
    """One table of a script, and the line that it begins on, where that is known."""

    def __init__(self, text: str, begin: int | None, number: int, table: Any):
        self._lines, self._begin, self._number, self._table = text.splitlines(), begin, number, table

    def step(self) -> Step:
        if not isinstance(self._table, dict):
            self._refuse("step", "must be a table")
        self._check_names(self._table, Step, ("kind", "title", "minutes"))
        hints = get_type_hints(Step)
        made = Step(**{name: self._value(name, hints[name], value) for name, value in self._table.items()})
        if made.kind == "vote" and not (made.question and made.answer and len(made.choices) >= 2):
            self._refuse("kind", "is vote, which needs a question, an answer and two choices or more")
        if made.answer in ("looks", "cut", "given") and not (made.sentence and made.word):
            self._refuse("answer", f"is {made.answer}, which needs a sentence and a word of its translation")
        if made.answer == "given" and not made.look:
            self._refuse("answer", "is given, which needs look, a word of the sentence")
        if (made.picture == "sentence" or made.collects == "lines") and not made.sentence:
            self._refuse(
                "picture" if made.picture else "collects", f"is {made.picture or made.collects}, which needs a sentence"
            )
        if made.vary and not (made.answer == "steps" and made.values):
            self._refuse("vary", "needs values, and an answer that is steps")
        if made.values:
            self._check_values(made)
        if made.task and made.answer != "steps":
            self._refuse("task", "needs an answer that is steps")
        if made.page and made.kind != "watch":
            self._refuse("page", "is shown in a step to watch alone: kind must be watch")
        for name in ("view", "parts", "lock"):
            if getattr(made, name) and not made.page:
                self._refuse(name, "is of a page, which is missing")
        if made.asked is not None:
            self._check_meanings(made.asked)
        for name in (each.name for each in made.phase):
            if name not in PHASES[made.kind]:
                self._refuse(
                    "name", f"must be one of {', '.join(PHASES[made.kind])} in a step that is {made.kind}, not {name!r:.40}"
                )
        if (new := made.new) is not None:
            if not (new.question and len(new.choices) >= 2):
                self._refuse("name", "is new, which needs a question and two choices or more")
            if made.vary or (made.answer == "pronoun" and not new.cut):
                self._refuse("name", "is new: with vary there is none, and with pronoun it needs a word to cut")
            if new.layers and made.answer != "steps":
                self._refuse("layers", "needs an answer that is steps")
            self._check_meanings(new)
        return made

    def _check_names(self, table: dict[str, Any], kind: type, needed: tuple[str, ...]) -> None:
        known = {each.name for each in fields(kind)}
        for name in table:
            if name not in known:
                self._refuse(name, f"is no field of a {kind.__name__.lower()}: {', '.join(sorted(known))}")
        for name in needed:
            if name not in table:
                self._refuse(name, "is missing")

    def _check_values(self, made: Step) -> None:
        if not made.vary:
            self._refuse("values", "are those of a setting, which vary names")
        try:
            for plan in experiments.varied(made.vary, made.values, made.task or experiments.LETTERS).values():
                plan.check()
        except InputError as error:
            self._refuse("values", f"cannot all be trained: {error}")

    def _check_meanings(self, made: Case) -> None:
        known = _MEANINGS.get(made.answer) or tuple(map(str, made.values))
        for choice in made.choices:
            if made.answer == "steps" and not known:
                if choice.means != ELSE and not re.fullmatch(r"[1-9]\d{0,5}", choice.means):
                    self._refuse("choices", f"must each mean a number of steps or {ELSE}, not {choice.means!r:.40}")
            elif known and choice.means not in (*known, ELSE):
                self._refuse("choices", f"must each mean one of {', '.join(known)} or {ELSE}, not {choice.means!r:.40}")

    def _value(self, name: str, kind: Any, value: Any) -> Any:
        match name:
            case "choices":
                return self._choices(value)
            case "phase":
                return self._phases(value)
            case "translated":
                return self._translations(value)
            case "because":
                return self._texts(name, value)
            case "parts" | "lock":
                return self._texts(name, value, _MOST_OF_VIEW)
            case "when" | "view":
                return self._texts_by_name(name, value)
            case "values":
                whole = isinstance(value, list) and all(type(each) is int and each > 0 for each in value)
                if not whole or not 2 <= len(set(value)) == len(value) <= _MOST_VALUES:
                    self._refuse(name, f"must be a list of 2 to {_MOST_VALUES} whole numbers above 0, all different")
                return tuple(value)
        if kind is bool:
            if not isinstance(value, bool):
                self._refuse(name, "must be true or false")
            return value
        if kind is float:
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 60:
                self._refuse(name, "must be a number of minutes from 0 to 60")
            return float(value)
        if kind is int:
            if type(value) is not int or not 1 <= value <= _MOST_LAYERS:
                self._refuse(name, f"must be a whole number from 1 to {_MOST_LAYERS}")
            return value
        self._check_text(name, value)
        if name in _NAMES and value not in _NAMES[name]:
            self._refuse(name, f"must be one of {', '.join(filter(None, _NAMES[name]))}, not {value!r:.40}")
        return value

    def _check_text(self, name: str, value: Any) -> None:
        if not isinstance(value, str) or len(value) > _LONGEST:
            self._refuse(name, f"must be a text of at most {_LONGEST} letters")

    def _phases(self, value: Any) -> tuple[Phase, ...]:
        if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
            self._refuse("phase", "must be tables [[step.phase]]")
        hints, made = get_type_hints(Phase), []
        for table in value:
            self._check_names(table, Phase, ("name",))
            made.append(Phase(**{name: self._value(name, hints[name], given) for name, given in table.items()}))
        if len({each.name for each in made}) < len(made):
            self._refuse("phase", "must each have another name")
        return tuple(made)

    def _choices(self, value: Any) -> tuple[Choice, ...]:
        if not isinstance(value, list) or len(value) > _MOST_CHOICES:
            self._refuse("choices", f"must be a list of at most {_MOST_CHOICES}")
        for each in value:
            texts = isinstance(each, dict) and each.keys() == {"text", "means"} and [*each.values()]
            if not texts or not all(isinstance(text, str) and len(text) <= _LONGEST for text in texts):
                self._refuse("choices", 'must each be { text = "…", means = "…" }')
        return tuple(Choice(**each) for each in value)

    def _texts(self, name: str, value: Any, most: int = _MOST_CHOICES) -> tuple[str, ...]:
        if not isinstance(value, list) or len(value) > most:
            self._refuse(name, f"must be a list of at most {most} texts")
        for text in value:
            self._check_text(name, text)
        return tuple(value)

    def _texts_by_name(self, name: str, value: Any) -> dict[str, str]:
        if not isinstance(value, dict) or len(value) > _MOST_OF_VIEW:
            self._refuse(name, f'must be {{ {"name" if name == "view" else "meaning"} = "…" }}')
        for text in value.values():
            self._check_text(name, text)
        return dict(value)

    def _translations(self, value: Any) -> dict[str, dict[str, Any]]:
        if not isinstance(value, dict) or not all(isinstance(each, dict) for each in value.values()):
            self._refuse("translated", "must be tables [step.translated.zh_CN]")
        made: dict[str, dict[str, Any]] = {}
        for language, table in value.items():
            made[language] = {}
            for name, given in table.items():
                if name not in _TRANSLATED:
                    self._refuse(name, f"is no field of a translation: {', '.join(_TRANSLATED)}")
                if name in _LISTS:
                    made[language][name] = self._texts(name, given)
                else:
                    self._check_text(name, given)
                    made[language][name] = given
        return made

    def _refuse(self, name: str, why: str) -> NoReturn:
        if self._begin is None:
            title = self._table.get("title", "") if isinstance(self._table, dict) else ""
            raise ScriptError(f"step {self._number} ({title!s:.40}): {name} {why}")
        after = self._lines[self._begin :]
        ends = next((at for at, line in enumerate(after) if re.match(r"\s*\[\[\s*step\s*\]\]", line)), len(after))
        at = next((at for at, line in enumerate(after[:ends]) if re.match(rf"\s*{re.escape(name)}\s*=", line)), -1)
        raise ScriptError(f"line {self._begin + 1 + at}: {name} {why}")
