"""One visitor's session, and the rerun that is under way.

Where a rerun begins and ends stands in `rerun.py`. A fragment's rerun skips the router: it goes on with what the last whole
rerun found.
"""

import threading
from collections.abc import Hashable
from dataclasses import dataclass, field

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from explorer import i18n
from explorer.inference.settings import ModelSettings
from explorer.inference.shown_model import ShownModel, show_model
from explorer.inference.sweeps import SweepFile
from explorer.session.address import Address
from explorer.session.untold import Untold
from explorer.training.ablations import AblationPair
from transformer_core.errors import InputError

Value = str | int | float | bool
Shape = tuple[int, ...]
_KEY = "_session"
# Each rerun has a thread of its own, in which every word that is looked up asks for the session: it is found once.
_here = threading.local()


@dataclass(frozen=True)
class Notice:
    """One sentence that waits for the page it belongs to."""

    page: str
    error: InputError


@dataclass(frozen=True)
class Besides:
    """Models that a window has asked for besides the one on screen, to be learned one after another.

    Attributes:
        screen: the key of the model on screen: they are asked for as long as that is there.
    """

    screen: str
    others: tuple[ModelSettings, ...]


@dataclass
class Rerun:
    """What holds from the beginning of a whole rerun to the next.

    Attributes:
        page: the name of its file; "" where a page script runs alone, without the router.
        arriving: whether another page was on screen before. Streamlit forgets then what the controls said.
        stepping: whether the browser has gone back or forward.
        linked: names of the shared settings that the address has just given a value.
        drawn: value and default of each control that is on screen, by its name; left: names of those that were before.
        highlight: the parts of the model that are on screen, and the layer, for the small map in the corner.
        corner: where that map is drawn; None on a page without it.
        line: where the page's parts and pickers stand; None until the first of them is drawn.
    """

    page: str = ""
    arriving: bool = False
    stepping: bool = False
    linked: frozenset[str] = frozenset()
    shown: ShownModel | InputError | None = None
    drawn: dict[str, tuple[Value, Value]] = field(default_factory=dict)
    left: frozenset[str] = frozenset()
    highlight: tuple[tuple[str, ...], int | None] | None = None
    corner: DeltaGenerator | None = None
    line: DeltaGenerator | None = None


@dataclass
class Session:
    """What a visitor has, from opening a window to closing it.

    Attributes:
        language: the id of a language of i18n; `chosen_language` is what the picker or the link says, if they do.
        run_id: the training run on screen, one's own or one that a link names.
        cancelled: the key of the model on screen, where this visitor does not want to wait until it has learned.
        away_told: whether this window has said that the shared folder of models is away.
        besides: what else is to learn, as soon as the model on screen has.
        steps: in the browser's history, back or forward, that this window has followed.
        misread: what the address said of a control and was not understood, and what that showed instead; by its name.
        remembered: what each control said when it was last on screen, where it was not just its default; and all settings.
        defaults: of each control, when it was last on screen.
        settings_on_screen: names of the shared settings whose widgets the last rerun has drawn.
        untold: what those widgets said before they were given other values, while the browser may not know of that.
        titles: what the options of each list are called on screen (see `ui.widgets.retitle`).
        ends: lowest, highest and step of each slider of a page, when it was last on screen.
        replaced: how often the widget of this name gave way to another one (see `ui.widgets.offer`).
        measured: what was measured at the press of a button, by the name of the part; last_shapes: of every stage.
        pressed: buttons that are read where they are drawn, by their keys, and what was on screen when they were pressed.
        sweep: the id of the table of a sweep that this visitor has opened, which the address says; sweep_open: that table.
        sweep_read: the upload that was read last, and whatever it held.
    """

    address: Address = field(default_factory=Address)
    language: str = i18n.ENGLISH
    chosen_language: str | None = None
    settings: ModelSettings = field(default_factory=ModelSettings)
    run_id: str | None = None
    ablation: AblationPair | None = None
    notice: Notice | None = None
    cancelled: str | None = None
    away_told: bool = False
    besides: Besides | None = None
    steps: int = 0
    misread: dict[str, tuple[str, Value | None]] = field(default_factory=dict)
    remembered: dict[str, Value] = field(default_factory=dict)
    defaults: dict[str, Value] = field(default_factory=dict)
    settings_on_screen: set[str] = field(default_factory=set)
    untold: Untold = field(default_factory=Untold)
    titles: dict[str, list[str]] = field(default_factory=dict)
    ends: dict[str, tuple[float, float, float]] = field(default_factory=dict)
    replaced: dict[str, int] = field(default_factory=dict)
    measured: dict[str, Hashable] = field(default_factory=dict)
    last_shapes: dict[str, Shape] = field(default_factory=dict)
    pressed: dict[str, Rerun] = field(default_factory=dict)
    sweep: str | None = None
    sweep_open: SweepFile | None = None
    sweep_read: tuple[str, SweepFile] | None = None
    rerun: Rerun = field(default_factory=Rerun)

    def shown(self) -> ShownModel:
        """The model on screen, found once in a rerun. Raises InputError for what cannot be shown."""
        if self.rerun.shown is None:
            try:
                self.rerun.shown = show_model(self.settings, waits=self.cancelled is None)
            except InputError as error:
                self.rerun.shown = error
        if isinstance(self.rerun.shown, InputError):
            raise self.rerun.shown
        return self.rerun.shown

    def take_notice(self) -> InputError | None:
        """The sentence that waits for the page on screen, once."""
        notice = self.notice
        if notice is None or notice.page != self.rerun.page:
            return None
        self.notice = None
        return notice.error


def current() -> Session:
    """The session of the window that is being drawn; a new one on its first rerun."""
    return _of(get_script_run_ctx(suppress_warning=True))


def _of(context: ScriptRunContext | None) -> Session:
    if context is None or getattr(_here, "context", None) is not context:
        if _KEY not in st.session_state:
            st.session_state[_KEY] = Session()
        _here.context, _here.session = context, st.session_state[_KEY]
    session: Session = _here.session
    return session


def _language() -> str | None:
    """That of the session that is being drawn; None in other threads, and before its first rerun has begun."""
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else _of(context).language


i18n.set_language_source(_language)
