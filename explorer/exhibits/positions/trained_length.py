"""Beyond the trained length: recorded models with each kind of positions, asked for longer rows than they learned from."""

from typing import Any, Literal

import numpy as np
import streamlit as st

from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import Asking, Question
from explorer.figures.lines import curves
from explorer.figures.style import Figure
from explorer.i18n import N_, _, current_language
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.exhibit import drawn, numbers_of_choices
from explorer.rooms.outcomes import Outcome
from explorer.rooms.script import Case, Choice
from explorer.ui import document
from explorer.ui.widgets import choose, set_next
from transformer_core.analysis.longer_rows import ASKED, ROWS, TRAINED, LengthRow, measured, shares_right
from transformer_core.model.config import Position

KINDS: tuple[Position, ...] = ("sinusoidal", "learned", "none", "rotary", "alibi")
LONGER = range(TRAINED[-1] + 1, ASKED[-1] + 1)
_TOLD = (TRAINED[-1], 11, 12, 14, 17, ASKED[-1])  # lengths in the table
_MIDDLE = 15  # a length that is told in words
_COMMAND = "python -m tools.longer_rows --seeds 5"
_BECAUSE = (
    N_("only the distance counts there"),
    N_("waves go on for ever"),
    N_("it can learn any place"),
    N_("nothing can be too far for it"),
    N_("I just guess"),
)

LongerTask = Literal["copy", "reverse", "alone"]
LongerShare = Literal["rows", "tokens"]
LongerCross = Literal["both", "self"]  # rotary and ALiBi also in cross-attention, or in self-attention alone
LongerUntil = Literal["trained", "asked"]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


def models_of(kind: Position, longer_task: LongerTask, longer_cross: LongerCross) -> list[LengthRow]:
    """Returns the recorded models of one kind of positions, one for each seed."""
    is_alone, is_told = longer_task == "alone", kind in ("rotary", "alibi")
    wanted = (
        "copy" if is_alone else longer_task,
        "decoder" if is_alone else "both",
        kind,
        longer_cross == "both" and is_told and not is_alone,
    )
    return [each for each in measured() if (each.task, each.stacks, each.position, each.cross_position) == wanted]


def shares_of(kind: Position, longer_task: LongerTask, longer_share: LongerShare, longer_cross: LongerCross) -> np.ndarray:
    """The share right of each model. Shape: (seed, length)"""
    return np.array([getattr(each, longer_share) for each in models_of(kind, longer_task, longer_cross)])


@numbers_of_choices()
def beyond_trained(
    longer_task: LongerTask, longer_share: LongerShare, longer_cross: LongerCross, longer_until: LongerUntil
) -> np.ndarray:
    """The share right by kind of positions and length of the row, on average over models of different seeds.
    Shape: (kind, length)
    """
    most = TRAINED[-1] if longer_until == "trained" else ASKED[-1]
    means = [shares_of(kind, longer_task, longer_share, longer_cross).mean(axis=0) for kind in KINDS]
    return np.stack(means)[:, : most - ASKED[0] + 1]


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(beyond_trained)
def _draw_shares(
    means: np.ndarray,
    _shown: ShownModel,
    *,
    longer_task: LongerTask,
    longer_share: LongerShare,
    longer_cross: LongerCross,
    longer_until: str,
) -> Figure:
    lengths, names, ranges = ASKED[: means.shape[1]], _titles(), {}
    for kind in KINDS:
        shares = shares_of(kind, longer_task, longer_share, longer_cross)[:, : len(lengths)]
        ranges[names[kind]] = shares.min(axis=0), shares.max(axis=0)
    figure = curves(
        lengths,
        dict(zip((names[kind] for kind in KINDS), means, strict=True)),
        x_title=_("numbers in a row"),
        y_title=_("rows right") if longer_share == "rows" else _("numbers right"),
        markers=True,
        marks={_("longest in training"): TRAINED[-1]} if longer_until == "asked" else None,
        ranges=ranges,
    )
    for mark in figure["layout"].get("annotations", ()):
        mark |= {"y": 0.6, "xanchor": "right"}  # elsewhere, more lines would cross it
    return figure


def _titles() -> dict[Position, str]:
    """Returns the names of the kinds of positions."""
    return {
        "sinusoidal": _("sinusoidal"),
        "learned": _("learned table"),
        "none": _("none"),
        "rotary": _("rotary"),
        "alibi": _("ALiBi"),
    }


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    st.markdown(
        _(
            "Small models with five kinds of positions learned to answer rows of {low} to {high} numbers. Then they were asked "
            "for longer ones, up to {most}. **Which kind goes furthest?**"
        ).format(low=TRAINED[0], high=TRAINED[-1], most=ASKED[-1])
    )
    task, share, cross = _chosen()
    asking.folded("longer", f"{task} {cross}", lambda: _asking(task, cross))
    lengths: dict[LongerUntil, str] = {"trained": _("as long as in training"), "asked": _("up to {n}").format(n=ASKED[-1])}
    until = choose("longer_until", _("rows shown"), list(lengths), lengths)
    models = len(models_of("sinusoidal", task, cross))
    document.picture(
        beyond_trained.of(shown, task, share, cross, until),
        _(
            "each line is a kind of positions: the share right of {rows} held-out rows of each length, on average over {n} "
            "models that began from different seeds. The bars reach from the worst of these models to the best."
        ).format(rows=ROWS, n=models),
    )
    if until == "asked":
        st.markdown(" ".join(_happens(task, cross).words(current_language())))
    document.details("trained_length", lambda: _details(task, share, cross, models))


