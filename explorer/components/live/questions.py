"""What a browser asks while a knob is moved, or while the model on screen is learning, and the answer."""

import json
from dataclasses import dataclass
from typing import Any

from explorer import i18n
from explorer.components.live.pictures import numbers
from explorer.components.shared.arrays import frame
from explorer.inference.at_hand import around, at_hand, learning_now
from explorer.inference.naming import facts, words
from explorer.inference.progress import progress
from explorer.inference.sentences import with_length
from explorer.inference.settings import MAX_TOKENS, NAMES, ModelSettings, read
from explorer.inference.shown_model import ShownModel
from transformer_core.errors import InputError

LENGTH = "sequence_length"  # the knob of the source's length, which is no setting: the source is
CHOICES = "choices"  # whatever knob of the page: what it says stands in the choices of the pictures
_MOST = 12  # pictures that one question may be about


@dataclass(frozen=True)
class Question:
    """The pictures that are wanted of some settings.

    Attributes:
        n: is said in the answer.
        turned: the setting that is being changed, or LENGTH, or CHOICES; None while the model of these settings is learning,
            and its newest state is wanted.
        length: of the source, in tokens, where that is being changed.
        want: the name of each picture, and what the page has chosen to show in it.
        language: of the words in them.
        after: the newest step that has been drawn of a model that is learning.
    """

    n: int
    settings: ModelSettings
    turned: str | None
    length: int
    want: list[tuple[str, dict[str, Any]]]
    language: str
    after: int

    @classmethod
    def read(cls, text: str) -> "Question":
        """{n, settings, turned, length, language, after, want: [{picture, choices}, ...]} in JSON. Raises ValueError for
        anything else."""
        try:
            said = json.loads(text)
            want = [(wish["picture"], wish["choices"]) for wish in said["want"]]
            settings, turned, length = read(said["settings"]), said["turned"], said["length"]
            question = cls(said["n"], settings, turned, length, want, said["language"], said["after"])
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError("no question") from error
        if type(question.n) is not int or question.turned not in (*NAMES, LENGTH, CHOICES, None) or len(question.want) > _MOST:
            raise ValueError("no question")
        if type(question.length) is not int or not 0 < question.length <= MAX_TOKENS:
            raise ValueError("no length")
        if type(question.after) is not int or question.language not in (*i18n.LANGUAGES, i18n.PSEUDO):
            raise ValueError("no question")
        if not all(isinstance(picture, str) and isinstance(choices, dict) for picture, choices in question.want):
            raise ValueError("no pictures")
        return question

    def answer(self) -> bytes:
        """{n, pictures, ...}, framed. `pictures` is None where there are none to be had at once. Raises ValueError for pictures
        that there are not."""
        with i18n.speaking(self.language):
            said = self._of_learning() if self.turned is None else self._of_knob(self.turned)
            return frame({"n": self.n} | said)

    def _of_knob(self, turned: str) -> dict[str, Any]:
        """{pictures, nearest}: `nearest` is the value of the setting `turned` that they are of, where that is not the one that
        was asked for."""
        pictures = nearest = None
        try:
            wanted = with_length(self.settings, self.length) if turned == LENGTH else self.settings
            if (found := at_hand(wanted, turned)) is not None:
                shown, settings = found
                pictures = self._pictures(shown)
                nearest = None if settings == wanted else getattr(settings, turned)
        except InputError:  # the page says what is wrong, when the knob is let go
            pictures = None
        return {"pictures": pictures, "nearest": nearest}

    def _of_learning(self) -> dict[str, Any]:
        """{pictures, line, newest, pause, note, over}: `line` says which model the pictures are of; `newest` is the step that
        it has come to, `pause` the seconds after which to ask again; `over`: the page is to be drawn instead."""
        try:
            now = progress(self.settings.plan().key)
            is_new = bool(self.want) and not now.over and now.step > self.after
            shown = learning_now(self.settings) if is_new else None
        except InputError:  # the page says so
            return {"pictures": None, "over": True}
        return {
            "pictures": None if shown is None else self._pictures(shown),
            "line": None if shown is None else {"facts": facts(shown), "words": words(shown)},
            "newest": now.step, "pause": now.pause, "over": now.over,
            "note": "" if now.note is None else i18n.error(now.note),
        }  # fmt: skip

    def _pictures(self, shown: ShownModel) -> list[dict[str, Any]]:
        return [numbers(shown, picture, choices) for picture, choices in self.want]

    def likely(self) -> list[ModelSettings]:
        """What will be asked for next, the likeliest first: where else the knob can stand."""
        if self.turned is None:
            return []
        try:
            return around(self.settings, self.turned)
        except InputError:
            return []
