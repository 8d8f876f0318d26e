"""The load of the server in words: visitors, the time that actions take, training, and memory."""

from collections.abc import Sequence

import streamlit as st

from explorer import limits, resources
from explorer.i18n import _, n_
from explorer.many_machines.ray_workers import cluster_address
from explorer.model_on_screen.shared_cache import kept_by_all
from explorer.runtime import memory
from explorer.runtime.metrics import Minute, Spread
from explorer.runtime.turns import METRICS, TURNS, Kind
from explorer.ui import document
from explorer.ui.format import size_words
from explorer.ui.fragment import fragment
from explorer.ui.navigation import CONTENTS

_EVERY = 5.0  # seconds between two looks
_SOON = 2.0  # seconds within which 19 of 20 actions ought to be answered
_LEAST = 0.05  # the share of memory that ought to be free
_FEW = 20  # actions, of which 19 of 20 mean something


def draw() -> None:
    """The page: one sentence that judges, and what it rests on."""
    if limits.COPIES > 1:
        st.caption(
            _("This is one of {n} copies of the app, and counts the people, pages and runs of its own.").format(n=limits.COPIES)
        )
    _view()


@fragment(run_every=_EVERY)
def _view() -> None:
    now, left = METRICS.last_minute(), memory.free_and_total()
    _judge(now, left)
    _people(now)
    _times(now)
    _training()
    _memory(left)


def _judge(now: Minute, left: tuple[int, int] | None) -> None:
    if left is not None and left[0] < _LEAST * left[1]:
        st.error(
            _(
                "Memory is running out: {free} of {all} are free. Ask people to stop runs that they no longer need, or start "
                "the app on a machine with more memory."
            ).format(free=size_words(left[0]), all=size_words(left[1])),
            icon=":material/memory:",
        )
        return
    if now.answered is None or now.waited is None or now.took is None:
        st.info(_("No page was drawn in the last minute."), icon=":material/hourglass_empty:")
        return
    times = {"most": _seconds(now.answered.most), "waited": _seconds(now.waited.most), "took": _seconds(now.took.most)}
    few = now.actions < _FEW
    if now.answered.most <= _SOON:
        words = (
            _("All is well: the slowest action was answered within {most}.")
            if few
            else _("All is well: 19 of 20 actions were answered within {most}.")
        )
        st.success(words.format(**times), icon=":material/check_circle:")
    elif now.waited.most > now.took.most:
        words = (
            _(
                "People wait for each other: pages are computed one after another, and the slowest action got its turn after "
                "{waited}."
            )
            if few
            else _(
                "People wait for each other: pages are computed one after another, and 19 of 20 actions now get their turn "
                "within {waited}."
            )
        )
        advice = _("Ask half of the room to watch for a while, or start the app with more copies: `python -m explorer.serve`.")
        st.warning(f"{words} {advice}".format(**times), icon=":material/group:")
    else:
        words = (
            _("Some pages take long to compute: the slowest action took {took}, and none waited as long for its turn.")
            if few
            else _(
                "Some pages take long to compute: 19 of 20 actions are computed within {took}, and wait less than that for "
                "their turn."
            )
        )
        advice = _("Ask for smaller models and shorter sentences.")
        st.warning(f"{words} {advice}".format(**times), icon=":material/hourglass_top:")


def _people(now: Minute) -> None:
    pages = METRICS.pages(resources.is_open)
    here, rate, share = st.columns(3)
    here.metric(_("open windows"), f"{pages.total()}", help=_("browser tabs that are connected, this one included"))
    rate.metric(
        _("actions per second"),
        f"{now.per_second:.2g}",
        help=_(
            "pages opened, settings changed and pages drawn anew while a model learns, in the last minute; pictures that "
            "follow a setting while it is moved are not counted"
        ),
    )
    share.metric(
        _("time spent on pages"),
        f"{now.busy:.0%}",
        help=_("the share of the last minute in which a page was being computed: at 100% the rest have to wait"),
    )
    names = [
        _("{page}: {n}").format(page=_(CONTENTS[name].title), n=count)
        for name, count in pages.most_common()
        if name in CONTENTS
    ]
    if names:
        st.markdown(_("Windows on each page: {pages}.").format(pages=", ".join(names)))


