"""Heads that learn to repeat: a plateau, a cliff, and two heads that are cut."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer.exhibits.shared.softmax import softmax
from explorer.figures.arcs import Arc, arcs
from explorer.figures.lines import bars, curves
from explorer.figures.style import Figure
from explorer.i18n import _, share_text
from explorer.model_on_screen.repeat_course import (
    CHANGES,
    LOOKS,
    ROWS,
    TASK,
    RepeatCourse,
    after_without,
    cliff,
    cost_of_heads,
    course_of,
    judged,
    models,
    repeated_places,
)
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.ui import document, pickers
from explorer.ui.navigation import link
from explorer.ui.widgets import choose
from transformer_core.analysis.cutting import HeadCut
from transformer_core.model.stages import LOGITS


def draw() -> None:
    """Draws how the heads come about, and what cutting them costs."""
    row = "`T B H` :blue-background[**K D Q A**] `F` :blue-background[**K D Q A**]"
    st.markdown(
        _(
            "Random letters, then a part of them again: {row}. Each row is new, so none can be remembered. **How can it repeat "
            "a row on which it was never trained?**"
        ).format(row=row)
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
    _copied(shown, course, is_flat=name == "flat")
    left, right = st.columns(2, gap="large")
    with left:
        document.picture(_learned(shown), _learned_words(shown), "repeat-learned")
    with right:
        document.picture(_shares(course), _shares_words(), "repeat-heads")
    _cut(shown, course, is_flat=name == "flat")
    with st.container(key="closer-ways", horizontal=True):
        sizes: dict[str, str | int] = dict(CHANGES[name])
        link("heads", _("its heads, on a row"), task=TASK, **sizes)
        link("training", _("let one learn, and watch the cliff"), task=TASK, **sizes)
    document.details("repeating", _details)


def _copied(shown: ShownModel, course: RepeatCourse, is_flat: bool) -> None:
    """Draws one letter of the repetition: where its head looks, and what the model says next."""
    letters, last = [shown.vocabulary.decode([each])[0] for each in shown.tgt], course.last
    letters[0] = "▸"
    after, before = last.best(last.after), last.best(last.before)
    repeated = repeated_places(shown.tgt)
    with pickers.line():
        at = choose("repeat_at", _("at the second"), [*repeated], {place: letters[place] for place in repeated})
    key, share = repeated[at], _look_at(shown, after, at, repeated[at])
    looks = [Arc(at, key, share)]
    if not is_flat:
        looks.append(Arc(key, key - 1, _look_at(shown, before, key, key - 1), is_below=True))
    likely = softmax(shown.forward()[LOGITS][at])
    said = shown.vocabulary.decode([int(likely.argmax())])[0]
    drawn = arcs(letters, looks, marked={at, key - 1, key}, at=at, says=said)
    words = _(
        "at the second **{letter}** a head gives {share} of its attention to **{next}**, which came after the first "
        "**{letter}**. The model says **{said}** ({likely})."
    ).format(letter=letters[at], share=f"{share:.0%}", next=letters[key], said=said, likely=f"{float(likely.max()):.0%}")
    if not is_flat:
        note = _("At the first **{next}**, another head looks one back, with {share}, at **{letter}**.")
        told = {"next": letters[key], "share": f"{looks[1].share:.0%}", "letter": letters[key - 1]}
        words = f"{words} {note.format(**told)}"
    document.picture(drawn, words, "repeat-copied")


def _look_at(shown: ShownModel, head: HeadCut, query: int, key: int) -> float:
    return float(shown.attention("decoder", head.layer).map.weights[head.head, query, key])


def _learned(shown: ShownModel) -> Figure:
    """Draws the loss, in which the cliff is seen."""
    curve = shown.learning.curve
    assert curve is not None
    steps, _share, loss = curve.T
    drawn = curves(steps.astype(int), {_("loss"): loss}, x_title=_("step"), y_title=_("loss (nats per letter)"), markers=True)
    drawn["layout"]["yaxis"]["range"] = [0.0, 3.3]  # the same for all models
    return drawn


def _learned_words(shown: ShownModel) -> str:
    """Says where the share right rises, if it does."""
    curve = shown.learning.curve
    assert curve is not None
    steps, share, _loss = curve.T
    two_ways = _("A letter that the part has twice goes on in two ways, so not all can be right.")
    if (steep := cliff(share)) is None:
        words = _("how surprised it is by the letters that repeat. At most {most} of them come out right.")
        return f"{words.format(most=share_text(float(share.max()), 1))} {two_ways}"
    low, high = steep
    words = _(
        "how surprised it is by the letters that repeat. {low} of them come out right at step {first}, {high} only {n} steps "
        "later, {last} at the end."
    )
    told = {"first": int(steps[low]), "n": int(steps[high] - steps[low]), "last": share_text(float(share[-1]), 1)}
    return f"{words.format(low=share_text(float(share[low]), 1), high=share_text(float(share[high]), 1), **told)} {two_ways}"


def _shares(course: RepeatCourse) -> Figure:
    """Draws of each layer the head with the largest share of each kind at the end."""
    series = {}
    kinds = {_("layer {layer}: the letter before"): course.before, _("layer {layer}: what came after"): course.after}
    for layer in range(course.after.shape[1]):
        for title, scores in kinds.items():
            head = int(scores[-1, layer].argmax())
            series[title.format(layer=layer)] = scores[:, layer, head]
    drawn = curves(course.steps, series, x_title=_("step"), y_title=_("share of attention"), markers=True)
    drawn["layout"]["yaxis"]["range"] = [0.0, 0.8]
    return drawn


def _shares_words() -> str:
    return _(
        "how much attention a head gives to the letter **before** it, as the row is read, and in the repetition to **what came "
        "after** the same letter the last time; of each layer the head with the largest share at the end."
    )


def _cut(shown: ShownModel, course: RepeatCourse, is_flat: bool) -> None:
    """Draws the share right without the heads that the scores have found."""
    document.section(_("Switch off a head: what is lost?"))
    last = course.last
    after, before = last.best(last.after), last.best(last.before)
    working = [HeadCut("decoder", int(at), int(head)) for at, head in np.argwhere(last.after >= LOOKS)]
    cuts: dict[str, Sequence[HeadCut]] = {_("without its head"): [after]} if is_flat else {_("no “after”"): [after]}
    if not is_flat:
        cuts[_("no “before”")] = [before]
    if len(working) > 1:
        cuts[_("none of {n} “after”").format(n=len(working))] = working
    costs = {title: cost_of_heads(shown, heads) for title, heads in cuts.items()}
    whole = next(iter(costs.values())).whole
    shares = {_("whole"): whole} | {title: cost.without for title, cost in costs.items()}
    drawn = bars([*shares], {_("share right (%)"): 100 * np.array([*shares.values()])}, y_title=_("%"))
    chance = share_text(1 / (shown.cfg.tgt_vocab - 2), 1)
    reading = _("letters of repetitions that come out right, of {n} in {rows} other held-out rows; by guessing, {chance}.")
    words = reading.format(n=f"{judged():,}", rows=ROWS, chance=chance)
    if not is_flat:
        heads = _(
            "Switched off: of “what came after” the head with the largest share, {after}; of “the letter before”, {before}."
        )
        words = f"{words} {heads.format(after=_named(after), before=_named(before))}"
    document.picture(drawn, words, "repeat-cuts")
    share = float(last.after.max())
    if is_flat:
        st.markdown(_of_one_layer(share, whole))
    elif len(working) > 1:
        strongest, *_others, every = costs.values()
        st.markdown(_of_many(whole, strongest.without, every.without))
    else:
        st.markdown(_of_two(share, after_without(shown, after, before)))


def _of_one_layer(share: float, whole: float) -> str:
    return _(
        "With one layer, at most {share} of the attention goes to what came after. A place does not know there yet which "
        "letter stood before it, so the place to copy cannot be found by that. It gets {whole} right."
    ).format(share=share_text(share, 1), whole=share_text(whole, 1))


def _of_many(whole: float, without: float, none: float) -> str:
    return _(
        "Switching off the strongest “after” head lowers it only from {whole} to {without}: others do the same work. "
        "Without all of them {none} are left. A head that looks important need not be needed."
    ).format(whole=share_text(whole, 1), without=share_text(without, 1), none=share_text(none, 1))


def _of_two(share: float, alone: float) -> str:
    return _(
        "It **copies**. One head, in layer 0, the first, notes at each letter which letter came just before. The other, in "
        "layer 1, finds the place behind the same letter, and copies what stands there. It needs that note: with the head of "
        "layer 0 off, it gives that place {alone} of its attention instead of {share}."
    ).format(alone=share_text(alone, 1), share=share_text(share, 1))


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
