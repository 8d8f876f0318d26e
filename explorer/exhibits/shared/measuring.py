"""Measurements that take long, done a little at a time while the picture fills.

A button starts them. For a model that comes with the app they start by themselves while few windows are open: with many, other
visitors would wait for a measurement that nobody asked for.
"""

import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import streamlit as st

from explorer import resources
from explorer.i18n import _
from explorer.model_on_screen.forward import ModelChoice
from explorer.model_on_screen.shown_model import ShownModel, is_offered
from explorer.model_on_screen.view_limits import check_measurement
from explorer.runtime.turns import METRICS
from explorer.session import current, run_all_again
from explorer.ui import document, pickers
from explorer.ui.fragment import fragment
from transformer_core import TransformerConfig
from transformer_core.analysis.bootstrap import COVERAGE, LEAST_COVERAGE
from transformer_core.data.tasks import Task, is_tested_on_training
from transformer_core.errors import InputError

_AT_ONCE, _BY_ITSELF = 0.5, 0.1  # seconds of measuring between two pictures, in which nothing else is done for this window
_FEW = 8  # open windows, up to which measurements start by themselves


class Measured(Protocol):
    """A measurement as far as it has come."""

    @property
    def progress(self) -> tuple[int, int]:
        """Returns how many of its numbers have been measured, and how many there are."""
        ...


Found = TypeVar("Found", bound=Measured)
Each = TypeVar("Each")


@dataclass(frozen=True)
class Several(Generic[Each]):
    """A measurement of several numbers; None: not measured yet."""

    found: Sequence[Each | None]

    @property
    def known(self) -> list[Each]:
        return [each for each in self.found if each is not None]

    @property
    def progress(self) -> tuple[int, int]:
        return len(self.known), len(self.found)


def is_all(found: Measured) -> bool:
    """Returns whether all is measured."""
    known, count = found.progress
    return known == count


def draw(
    key: str,
    shown: ShownModel,
    of: Sequence[ModelChoice],
    find: Callable[[Task, Callable[[], float]], Found],
    picture: Callable[[Found], None],
    label: str | None = None,
    operations: Callable[[Task, TransformerConfig], int] | None = None,
) -> None:
    """Draws the button of a measurement that has not begun; then its progress, and the picture of what is known.

    Args:
        key: names the measurement and its buttons.
        of: the models that are measured.
        find: measures on a task while there are seconds left, which the function it is given tells; returns all that is known.
        picture: draws what is known.
        label: of a button that is not the page's main one; the measurement then starts only when it is pressed.
        operations: counts those of the whole measurement, by task and configuration; too large a one is refused.
    """
    if (task := shown.taught) is None:
        st.info(_("The file does not say what this model has learned, so there is nothing to ask it."))
        return
    _say_what_is_asked(task)
    if any(choice.cuts and not choice.cuts.are_of_any_sentence for choice in of):
        st.info(_("A cut of a word or of a link means something in this sentence alone. Undo it to measure on other ones."))
        return
    if operations is not None:
        try:
            check_measurement(shown.cfg, partial(operations, task))
        except InputError as error:
            document.refusal(error)
            return
    by_itself = (
        label is None and METRICS.windows(resources.is_open) <= _FEW and all(is_offered(each, shown.task) for each in of)
    )
    step_by_step(key, (tuple(of), task), partial(find, task), picture, label, by_itself)


def about_intervals() -> str:
    """Says how often the intervals of costs hold the truth."""
    return _(
        "Most sequences cost little and a few cost much, so an interval can miss the truth when too few of those were asked. "
        "Tried on the translators that come with the app, with 200 of 2,500 sequences at a time: intervals made in this way "
        "(studentised bootstrap) held the cost over all of them in {mean:.0%} of cases, on average over the heads, and for "
        "every head in more than {least:.0%}."
    ).format(mean=COVERAGE, least=LEAST_COVERAGE)


def _say_what_is_asked(task: Task) -> None:
    """Warns where there are too few sequences to hold any out."""
    if is_tested_on_training(task):
        st.caption(_("Too few sequences to hold any out: those that are asked here are those that the model has learned from."))


def step_by_step(
    key: str,
    asked: tuple[Hashable, ...],
    find: Callable[[Callable[[], float]], Found],
    picture: Callable[[Found], None],
    label: str | None = None,
    by_itself: bool = False,
) -> None:
    """Draws a measurement as `draw` does, but of anything, without its checks.

    Args:
        asked: identifies the measurement: when it changes, another one has to be started.
        by_itself: starts without a button.
    """

    def found(seconds: float) -> Found:
        until = time.monotonic() + seconds
        return find(lambda: max(until - time.monotonic(), 0.0))

    begun, at_once = current().measured, _BY_ITSELF if by_itself else _AT_ONCE
    seconds = at_once
    if by_itself and begun.get(key, ()) not in (asked, None):
        begun[key], seconds = asked, 0.0  # the page is drawn before anything is measured
    unfinished = not is_all(found(0.0))
    if unfinished and begun.get(key) != asked:
        st.button(
            label or _("Measure"),
            key=f"measure-{key}",
            icon=":material/straighten:",
            on_click=_begin,
            args=(key, asked),
            type="secondary" if label else "primary",
        )
        return

    @fragment(run_every=0.05 if unfinished else None)
    def view() -> None:
        nonlocal seconds
        now, seconds = found(seconds if unfinished else 0.0), at_once
        if unfinished and is_all(now):
            run_all_again()  # the whole page: nothing is left to be measured
        if unfinished:
            known, count = now.progress
            with pickers.row("progress"):
                st.progress(known / count, _("{n} of {all} measured").format(n=known, all=count))
                st.button(_("Cancel"), key=f"cancel-{key}", on_click=_stop, args=(key,))
        picture(now)

    view()


def _begin(key: str, asked: tuple[Hashable, ...]) -> None:
    current().measured[key] = asked


def _stop(key: str) -> None:
    current().measured[key] = None
