"""Heads that learn to repeat: a plateau, a cliff, and two heads that are cut."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer.figures.lines import bars, curves
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.repeat_course import CHANGES, ROWS, TASK, RepeatCourse, cost_of_heads, course_of, judged, models
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.ui import document, pickers
from explorer.ui.format import percent
from explorer.ui.navigation import link
from explorer.ui.widgets import choose
from transformer_core.analysis.cutting import HeadCut

_LOW, _HIGH = 0.3, 0.8  # shares right, between which the curve is steep
_WORKS = 0.3  # share of attention from which a head counts as one that looks at the token after the last time


def draw() -> None:
    """Draws how the heads come about, and what cutting them costs."""
    st.markdown(
        _(
            "Random letters, then a part of them again: `T B K D Q A F K D Q A …` Nothing but what stands there tells how it "
            "goes on. No row comes twice: **how can it repeat what it never saw?**"
        )
    )
    titles = {
        "one": _("two layers, one head each"),
        "four": _("two layers, four heads each"),
        "flat": _("one layer"),
    }
    with pickers.line():
        name = choose("repeat_model", _("model"), [*CHANGES], titles, hidden=True)
    shown = show_model(models()[name])
    course = course_of(shown)
    left, right = st.columns(2, gap="large")
    with left:
        document.picture(_learned(shown), _learned_words(shown), "repeat-learned")
    with right:
        document.picture(_shares(course), _shares_words(course), "repeat-heads")
    _cut(shown, course, is_flat=name == "flat")
    with st.container(key="closer-ways", horizontal=True):
        sizes: dict[str, str | int] = dict(CHANGES[name])
        link("heads", _("its heads, on a row"), task=TASK, **sizes)
        link("training", _("let one learn, and watch the cliff"), task=TASK, **sizes)
    document.details("repeating", _details)


def _learned(shown: ShownModel) -> Figure:
    curve = shown.learning.curve
    assert curve is not None
    steps, share, loss = curve.T
    series = {_("share right"): share, _("loss (nats per letter)"): loss}
    return curves(steps.astype(int), series, x_title=_("step"), markers=True, gaps=False)


def _learned_words(shown: ShownModel) -> str:
    """Says where the share right rises, if it does."""
    curve = shown.learning.curve
    assert curve is not None
    steps, share, _loss = curve.T
    two_ways = _("A letter that the part has twice goes on in two ways, so all cannot be right.")
    if share.max() < _HIGH:
        words = _("it rises to {most}, and stays there.")
        return f"{words.format(most=percent(float(share.max())))} {two_ways}"
    low, high = int(np.flatnonzero(share < _LOW)[-1]), int(np.flatnonzero(share >= _HIGH)[0])
    words = _("long nearly flat, then steep: {low} right at step {first}, {high} at step {then}, {last} at the end.")
    told = {"first": int(steps[low]), "then": int(steps[high]), "last": percent(float(share[-1]))}
    return f"{words.format(low=percent(float(share[low])), high=percent(float(share[high])), **told)} {two_ways}"


def _shares(course: RepeatCourse) -> Figure:
    """Draws of each layer the head with the largest share of each kind at the end."""
    series = {}
    kinds = {_("layer {i}: the letter before"): course.before, _("layer {i}: the letter after the last time"): course.after}
    for layer in range(course.after.shape[1]):
        for title, scores in kinds.items():
            head = int(scores[-1, layer].argmax())
            series[title.format(i=layer)] = scores[:, layer, head]
    return curves(course.steps, series, x_title=_("step"), y_title=_("share of attention"), markers=True)


def _shares_words(course: RepeatCourse) -> str:
    return _(
        "how much attention a head gives to the letter **before**, as the row is read, and in the repetition to the letter "
        "**after the last time** that the same letter stood there; of each layer the head with the largest share at the end."
    )


def _cut(shown: ShownModel, course: RepeatCourse, is_flat: bool) -> None:
    """Draws the share right without the heads that the scores have found."""
    document.section(_("Cut the heads that the shares have found"))
    last = course.last
    after, before = last.best(last.after), last.best(last.before)
    cuts: dict[str, Sequence[HeadCut]] = {_("no “after”"): [after]}
    if before != after:
        cuts[_("no “before”")] = [before]
    working = [HeadCut("decoder", int(at), int(head)) for at, head in np.argwhere(last.after >= _WORKS)]
    if len(working) > 1:
        cuts[_("no “after” at all")] = working
    costs = {title: cost_of_heads(shown, heads) for title, heads in cuts.items()}
    whole = next(iter(costs.values())).whole
    shares = {_("whole"): whole} | {title: cost.without for title, cost in costs.items()}
    drawn = bars([*shares], {_("share right (%)"): 100 * np.array([*shares.values()])}, y_title=_("%"))
    chance = percent(1 / (shown.cfg.tgt_vocab - 2))
    reading = _(
        "letters of repetitions that come out right, of {n} in {rows} held-out rows; by guessing, {chance}. Cut is the head "
        "with the largest share of “the letter after the last time” ({after}), and that of “the letter before” ({before})."
    )
    numbers = {"n": f"{judged():,}", "rows": ROWS, "chance": chance, "after": _named(after), "before": _named(before)}
    document.picture(drawn, reading.format(**numbers), "repeat-cuts")
    without = next(iter(costs.values())).without
    st.markdown(_of_one_layer(float(last.after.max()), whole) if is_flat else _verdict(without, whole, len(working)))


def _of_one_layer(share: float, whole: float) -> str:
    return _(
        "One layer has no head that looks at the letter after the last time: at most {share} of the attention goes there. "
        "What stands there does not yet say which letter stood before it. It gets {whole} right."
    ).format(share=percent(share), whole=percent(whole))


def _verdict(without: float, whole: float, working: int) -> str:
    if working > 1:
        return _(
            "Several heads share the work: cutting the best of them leaves {without} of {whole}. Only without all of them it "
            "cannot repeat. A head that looks important need not be needed."
        ).format(without=percent(without), whole=percent(whole))
    return _(
        "Two heads work together. One, in the first layer, looks at the letter before, so each place knows what stood before "
        "it. The other, in the second, finds the place that stood after the same letter. Without either, most is gone."
    )


def _named(head: HeadCut) -> str:
    return _("layer {layer}, head {head}").format(layer=head.layer, head=head.head)


def _details() -> None:
    st.markdown(
        _(
            "Such heads have been found in larger models of the same kind: Olsson et al. (2022), *In-context Learning and "
            "Induction Heads*, call them **induction heads**, and report that in small attention-only models they appear in a "
            "short window of training, in which the loss falls. What is seen here is one small model on one made-up task. It "
            "does not show that larger models go on with a text by these heads alone, nor that all that they can do comes so."
        )
    )
