"""One visitor's session, and the rerun that is under way.

`rerun.py` holds the beginning and the end of a rerun. A fragment's rerun skips the router: it goes on with what the last whole
rerun found.
"""

import threading
from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import i18n
from explorer.learning.ablations import AblationPair
from explorer.model_on_screen.settings import FIRST_TASK, ModelSettings
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.model_on_screen.sources import Reader, check, example, reader_of
from explorer.session.address import Address
from explorer.session.lesson import Draft, Lesson
from explorer.session.stale_widgets import StaleWidgets
from explorer.streamlit_patches import script_run
from transformer_core.errors import InputError, TextError

Value = str | int | float | bool
Shape = tuple[int, ...]
_KEY = "_session"
_GUESS = "guess"  # the sentence whose guess was asked for, in the address
PAGES_OF_ANY_LENGTH = ("positions", "masks", "shapes")  # show sources of any length, and models that cannot learn
PAGES_WITHOUT_MODEL = (
    "home",
    "story",
    "look_closer",
    "next_word",
    "be_the_head",
    "predict",
    "training",
    "one_step",
    "compare",
    "break_it",
    "hunt",
    "sentences",
    "reference",
    "lesson",
    "host",
)  # show nothing of the settings' model
# Each rerun has its own thread, in which every translated word asks for the session: it is cached there.
_here = threading.local()


@dataclass(frozen=True)
class Notice:
    """One message that waits for the page it belongs to."""

    page: str
    error: InputError


@dataclass(frozen=True)
class BackgroundModels:
    """Models requested by a window besides the one on screen, to be learned one after another.

    Attributes:
        screen: the key of the model on screen: the request holds as long as that is there.
    """

    screen: str
    others: tuple[ModelSettings, ...]


@dataclass(frozen=True)
class Typed:
    """The text last typed into a number field, and the number then shown: the typed one or, if that was `refused`, the one
    before.
    """

    text: str
    value: float
    refused: bool = False


@dataclass
class Rerun:
    """The state from the beginning of a whole rerun to the next.

    Attributes:
        page: the name of its file; "" where a page script runs alone, without the router.
        arriving: whether another page was on screen before, so that Streamlit has forgotten what the controls said.
        stepping: whether the browser has gone back or forward.
        linked: names of the shared settings that the address has just given a value.
        drawn: value and default of each control that is on screen, by its name; left: names of those that were before.
        highlight: the parts of the model that are on screen, and the layer, for the small map in the corner.
        corner: where that map is drawn; None on a page without it.
        changes: where the cuts and the changed weights of the model are listed.
        line: where the page's parts and pickers stand; None until the first of them is drawn.
        whole: whether the page shows all its controls; has_more: whether it can do without some (see `ui.more`).
        holds_back: whether the controls that are drawn now wait until it does; behind: names of all of these, and whether
            any is `held_back`.
        parts: ids of the parts that the page has.
        settings: those of the model on screen; if the typed source is `refused`, with the source before it.
    """

    page: str = ""
    arriving: bool = False
    stepping: bool = False
    linked: frozenset[str] = frozenset()
    shown: ShownModel | InputError | None = None
    settings: ModelSettings | None = None
    refused: TextError | None = None
    drawn: dict[str, tuple[Value, Value]] = field(default_factory=dict)
    left: frozenset[str] = frozenset()
    highlight: tuple[tuple[str, ...], int | None] | None = None
    corner: DeltaGenerator | None = None
    changes: DeltaGenerator | None = None
    line: DeltaGenerator | None = None
    whole: bool = True
    has_more: bool = False
    holds_back: bool = False
    behind: set[str] = field(default_factory=set)
    held_back: bool = False
    parts: tuple[str, ...] = ()


