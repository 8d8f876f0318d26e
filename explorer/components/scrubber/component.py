"""A slider over the kept steps of a model's learning, with the share right above it. It can be dragged, played, stepped, or
made to jump to a named step; until touched, it follows the end.

The browser moves it, the server draws its position. A new position is sent only when the previous one has been answered, so
playing is as fast as the pictures arrive, and a busy server gets fewer requests. The server may move it as well.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from everyday.translation import TRANSLATIONS
from explorer.components import register
from explorer.i18n import _, n_, share_text
from explorer.model_on_screen.first_aligned import first_aligned_step
from explorer.model_on_screen.learning_state import LearningState
from explorer.model_on_screen.progress import is_slow, seconds_left

_component = register("scrubber")
_LEVELS = (0.1, 0.5, 0.9)  # shares right that have a jump
_FEWEST = 2  # steps kept of every model: before the first one, and the end


@dataclass(frozen=True)
class Jump:
    """A button that jumps to a step, and a mark there; None if there is no such step (yet)."""

    name: str
    step: int | None


@dataclass(frozen=True)
class Track:
    """The steps that a scrubber moves along.

    Attributes:
        steps: those that can be shown, in order, at least one; 0 is the model as it was initialised.
        curve: (step, share right) of each evaluation, in order; may be empty.
        jumps: the steps with a name.
        live: whether more steps are coming.
        note: a line of text below, such as the time that is left.
        cancellable: whether there is a button that cancels the learning.
    """

    steps: Sequence[int]
    curve: Sequence[tuple[int, float]] = ()
    jumps: Sequence[Jump] = ()
    live: bool = False
    note: str = ""
    cancellable: bool = False


def show(
    track: Track,
    position: int | Literal["own"] | None = "own",
    *,
    key: str,
    on_move: Callable[[int | None], None] | None = None,
    on_cancel: Callable[[], None] | None = None,
    setting: str = "",
    locked: bool = False,
) -> int | None:
    """Draws the scrubber; returns the position of the pictures, or None if it follows the end.

    Args:
        position: its step; "own" if the scrubber alone decides. A missing step becomes the last one before.
        on_move: called with the step that a person has chosen, before the rerun that draws it; None for the end.
        on_cancel: called when the button is pressed.
        setting: the sidebar's setting whose knob it is: pictures may follow it while it is dragged (see `components.live`).
        locked: whether it stays where it is.
    """

    def moved() -> None:
        if on_move is not None:
            on_move(chosen(key))

    number, own = told(st.session_state.get(key))
    at = own if position == "own" else position
    data = sent(track, position=at, answered=number) | {"setting": setting, "locked": locked}
    _component(key=key, data=data, on_choice_change=moved, on_cancel_change=on_cancel or (lambda: None))
    return at


def chosen(key: str) -> int | None:
    """Returns the step to which the person has moved the scrubber of this key; None at the end."""
    return told(st.session_state.get(key))[1]


def track_of(learning: LearningState) -> Track:
    """Returns the steps of the model on screen, and what to expect while it is learning."""
    curve = [] if learning.curve is None else [(int(step), right) for step, right, _loss in learning.curve.tolist()]
    is_live = learning.state == "learning"
    jumps = reached(curve, learning.steps)
    known = learning.state == "learned" and learning.model is not None and len(learning.steps) > _FEWEST
    if known and learning.model is not None and (aligned_step := first_aligned_step(learning.model)) is not None:
        jumps.append(Jump(follows(aligned_step.task), aligned_step.step))
    note = _time_left(learning.model) if is_live else ""
    return Track(learning.steps, curve, jumps, live=is_live, note=note, cancellable=is_live)


def follows(task: str) -> str:
    """Returns the name of a head of cross-attention that looks at the source word from which the next word comes."""
    return _("first head that follows the translation") if task in TRANSLATIONS else _("first head that follows the answer")


def _time_left(key: str | None) -> str:
    """Says what to expect of a model that is learning; `key` is None before its first step."""
    expected = None if key is None else seconds_left(key)
    if expected is None:
        return _("It is learning: this computer is busy.") if is_slow() else _("It is learning: one moment.")
    left, known = expected
    if known:
        return n_("It is learning: about {n} second left.", "It is learning: about {n} seconds left.", left).format(n=left)
    return n_("It is learning: at most {n} second left.", "It is learning: at most {n} seconds left.", left).format(n=left)


def reached(curve: Sequence[tuple[int, float]], steps: Sequence[int]) -> list[Jump]:
    """Returns jumps to the first kept steps at which 10, 50 and 90% were right, each named by the share measured there, which
    may be far more if few steps were kept. If only the end was kept, nobody can see when it was.
    """
    jumps: dict[int | float, Jump] = {}  # by step, or by level if there is no step
    for level in _LEVELS:
        measured = next((step for step, share in curve if share >= level), None)
        step = None if measured is None else next((step for step in steps if step >= measured), None)
        if step is None:
            jumps[level] = Jump(_("{share} right").format(share=f"{level:.0%}"), None)
        elif step < steps[-1] or len(steps) > _FEWEST:
            share = [share for at, share in curve if at <= step][-1]
            words = share_text(share)
            jumps[step] = Jump(_("{share} right").format(share=words), step)
    return list(jumps.values())


def told(state: Any) -> tuple[int, int | None]:
    """Parses the browser's message: the number of its last choice, from 1, and its step; (0, None) for anything else."""
    choice = getattr(state, "choice", None)
    if not isinstance(choice, Mapping):
        return 0, None
    number, step = choice.get("number"), choice.get("step")
    return (number, step if type(step) is int else None) if type(number) is int else (0, None)


def numbers(track: Track) -> dict[str, Any]:
    """Returns what changes while a model is learning."""
    return {
        "steps": [int(step) for step in track.steps],
        "curve": [[int(step), float(share)] for step, share in track.curve],
        "jumps": [{"name": jump.name, "step": jump.step} for jump in track.jumps],
        "note": track.note,
    }


def sent(track: Track, *, position: int | None, answered: int) -> dict[str, Any]:
    """Returns the data for the browser; `answered` is the number of the last choice that `position` takes into account."""
    return numbers(track) | {
        "position": position,
        "answered": answered,
        "live": track.live,
        "cancellable": track.cancellable,
        "texts": {
            "name": _("learned for"),
            "initial": _("as initialised"),
            "duration": _("{step} of {last} steps"),
            "soFar": _("at step {step}"),
            "right": _("{share} right"),
            "back": _("previous step"),
            "next": _("next step"),
            "play": _("play"),
            "pause": _("pause"),
            "speed": _("play speed {speed}"),
            "cancel": _("cancel"),
            "latest": _("follow the latest step"),
            "jump": _("{name}: step {step}"),
            "nowhere": _("{name}: not reached so far"),
        },
    }
