"""What is on screen before a run: what Start will do, and the attention of the model on screen, as far as it has learned."""

import streamlit as st

from explorer.figures.attention import attention_heatmaps
from explorer.i18n import _
from explorer.session import current
from explorer.training.plan import TrainingPlan
from explorer.training.task_titles import task_title
from explorer.ui import document
from explorer.ui.format import plain


def draw(plan: TrainingPlan) -> None:
    words = _(
        "**Start** makes a new model with these settings and random weights (seed {seed}), and lets it learn: {task}. It ends "
        "when {target:.0%} of {n} held-out sequences are right, or after {steps:,} steps; then it is tested again, on others."
    )
    recipe = plan.recipe
    words = words.format(
        seed=recipe.seed, task=plain(task_title(plan.task.name)), target=plan.target, n=recipe.evaluate_on, steps=recipe.steps
    )
    shown = current().shown()
    layer = shown.cfg.n_layers - 1
    attention = shown.attention("cross" if shown.cfg.cross_attention else "encoder", layer)
    reading = _("attention in layer {layer} of the model on screen, on its source. A row is a query; its weights add up to 1.")
    document.figure(attention_heatmaps(attention.map), "training-attention", reading.format(layer=layer))
    if recipe.average:
        averaged = _(
            "The model that answers has averaged weights: after each step, the average moves {share:.0%} of the way to the "
            "newest ones. (The paper averages its last checkpoints, section 6.1.)"
        )
        words = " ".join((words, averaged.format(share=recipe.average)))
    st.markdown(words)