@dataclass
class TaskChoice:
    """Which task is on screen, and who has chosen it.

    Attributes:
        first: the task that this browser shows if nothing names one (see `shell.first_task`).
        is_chosen: whether this visitor, or a link, has named the task.
        is_of_page: whether the settings are those of a page with its own default task.
        parked_settings: the other pages' settings meanwhile; or on those, the settings of such a page. None: there were none.
    """

    first: str = FIRST_TASK
    is_chosen: bool = False
    is_of_page: bool = False
    parked_settings: ModelSettings | None = None


@dataclass
class Learning:
    """The requests of a window to the models that learn in the background.

    Attributes:
        cancelled: the key of the model on screen, if this visitor does not want to wait until it has learned.
        background_models: to be learned once the model on screen has.
    """

    cancelled: str | None = None
    background_models: BackgroundModels | None = None


@dataclass
class Controls:
    """The values of the controls of the pages, from one rerun to the next.

    Attributes:
        misread: by control, what the address said and was not understood, and what was shown instead.
        remembered: the last value of each control on screen, if it was not just its default; and all settings.
        defaults: of each control, when it was last on screen; labels: likewise.
        settings_on_screen: names of the shared settings whose widgets the last rerun has drawn.
        stale_widgets: the former values of those widgets, while the browser may still send them.
        titles: the titles of each list's options on screen (see `ui.widgets.retitle`).
        ends: lowest, highest and step of each slider of a page, when it was last on screen.
        replaced: how often the widget of this name was replaced by another (see `ui.widgets.linked_select`).
        typed: into the fields of numbers, by their names.
        pressed: buttons that are read where they are drawn, by their keys, and the rerun in which they were pressed.
        read_before: the last text of each field that could be answered.
        refused_files: why the file in a field could not be taken, by the field's name.
        kept: what the address does not hold and a step back does not undo: typed reasons, and the looks of each hunt.
    """

    misread: dict[str, tuple[str, Value | None]] = field(default_factory=dict)
    remembered: dict[str, Value] = field(default_factory=dict)
    defaults: dict[str, Value] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    settings_on_screen: set[str] = field(default_factory=set)
    stale_widgets: StaleWidgets = field(default_factory=StaleWidgets)
    titles: dict[str, list[str]] = field(default_factory=dict)
    ends: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    replaced: dict[str, int] = field(default_factory=dict)
    typed: dict[str, Typed] = field(default_factory=dict)
    pressed: dict[str, Rerun] = field(default_factory=dict)
    read_before: dict[str, str] = field(default_factory=dict)
    refused_files: dict[str, InputError] = field(default_factory=dict)
    kept: dict[str, str] = field(default_factory=dict)


