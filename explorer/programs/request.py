"""The request of a browser for a picture as code, and the answer."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from explorer import i18n
from explorer.model_on_screen.settings import ModelSettings, read
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures import every as _every  # noqa: F401
from explorer.programs.program import program_of, safe_address

Ending = Literal["py", "ipynb"]
_LONGEST_TITLE = 200


@dataclass(frozen=True)
class CodeRequest:
    """A wish for the code of a picture.

    Attributes:
        picture, choices: its name, and what its page has chosen.
        language: of the labels.
        address, title: of the page, which the head of the program names.
    """

    settings: ModelSettings
    picture: str
    choices: dict[str, Any]
    language: str
    ending: Ending
    address: str
    title: str

    @classmethod
    def read(cls, text: str | bytes) -> "CodeRequest":
        """Parses {settings, picture, choices, language, ending, address, title} in JSON. Raises ValueError for others."""
        try:
            said = json.loads(text)
            texts = {name: said[name] for name in ("picture", "language", "ending", "address", "title")}
            choices, settings = said["choices"], read(said["settings"])
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError("this does not ask for the code of a picture") from error
        if not isinstance(choices, dict) or not all(isinstance(each, str) for each in texts.values()):
            raise ValueError("this does not ask for the code of a picture")
        if texts["ending"] not in ("py", "ipynb") or texts["language"] not in (*i18n.LANGUAGES, i18n.PSEUDO):
            raise ValueError("this does not ask for a kind of file, or for a language, that there is")
        texts["address"], texts["title"] = safe_address(texts["address"]), " ".join(texts["title"].split())[:_LONGEST_TITLE]
        return cls(settings=settings, choices=choices, **texts)

    def answer(self) -> str:
        """Returns the content of the file. Raises ValueError for a picture or choices that do not exist, InputError for a
        model that cannot be shown."""
        with i18n.speaking(self.language):
            shown = show_model(self.settings)
            program = program_of(shown, self.settings, self.picture, self.choices, self.address, self.title)
            return program.as_python() if self.ending == "py" else program.as_notebook()
