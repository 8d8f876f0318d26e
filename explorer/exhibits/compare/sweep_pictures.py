"""The combinations of a sweep: a dot for each seed, a table of them, and one of the seeds of each."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from explorer.figures.dots import DotRow, dots
from explorer.i18n import _
from explorer.ui import document
from explorer.ui.setting_names import setting_name
from transformer_core.analysis.sweep import Combination, range_words, varied
from transformer_core.training.sweep_rows import LEVELS, SweepRow, plan_of

TARGET = LEVELS[-1]


def title(each: Combination, names: Sequence[str]) -> str:
    """Names a combination by these settings."""
    return ", ".join(f"{setting_name(name)} {getattr(each.cfg, name)}" for name in names)


# --- The figure. ------------------------------------------------------------------------------------------------------------


def every(found: Sequence[Combination]) -> None:
    names = varied(found)
    drawn = dots(
        [_dot_row(each, names) for each in found],
        x_title=_("steps"),
        dots_title=_("{target:.0%} right").format(target=TARGET),
        middle_title=_("median"),
    )
    document.picture(drawn, _how_to_read(found), "sweep-dots")


def _dot_row(each: Combination, names: Sequence[str]) -> DotRow:
    at = np.array([row.to_99 for row in each.rows])
    seeds = [_("seed {seed}").format(seed=row.seed) for row in each.rows]
    return DotRow(title(each, names), at, seeds, float(np.median(at)))


def _how_to_read(shown: Sequence[Combination]) -> str:
    recipes = [plan_of(each.rows[0]).recipe for each in shown]
    words = _(
        "a row is a combination, the soonest on top, and a dot is one seed of it: the step at which {target:.0%} of its "
        "held-out sequences were first right, measured every {n} steps. The line is the median."
    ).format(target=TARGET, n=recipes[0].evaluate_every)
    if len({recipe.rate for recipe in recipes}) > 1:
        also = _("The combinations also differ in the peak learning rate, which follows from their settings.")
        return f"{words} {also}"
    return words


# --- The tables. ------------------------------------------------------------------------------------------------------------


def table(found: Sequence[Combination]) -> None:
    names = varied(found)
    st.dataframe(
        [{setting_name(name): getattr(each.cfg, name) for name in names} | _facts(each) for each in found], hide_index=True
    )
    words = _(
        "a row is a combination. Median and range are those of the steps to {target:.0%}. Right: held-out sequences, of all "
        "seeds together, at the end of learning. Seconds are the processor's."
    )
    document.caption(words.format(target=TARGET))


def _facts(each: Combination) -> dict[str, Any]:
    return {
        _("parameters"): f"{each.parameters:,}",
        _("reached {target:.0%}").format(target=TARGET): _("{k} of {n}").format(k=len(each.reached), n=len(each.rows)),
        _("median"): each.median,
        _("range"): range_words(each),
        _("right"): share_of(*each.right),
        _("seconds"): round(each.cpu_seconds, 1),
    }


def seeds(each: Combination) -> None:
    """Draws a table of the models of one combination."""
    st.dataframe([_row(row) for row in each.rows], hide_index=True)


def _row(row: SweepRow) -> dict[str, Any]:
    return {
        _("seed"): row.seed,
        _("steps to {target:.0%}").format(target=LEVELS[0]): row.to_90,
        _("steps to {target:.0%}").format(target=TARGET): row.to_99,
        _("steps"): row.steps,
        _("right"): share_of(row.right, row.rows),
        _("seconds"): round(row.cpu_seconds, 1),
    }


def share_of(right: int, of: int) -> str:
    """Held-out sequences answered right: `198 of 200`."""
    return _("{k:,} of {n:,}").format(k=right, n=of)