@dataclass
class Session:
    """The state of a visitor, from opening a window to closing it.

    Attributes:
        language: the id of a language of i18n; `chosen_language` is the one of the picker or the link, if any.
        run_id: the training run on screen, one's own or one that a link names.
        steps: in the browser's history, back or forward, that this window has followed.
        lesson: the one on screen, if a link has begun one; draft: the one that this visitor makes.
        measured: results that a button has asked for, by the name of the part; last_shapes: of every stage.
        pairs: the visitor's own sentences; own_text: their text; asked: what their model is asked, all as they were typed. The
            address does not hold them.
    """

    address: Address = field(default_factory=Address)
    language: str = i18n.ENGLISH
    chosen_language: str | None = None
    settings: ModelSettings = field(default_factory=ModelSettings)
    task: TaskChoice = field(default_factory=TaskChoice)
    learning: Learning = field(default_factory=Learning)
    controls: Controls = field(default_factory=Controls)
    run_id: str | None = None
    ablation: AblationPair | None = None
    notice: Notice | None = None
    steps: int = 0
    lesson: Lesson | None = None
    draft: Draft = field(default_factory=Draft)
    measured: dict[str, Hashable] = field(default_factory=dict)
    last_shapes: dict[str, Shape] = field(default_factory=dict)
    pairs: str = ""
    own_text: str = ""
    asked: str = ""
    rerun: Rerun = field(default_factory=Rerun)

    @property
    def shows_model(self) -> bool:
        """True if the page on screen shows the model of the settings."""
        return self.rerun.page not in PAGES_WITHOUT_MODEL

    def shown(self) -> ShownModel:
        """The model on screen, found once per rerun. Raises InputError if it cannot be shown."""
        if self.rerun.shown is None:
            try:
                self._choose_source()
                self.rerun.shown = show_model(self.on_screen, waits=self.learning.cancelled is None)
            except InputError as error:
                self.rerun.shown = error
        if isinstance(self.rerun.shown, InputError):
            raise self.rerun.shown
        return self.rerun.shown

    @property
    def on_screen(self) -> ModelSettings:
        """The settings of the model on screen, once that was asked for."""
        return self.rerun.settings or self.settings

    def _choose_source(self) -> None:
        """Keeps the last source on screen if the typed one cannot be answered."""
        reader = reader_of(self.settings)
        if reader.in_words and self.settings.input == "lengths":
            return

        name, any_kind = reader.setting, self.rerun.page in PAGES_OF_ANY_LENGTH
        text, self.rerun.refused = self.answerable(name, getattr(self.settings, name), reader, any_kind=any_kind)
        source: dict[str, Any] = {name: text}
        self.rerun.settings = replace(self.settings, **source)

    def answerable(
        self, name: str, text: str, reader: Reader, usual: str = "", *, any_kind: bool = False
    ) -> tuple[str, TextError | None]:
        """Returns the typed text of a field; if a model cannot read it, or was never taught such a sentence, the last text of
        the field that it can answer, and the reason.

        Args:
            name: of the field.
            usual: the text if nothing was typed before; "": the reader's own.
            any_kind: whether sentences may be of a kind that was never taught.
        """
        why = self._why_not(text, reader, any_kind)
        if why is None:
            self.controls.read_before[name] = text
            self.note_guess(text)
            return text, None
        for other in (self.controls.read_before.get(name, ""), usual or example(reader)):
            if self._why_not(other, reader, any_kind) is None:
                return other, why
        return text, None  # the model can read nothing, which it says when it is asked for

    def _why_not(self, text: str, reader: Reader, any_kind: bool) -> TextError | None:
        try:
            check(reader, text, taught=not (any_kind or self.wants_guess(text)))
        except TextError as error:
            return error
        return None

    def wants_guess(self, text: str) -> bool:
        """True if the visitor, or a link, asks for the model's guess at this sentence, which it was never taught."""
        if _GUESS in self.address.news:
            self.controls.remembered[_GUESS] = self.address.news.pop(_GUESS) or ""
        return self.controls.remembered.get(_GUESS) == text

    def note_guess(self, text: str) -> None:
        """Records in the address that the guess for this sentence is on screen."""
        if self.wants_guess(text):
            self.rerun.drawn[_GUESS] = (text, "")

    def ask_guess(self, text: str) -> None:
        """Shows the guess from the next rerun on (call it in a callback)."""
        self.controls.remembered[_GUESS] = text

    def take_notice(self) -> InputError | None:
        """Returns the message that waits for the page on screen, once."""
        notice = self.notice
        if notice is None or notice.page != self.rerun.page:
            return None
        self.notice = None
        return notice.error


def current() -> Session:
    """The session of the window that is being drawn; a new one on its first rerun."""
    return _of(script_run.of_this_thread())


def _of(run: object | None) -> Session:
    if run is None or getattr(_here, "run", None) is not run:
        if _KEY not in st.session_state:
            st.session_state[_KEY] = Session()
        _here.run, _here.session = run, st.session_state[_KEY]
    session: Session = _here.session
    return session


def _language() -> str | None:
    """Returns the session that is being drawn; None in other threads, and before its first rerun has begun."""
    run = script_run.of_this_thread()
    return None if run is None else _of(run).language


i18n.set_language_source(_language)
