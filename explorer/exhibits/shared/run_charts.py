"""Runs side by side: their losses and their exact matches, over the steps."""

from collections.abc import Mapping

import streamlit as st

from explorer.figures.lines import overlaid
from explorer.i18n import _, share_text
from explorer.learning.run_history import RunHistory
from explorer.ui import document
from explorer.ui.format import measure_name
from transformer_core.data.tasks import has_source


def draw(histories: Mapping[str, RunHistory], key: str) -> None:
    """Draws two figures, `<key>-loss` and `<key>-exact`; `histories` are by the runs' names."""
    left, right = st.columns(2)
    losses = {name: (history.steps, history.loss) for name, history in histories.items() if len(history.loss)}
    if losses:
        last = "; ".join(f"{name}: {values[-1]:.3f}" for name, (_steps, values) in losses.items())
        with left:
            document.picture(
                overlaid(losses, x_title=_("step"), y_title=_("loss (nats per token)"), alt=last, grows=True),
                _("the training loss of each run: it is lower when the right token gets a higher probability."),
                f"{key}-loss",
            )
    task = next(iter(histories.values())).plan.task if histories else None
    tried = {name: history.evaluations for name, history in histories.items() if len(history.evaluations)}
    if tried:
        exact = {name: (values[:, 0], values[:, 1]) for name, values in tried.items()}
        last = "; ".join(f"{name}: {share_text(values[-1, 1], 1)}" for name, values in tried.items())
        with right:
            document.picture(
                overlaid(exact, x_title=_("step"), y_title=measure_name(task), alt=last, grows=True),
                _(
                    "exact match: the share of held-out sequences that each model answers without a wrong token; where "
                    "several answers are right, with any of them."
                )
                if task is None or has_source(task)
                else _("the share right of the tokens that count in the tested texts."),
                f"{key}-exact",
            )