def _times(now: Minute) -> None:
    document.section(_("How long an action takes"))
    waiting = sum(map(TURNS.waiting, Kind))
    lines = [
        n_("In the queue now: {n} page or part of a page.", "In the queue now: {n} pages or parts of pages.", waiting).format(
            n=waiting
        )
    ]
    if now.waited is not None and now.took is not None and now.answered is not None:
        lines += [
            *_spreads(now, now.waited, now.took, now.answered),
            n_(
                "That is {n} action of the last minute. Parts of pages that redraw themselves, such as a run that somebody "
                "watches, are not among them: {redrawn}.",
                "These are the {n} actions of the last minute. Parts of pages that redraw themselves, such as a run that "
                "somebody watches, are not among them: {redrawn}.",
                now.actions,
            ).format(n=now.actions, redrawn=now.redrawn),
        ]
    _list(lines)


def _spreads(now: Minute, *times: Spread) -> list[str]:
    """The times that actions waited, computed, and both; with few actions no “19 of 20” is given."""
    words = (
        (
            _("Waiting for a turn: {median} (median); the slowest {most}."),
            _("Computing: {median} (median); the slowest {most}."),
            _("Both together: {median} (median); the slowest {most}."),
        )
        if now.actions < _FEW
        else (
            _("Waiting for a turn: {median} (median); 19 of 20 within {most}."),
            _("Computing: {median} (median); 19 of 20 within {most}."),
            _("Both together: {median} (median); 19 of 20 within {most}."),
        )
    )
    return [
        each.format(median=_seconds(spread.median), most=_seconds(spread.most))
        for each, spread in zip(words, times, strict=True)
    ]


def _training() -> None:
    document.section(_("What trains"))
    scheduler = resources.training_scheduler()
    every = scheduler.runs()
    waiting = sum(scheduler.queue_position(run) is not None for run in every)
    runs = sum(run.wants_work() for run in every) - waiting
    held = sum(run.plan.bytes for run in every if run.has_memory)
    learned = resources.learning().under_way
    lines = [
        n_("Under way: {n} run; in the queue: {waiting}.", "Under way: {n} runs; in the queue: {waiting}.", runs),
        n_("{n} of them is a model that settings need.", "{n} of them are models that settings need.", learned),
        n_(
            "They share {n} worker of this server, beside what computes pages.",
            "They share {n} workers of this server, beside what computes pages.",
            limits.WORKERS,
        ),
    ]
    lines = [line.format(n=n, waiting=waiting) for line, n in zip(lines, (runs, learned, limits.WORKERS), strict=True)]
    if not learned:
        del lines[1]
    if cluster_address():
        lines.append(_("While the cluster that EXPLORER_CLUSTER names answers, runs train there as well."))
    words = _("The models of runs, paused and finished ones included, take an estimated {used} of at most {most}.")
    _list([*lines, words.format(used=size_words(held), most=size_words(limits.TRAINING_BYTES))])


def _memory(left: tuple[int, int] | None) -> None:
    document.section(_("Memory"))
    used, (kept, most) = memory.used(), kept_by_all()
    lines = [
        _("What has been computed is kept, so that it need not be computed again: {kept} of at most {most}.").format(
            kept=size_words(kept), most=size_words(most)
        ),
        _("Models that have learned: {kept} of at most {most}.").format(
            kept=size_words(resources.model_store().nbytes), most=size_words(limits.MODEL_BYTES)
        ),
    ]
    if used is not None:
        lines.insert(0, _("This process takes {used}, without its workers.").format(used=size_words(used)))
    if left is not None:
        lines.append(_("Free here: {free} of {all}.").format(free=size_words(left[0]), all=size_words(left[1])))
    _list(lines)


def _list(lines: Sequence[str]) -> None:
    st.markdown("\n".join(f"- {line}" for line in lines))


def _seconds(seconds: float) -> str:
    """0.04 s, 1.2 s, 30 s."""
    digits = 2 if seconds < 1 else 1 if seconds < 10 else 0
    return _("{seconds} s").format(seconds=f"{seconds:.{digits}f}")
