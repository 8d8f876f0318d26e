"""The page before a run: its estimated time, the effect of Start, and the attention of the model it begins with."""

import streamlit as st

from explorer.exhibits.shared import answer_now, how_long, run_controls
from explorer.figures.attention import attention_heatmap
from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.learning.task_titles import task_title
from explorer.model_on_screen.before_training import first_snapshot
from explorer.ui import document
from explorer.ui.format import plain
from transformer_core.model.stages import most_telling


def draw(plan: TrainingPlan) -> None:
    time, _why = how_long.words(plan, run_controls.is_watched(None))
    st.markdown(_("It knows nothing yet. Press **Start**. {time}").format(time=time))
    first, layer = first_snapshot(plan), plan.cfg.n_layers - 1
    answer_now.draw(plan, {_("writes"): first}, 0)
    attention = first.attention_map(plan, most_telling(plan.cfg), layer, 0)
    reading = _(
        "attention before the first step, in layer {layer}, the mean of its heads. A row is the token that should come next."
    )
    document.picture(attention_heatmap(attention, None), reading.format(layer=layer), "training-attention")


def details(plan: TrainingPlan) -> None:
    """Says what Start does, and what the estimated time rests on."""
    _time, why = how_long.words(plan, run_controls.is_watched(None))
    st.markdown(f"{_what_start_does(plan)} {why}")


def _what_start_does(plan: TrainingPlan) -> str:
    recipe = plan.recipe
    words = _(
        "**Start** makes a new model with these settings and random weights (seed {seed}), and lets it learn: {task}. It ends "
        "when {target:.0%} of {n} held-out sequences are right, or after {steps:,} steps; then it is tested again, on others."
    )
    if not plan.has_held_out:
        words = _(
            "**Start** makes a new model with these settings and random weights (seed {seed}), and lets it learn: {task}. It "
            "ends when {target:.0%} of the {n} sequences that there are come out right, or after {steps:,} steps. It is "
            "trained on these as well: there are too few to hold any out."
        )
    elif not plan.has_other_rows:
        words = _(
            "**Start** makes a new model with these settings and random weights (seed {seed}), and lets it learn: {task}. It "
            "ends when {target:.0%} of the {n} held-out sequences are right, or after {steps:,} steps. There are no others to "
            "test it on."
        )
    words = words.format(
        seed=recipe.seed, task=plain(task_title(plan.task.name)), target=plan.target, n=plan.evaluated_on, steps=recipe.steps
    )
    if not recipe.average:
        return words
    averaged = _(
        "The model that answers has averaged weights: after each step, the average moves {share:.0%} of the way to the "
        "newest ones. (The paper averages its last checkpoints, section 6.1.)"
    )
    return f"{words} {averaged.format(share=recipe.average)}"
