"""The combinations of a sweep: a dot for each seed, a table of them, and one of the seeds of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from explorer.figures.dots import DotRow, dots
from explorer.i18n import N_, _, n_
from explorer.ui import document
from explorer.ui.setting_names import setting_name
from transformer_core.analysis.sweep import Combination, range_words, varied
from transformer_core.training.sweep_rows import LEVELS, SweepRow, plan_of

TARGET = LEVELS[-1]
_DRAWN = 24  # combinations in the figure
_OUTCOMES = {
    "learned": N_("learned"), "cut-off": N_("all its steps taken before that"), "cannot-learn": N_("stopped getting better"),
    "diverged": N_("diverged"), "failed": N_("not trained to its end"),
}  # fmt: skip


def title(each: Combination, names: Sequence[str]) -> str:
    """Names a combination by these settings; by its sizes if there are none."""
    settings = ", ".join(f"{setting_name(name)} {_value(each, name)}" for name in names or ("d_model", "n_heads", "n_layers"))
    if each.most_steps is None:
        return settings
    return _("{settings}, at most {n:,} steps").format(settings=settings, n=each.most_steps)


def row_outcome(row: SweepRow) -> str:
    """Says how the learning of a model ended."""
    return _(_OUTCOMES[row.outcome])


def _value(each: Combination, name: str) -> Any:
    value = getattr(each.cfg, name)
    return value if isinstance(value, int | float | str) and not isinstance(value, bool) else str(value)


# --- The figure. ------------------------------------------------------------------------------------------------------------


def every(found: Sequence[Combination]) -> None:
    if not found:
        return
    shown, names = found[:_DRAWN], varied(found)
    drawn = dots(
        [_dot_row(each, names) for each in shown],
        x_title=_("steps"), reached_title=_("{target:.0%} right").format(target=TARGET), missed_title=_("ended without that"),
        middle_title=_("median"),
    )  # fmt: skip
    document.picture(drawn, _how_to_read(shown), "sweep-dots")
    if len(found) > len(shown):
        st.caption(_("Drawn are the first {n} of {all} combinations.").format(n=len(shown), all=len(found)))


def _dot_row(each: Combination, names: Sequence[str]) -> DotRow:
    at = np.array([row.steps if row.to_99 is None else row.to_99 for row in each.finished])
    reached = np.array([row.to_99 is not None for row in each.finished])
    seeds = [_("seed {seed}").format(seed=row.seed) for row in each.finished]
    return DotRow(title(each, names), at, reached, seeds, each.median)


def _how_to_read(shown: Sequence[Combination]) -> str:
    recipes = [plan_of(each.rows[0]).recipe for each in shown]
    words = _(
        "a row is a combination, the soonest on top, and a dot is one seed of it: the step at which {target:.0%} of its "
        "held-out sequences were first right, measured every {n} steps. A cross ended at its step without getting so far, and "
        "counts as later than any dot. The line is the median."
    ).format(target=TARGET, n=recipes[0].evaluate_every)
    if len({recipe.rate for recipe in recipes}) > 1:
        also = _("The combinations also differ in the peak learning rate, which follows from their settings.")
        return f"{words} {also}"
    return words


# --- The tables. ------------------------------------------------------------------------------------------------------------


def table(found: Sequence[Combination]) -> None:
    names = varied(found)
    limits = len({each.most_steps for each in found}) > 1
    st.dataframe(
        [{setting_name(name): _value(each, name) for name in names} | _facts(each, limits) for each in found],
        hide_index=True,
    )
    words = _(
        "a row is a combination. Median and range are those of the steps to {target:.0%}; where the range is open, some "
        "seeds never got there, and where there is no median, half of them or more. Right: held-out sequences, of all seeds "
        "together, at the end of learning. Seconds are the processor's."
    )
    document.reading(words.format(target=TARGET))
    if lost := sum(len(each.rows) - len(each.finished) for each in found):
        st.caption(
            n_(
                "{n} model was not trained to its end, and is left out of all counts. The same command tries it again.",
                "{n} models were not trained to their end, and are left out of all counts. The same command tries them again.",
                lost,
            ).format(n=lost)
        )


def _facts(each: Combination, limits: bool) -> dict[str, Any]:
    facts: dict[str, Any] = {_("steps at most"): each.most_steps} if limits else {}
    return facts | {
        _("parameters"): f"{each.parameters:,}",
        _("reached {target:.0%}").format(target=TARGET): _("{k} of {n}").format(k=len(each.reached), n=len(each.finished)),
        _("median"): each.median,
        _("range"): range_words(each),
        _("right"): share_of(*each.right),
        _("seconds"): round(each.cpu_seconds, 1),
    }


def seeds(each: Combination) -> None:
    """Draws a table of the models of one combination."""
    st.dataframe([_row(row) for row in each.rows], hide_index=True)


def _row(row: SweepRow) -> dict[str, Any]:
    done = row.outcome != "failed"
    return {
        _("seed"): row.seed,
        _("outcome"): row_outcome(row) if done else f"{row_outcome(row)}: {row.error}",
        _("steps to {target:.0%}").format(target=LEVELS[0]): row.to_90,
        _("steps to {target:.0%}").format(target=TARGET): row.to_99,
        _("steps"): row.steps if done else None,
        _("right"): share_of(row.right, row.rows) if done else "",
        _("seconds"): round(row.cpu_seconds, 1) if done else None,
    }


def share_of(right: int, of: int) -> str:
    """Held-out sequences answered right: `198 of 200`; nothing where none was asked."""
    return _("{k:,} of {n:,}").format(k=right, n=of) if of else ""
