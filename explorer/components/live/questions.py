"""What a browser asks while a knob is moved, and the answer."""

import json
from dataclasses import dataclass
from typing import Any

from explorer.components.live.pictures import numbers
from explorer.components.shared.arrays import frame
from explorer.inference.at_hand import around, at_hand
from explorer.inference.settings import NAMES, ModelSettings, read
from transformer_core.errors import InputError

_MOST = 8  # pictures that one question may be about


@dataclass(frozen=True)
class Question:
    """The pictures that are wanted of some settings, of which `turned` is being changed. `n` is said in the answer."""

    n: int
    settings: ModelSettings
    turned: str
    want: list[tuple[str, dict[str, Any]]]

    @classmethod
    def read(cls, text: str) -> "Question":
        """{n, settings, turned, want: [{picture, choices}, ...]} in JSON. Raises ValueError for anything else."""
        try:
            said = json.loads(text)
            question = cls(
                said["n"], read(said["settings"]), said["turned"], [(w["picture"], w["choices"]) for w in said["want"]]
            )
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError("no question") from error
        if type(question.n) is not int or question.turned not in NAMES or len(question.want) > _MOST:
            raise ValueError("no question")
        if not all(isinstance(picture, str) and isinstance(choices, dict) for picture, choices in question.want):
            raise ValueError("no pictures")
        return question

    def answer(self) -> bytes:
        """{n, pictures, nearest}, framed. `pictures` is None where there are none to be had at once; `nearest` is the value of
        the setting `turned` that they are of, where that is not the one that was asked for. Raises ValueError for pictures
        that there are not."""
        pictures = nearest = None
        try:
            if (found := at_hand(self.settings, self.turned)) is not None:
                shown, settings = found
                pictures = [numbers(shown, picture, choices) for picture, choices in self.want]
                nearest = None if settings == self.settings else getattr(settings, self.turned)
        except InputError:  # the page says what is wrong, when the knob is let go
            pictures = None
        return frame({"n": self.n, "pictures": pictures, "nearest": nearest})

    def likely(self) -> list[ModelSettings]:
        """What will be asked for next, the likeliest first: where else the knob can stand."""
        try:
            return around(self.settings, self.turned)
        except InputError:
            return []
