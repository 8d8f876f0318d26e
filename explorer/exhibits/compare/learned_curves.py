"""The learning curves of models of several widths, to be compared before a visitor has trained any."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer import resources
from explorer.figures.lines import overlaid
from explorer.i18n import _
from explorer.learning.learned_model import LearnedModel
from explorer.learning.task_titles import task_title
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.session import current
from explorer.ui import document, navigation
from explorer.ui.format import measure_name
from transformer_core import Recipe
from transformer_core.data.tasks import has_source
from transformer_core.training.cost import count_by_formula

_WIDTHS = (128, 64, 32, 16)  # d_model; those of the box learned from the same sentences
_MOST = 0.9  # the share right whose step is told of each


def draw() -> None:
    """Draws the curves on one scale, says what they show, and leads to a run of one's own."""
    if models := _models(current().settings.task) or _models(ModelSettings().task):
        _curves(models)
    st.markdown(
        _(
            "**Your own runs** come here: press **Start** on the Training page, change one setting in the sidebar, press **New "
            "run**, and come back to compare the two."
        )
    )
    navigation.link("training", _("Train a first model"))


def _models(task: str) -> list[LearnedModel]:
    """Returns a task's models that differ in their width alone, but for the learning rate; empty if there is only one."""
    usual, store = of_task(task), resources.model_store()
    stored = (store.learned_by(replace(usual, d_model=width).plans()) for width in _WIDTHS)
    known = [model for model in stored if model is not None and model.learned is not None and len(model.curve)]
    comparable = [model for model in known if (_how(model), model.rows) == (_how(known[0]), known[0].rows)]
    return comparable if len(comparable) > 1 else []


def _how(model: LearnedModel) -> Recipe:
    """Returns how a model has learned, apart from its peak learning rate."""
    assert model.learned is not None
    return replace(model.learned.recipe, rate=None)


def _curves(models: list[LearnedModel]) -> None:
    names = [_("d_model {d}, {n:,} parameters").format(d=model.cfg.d_model, n=count_by_formula(model.cfg)) for model in models]
    curves = {name: (model.curve[:, 0], model.curve[:, 1]) for name, model in zip(names, models, strict=True)}
    words = _("{name}: {right:.1%} after {n:,} steps")
    ends = [words.format(name=name, right=model.curve[-1, 1], n=model.last) for name, model in zip(names, models, strict=True)]
    task = models[0].taught
    assert task is not None
    document.picture(
        overlaid(
            curves,
            x_title=_("step"),
            y_title=_("share right") if has_source(task) else measure_name(task),
            alt="; ".join(ends),
            log_x=True,
            grows=True,
        ),
        (
            _(
                "{task}: models that this app has, as they learned; they differ in d_model, and in the peak learning rate, "
                "which follows from it. Each curve is the share of {n} held-out sequences that one answers right. One seed of "
                "each: how far apart two seeds are is not seen here."
            )
            if has_source(task)
            else _(
                "{task}: models that this app has, as they learned; they differ in d_model, and in the peak learning rate, "
                "which follows from it. Each curve is the share right of the tokens that count in {n} held-out texts. One seed "
                "of each: how far apart two seeds are is not seen here."
            )
        ).format(task=task_title(models[0].task), n=models[0].rows),
        "learned-curves",
    )
    st.markdown("\n".join(f"- {_said(model)}" for model in models))


def _said(model: LearnedModel) -> str:
    """Says when a model answered most rows right, and how many at the end."""
    there = np.flatnonzero(model.curve[:, 1] >= _MOST)
    d, right = model.cfg.d_model, model.curve[-1, 1]
    of_rows = model.taught is None or has_source(model.taught)
    if not len(there):
        words = _("d_model {d} has not reached {most:.0%}; at the end it answers {right:.1%} right.")
        words = words if of_rows else _("d_model {d} has not reached {most:.0%}; at the end {right:.1%} are right.")
        return words.format(d=d, most=_MOST, right=right)
    words = _("d_model {d} reaches {most:.0%} at step {n:,}; at the end {right:.1%} of its answers are right.")
    words = words if of_rows else _("d_model {d} reaches {most:.0%} at step {n:,}; at the end {right:.1%} are right.")
    return words.format(d=d, most=_MOST, n=int(model.curve[there[0], 0]), right=right)
