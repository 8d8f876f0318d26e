"""The request of a browser for a picture, or for a run's curves, as code, and the answer."""

import json
from dataclasses import dataclass
from typing import Any, Literal

from explorer import i18n, resources
from explorer.model_on_screen.settings import ModelSettings, read
from explorer.model_on_screen.shown_model import show_model
from explorer.pictures import every as _every  # noqa: F401
from explorer.programs.of_run import program_of_run
from explorer.programs.program import Program, program_of, safe_address

Ending = Literal["py", "ipynb"]
_LONGEST_TITLE = 200


@dataclass(frozen=True)
class CodeRequest:
    """A wish for the code of a picture of the model on screen, or of the curves of a run.

    Attributes:
        settings: of the model on screen.
        picture, choices: the picture's name, and what its page has chosen; "" for a run.
        run: its id; "" for a picture.
        language: of the labels.
        address, title: of the page, which the head of the program names.
    """

    settings: ModelSettings
    picture: str
    choices: dict[str, Any]
    run: str
    language: str
    ending: Ending
    address: str
    title: str

    @classmethod
    def read(cls, text: str | bytes) -> "CodeRequest":
        """Parses {settings, picture, choices, language, ending, address, title} in JSON, with `run` in place of picture and
        choices for a run. Raises ValueError for others."""
        try:
            fields = json.loads(text)
            fields |= {"picture": "", "choices": {}} if "run" in fields else {"run": ""}
            texts = {name: fields[name] for name in ("picture", "run", "language", "ending", "address", "title")}
            choices, settings = fields["choices"], read(fields["settings"])
        except (KeyError, TypeError, RecursionError) as error:
            raise ValueError("this does not ask for the code of a picture") from error
        if not isinstance(choices, dict) or not all(isinstance(each, str) for each in texts.values()):
            raise ValueError("this does not ask for the code of a picture")
        if texts["ending"] not in ("py", "ipynb") or texts["language"] not in (*i18n.LANGUAGES, i18n.PSEUDO):
            raise ValueError("this does not ask for a kind of file, or for a language, that there is")
        texts["address"], texts["title"] = safe_address(texts["address"]), " ".join(texts["title"].split())[:_LONGEST_TITLE]
        return cls(settings=settings, choices=choices, **texts)

    def answer(self) -> str:
        """Returns the content of the file. Raises ValueError for a picture, choices or a run that does not exist, InputError
        for a model that cannot be shown."""
        with i18n.speaking(self.language):
            program = self._of_run() if self.run else self._of_picture()
            return program.as_python() if self.ending == "py" else program.as_notebook()

    def _of_picture(self) -> Program:
        shown = show_model(self.settings)
        return program_of(shown, self.settings, self.picture, self.choices, self.address, self.title)

    def _of_run(self) -> Program:
        """As with its film, whoever knows a run's id may watch it, and so ask for it."""
        run = next((each for each in resources.training_scheduler().runs() if each.id == self.run), None)
        if run is None:
            raise ValueError("there is no such run")
        return program_of_run(run.history(), self.address, self.title)