def _chosen() -> tuple[LongerTask, LongerShare, LongerCross]:
    """Asks for the task, what is counted, and where rotary and ALiBi count."""
    left, middle, right = st.columns(3)
    with left:
        tasks: dict[LongerTask, str] = {"copy": _("copy"), "reverse": _("reverse"), "alone": _("copy, a decoder alone")}
        task = choose("longer_task", _("task"), list(tasks), tasks)
    with middle:
        counted: dict[LongerShare, str] = {"rows": _("whole rows"), "tokens": _("single numbers")}
        share = choose("longer_share", _("counted"), list(counted), counted)
    if task == "alone":  # it has no cross-attention
        return task, share, "both"
    with right:
        where: dict[LongerCross, str] = {"both": _("all attention"), "self": _("self-attention")}
        cross = choose("longer_cross", _("rotary and ALiBi in"), list(where), where)
    return task, share, cross


def _asking(task: LongerTask, cross: LongerCross) -> Asking:
    other: LongerTask = "copy" if task == "alone" else "alone"
    asked = {
        "alone": _("Now a decoder alone copies the row. Which kind goes furthest there?"),
        "copy": _("Now an encoder and a decoder copy the row. Which kind goes furthest there?"),
    }
    text = _("Of rows longer than {n} numbers, which models have the most right, over all lengths up to {most}?")
    first = _question(text.format(n=TRAINED[-1], most=ASKED[-1]), task, cross)
    return Asking(first, [_(each) for each in _BECAUSE], _question(asked[other], other, cross))


def _question(text: str, task: LongerTask, cross: LongerCross) -> Question:
    choices = tuple(Choice(name, kind) for kind, name in _titles().items())
    return Question(text, Case("", text, choices), lambda: _happens(task, cross), see=lambda: set_next("longer_until", "asked"))


def _happens(task: LongerTask, cross: LongerCross) -> Outcome:
    """Says which kind went furthest, of whole rows."""
    places, names = [ASKED.index(n) for n in LONGER], _titles()
    shares = {kind: shares_of(kind, task, "rows", cross)[:, places] for kind in KINDS}  # each (seed, length)
    first, second = sorted(KINDS, key=lambda kind: -shares[kind].mean())[:2]
    by_seed, last = shares[first][:, LONGER.index(_MIDDLE)], shares[first][:, -1]
    both = {"first": names[first], "second": names[second]}
    means = {"first_share": float(shares[first].mean()), "second_share": float(shares[second].mean())}
    lengths = {"n": _MIDDLE, "low": float(by_seed.min()), "high": float(by_seed.max())}
    ends = {"most": LONGER[-1], "last_low": float(last.min()), "last_high": float(last.max())}
    said: list[tuple[str, dict[str, Any]]] = [
        (
            N_("Furthest: **{first}**, {first_share:.0%} of all longer rows; then **{second}**, {second_share:.0%}."),
            both | means,
        ),
        (
            N_(
                "The worst and the best model with {first}: {low:.0%} and {high:.0%} of rows of {n} numbers, {last_low:.0%} "
                "and {last_high:.0%} of rows of {most}."
            ),
            both | lengths | ends,
        ),
    ]
    return Outcome(first, said)


def _details(task: LongerTask, share: LongerShare, cross: LongerCross, models: int) -> None:
    names, by_kind = _titles(), {kind: shares_of(kind, task, share, cross) for kind in KINDS}
    table: dict[str, list[str]] = {_("positions"): [names[kind] for kind in KINDS]}
    for n in _TOLD:
        of_length = {kind: shares[:, ASKED.index(n)] for kind, shares in by_kind.items()}
        table[str(n)] = [f"{each.mean():.2f} ({each.min():.2f}–{each.max():.2f})" for each in of_length.values()]
    st.dataframe(table, hide_index=True)
    document.caption(
        _("the share right by numbers in a row, on average over {n} models; in brackets the worst and the best.").format(
            n=models
        )
    )
    steps = models_of("sinusoidal", task, cross)[0].steps
    st.markdown(
        _(
            "All models have the sizes with which the app copies numbers, the decoder alone two layers. They learned for "
            "{steps:,} steps by the app’s own recipe; each batch had rows of one length, drawn evenly from {low} to {high}. "
            "Each number is predicted behind the right ones before it: a row that is right so is right also where the model "
            "writes it alone."
        ).format(steps=steps, low=TRAINED[0], high=TRAINED[-1])
    )
    st.markdown(
        _(
            "Elsewhere, language models with ALiBi kept their quality on texts twice as long as in training (Press, Smith and "
            "Lewis 2022, arXiv 2108.12409), and decoders without positions went furthest on reasoning tasks (Kazemnejad et al. "
            "2023, arXiv 2305.19466). It was not so here: without positions these small models learned each task worst, and "
            "ALiBi went furthest in the decoder alone only, and there with fewer rows right than of the trained lengths."
        )
    )
    st.code(_COMMAND, language="bash")
    document.try_this(
        _("Count single numbers: how much of a row that is wrong is right all the same? Guessing finds one number in ten."),
        _("Let rotary and ALiBi count in self-attention alone. What does that cost when copying, what when reversing?"),
    )
    document.the_code(beyond_trained, shares_right)
