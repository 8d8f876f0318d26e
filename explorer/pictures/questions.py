"""The questions of a browser, while a knob is moved or the model on screen is learning, and their answers."""

import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from explorer import i18n
from explorer.components.live import LENGTH
from explorer.components.shared.arrays import frame
from explorer.model_on_screen.model_caption import facts, words
from explorer.model_on_screen.nearest_learned import around, as_built, learning_now, nearest_learned
from explorer.model_on_screen.progress import progress
from explorer.model_on_screen.settings import MAX_TOKENS, NAMES, ModelSettings, read
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.sources import with_length
from explorer.pictures import every as _every  # noqa: F401
from explorer.pictures.registry import needs_weights, numbers
from transformer_core.errors import InputError

CHOICES = "choices"  # any knob of the page itself: its value stands in the choices of the pictures
_NUMBER = struct.Struct("<Q")  # before the frame, whose arrays begin at multiples of 8
_MOST = 12  # pictures that one question may be about


@dataclass(frozen=True)
class PictureRequest:
    """A question for pictures of the model with some settings.

    Attributes:
        n: the question's number, which begins the answer; less than 2³².
        turned: the setting that is being changed, or LENGTH, or CHOICES; None asks for the newest state of a model that is
            learning.
        length: of the source, in tokens; used where `turned` is LENGTH.
        want: the name of each picture, and its choices on the page.
        language: of the words in the pictures.
        after: the newest step that the page has drawn of a model that is learning.
    """

    n: int
    settings: ModelSettings
    turned: str | None
    length: int
    want: list[tuple[str, dict[str, Any]]]
    language: str
    after: int

    @classmethod
    def read(cls, text: str) -> "PictureRequest":
        """Parses {n, settings, turned, length, language, after, want: [{picture, choices}, ...]} in JSON. Raises ValueError for
        anything else."""
        try:
            fields = json.loads(text)
            want = [(wish["picture"], wish["choices"]) for wish in fields["want"]]
            settings, turned, length = read(fields["settings"]), fields["turned"], fields["length"]
            question = cls(fields["n"], settings, turned, length, want, fields["language"], fields["after"])
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError("no question") from error
        if (
            type(question.n) is not int
            or not 0 <= question.n < 2**32
            or question.turned not in (*NAMES, LENGTH, CHOICES, None)
            or len(question.want) > _MOST
        ):
            raise ValueError("no question")
        if type(question.length) is not int or not 0 < question.length <= MAX_TOKENS:
            raise ValueError("no length")
        if type(question.after) is not int or question.language not in (*i18n.LANGUAGES, i18n.PSEUDO):
            raise ValueError("no question")
        if not all(isinstance(picture, str) and isinstance(choices, dict) for picture, choices in question.want):
            raise ValueError("no pictures")
        return question

    def answer(self) -> bytes:
        """Returns the question's number in 8 bytes, then {pictures, ...}, framed. `pictures` is None where there is nothing new
        to draw. Raises ValueError for pictures that do not exist."""
        with i18n.speaking(self.language):
            content = frame(self._of_learning()) if self.turned is None else self._of_knob(self.turned)
        return _NUMBER.pack(self.n) + content

    def _of_knob(self, turned: str) -> bytes:
        """Returns {pictures, nearest}. Where no model has learned with the wanted value of `turned`, a picture is of the
        nearest value that has one, and `nearest` names it; else None. A picture is None where there is no model for it."""
        try:
            wanted = with_length(self.settings, self.length) if turned == LENGTH else self.settings
            shown, settings = nearest_learned(wanted, turned) or (None, wanted)
            learned = shown is not None and settings == wanted
            nearest = None if settings == wanted else getattr(settings, turned)
            built = None if learned else as_built(wanted)
            return _framed(shown, nearest, built, json.dumps(self.want, sort_keys=True), self.language)
        except InputError:  # the page shows the message when the knob is let go
            nothing = [None] * len(self.want)
            return frame({"pictures": nothing, "nearest": nothing})

    def _of_learning(self) -> dict[str, Any]:
        """Returns {pictures, line, newest, pause, note, over}: `line` describes the model of the pictures; `newest` is the step
        that it has reached, `pause` the seconds after which to ask again; `over` asks the page to redraw itself instead."""
        try:
            now = progress(self.settings.plan().key)
            is_new = bool(self.want) and not now.over and now.step > self.after
            shown = learning_now(self.settings) if is_new else None
        except InputError:  # the page that is redrawn shows the message
            return {"pictures": None, "over": True}
        return {
            "pictures": None if shown is None else _pictures(shown, self.want),
            "line": None if shown is None else {"facts": facts(shown.model), "words": words(shown)},
            "newest": now.step,
            "pause": now.pause,
            "over": now.over,
            "note": "" if now.note is None else i18n.error(now.note),
        }

    def likely(self) -> Sequence[ModelSettings]:
        """The settings that will be asked for next, the likeliest first: the other values of the knob."""
        if self.turned is None:
            return ()
        try:
            return around(self.settings, self.turned)
        except InputError:
            return ()


@shared_cache(2**25)
def _framed(shown: ShownModel | None, nearest: Any, built: ShownModel | None, want: str, language: str) -> bytes:
    """The framed answer, computed once for all who ask for the same.

    Args:
        nearest: the value that `shown` has learned with, where that is not the one that was asked for.
        built: the model that was asked for, untrained, for pictures that do not depend on weights.
        language: of the words in the pictures; a part of the cache's key.
    """
    pictures: list[dict[str, Any] | None] = []
    of: list[Any] = []
    for picture, choices in json.loads(want):
        model, value = (built, None) if built is not None and not needs_weights(picture) else (shown, nearest)
        pictures.append(None if model is None else numbers(model, picture, choices))
        of.append(value)
    return frame({"pictures": pictures, "nearest": of})


def _pictures(shown: ShownModel, want: Iterable[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [numbers(shown, picture, choices) for picture, choices in want]
