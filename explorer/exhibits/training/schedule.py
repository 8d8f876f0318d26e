"""The schedule of the learning rate and label smoothing, with their effect on the run on screen."""

import numpy as np
import streamlit as st

from explorer.exhibits.training.recipe_form import PAPER
from explorer.figures.lines import bars, curves
from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.ui import document
from explorer.ui.format import small
from explorer.ui.widgets import slider
from transformer_core import Recipe
from transformer_core.analysis.schedule import least_loss, loss_of_confidence, rates, smoothed_target
from transformer_core.training.trainer import CONSTANT_SHARE, learning_rate, token_loss

_TOKENS = 12  # targets that are drawn: the labels of a whole language keep a browser busy for minutes


def draw(plan: TrainingPlan | None, run: TrainingRun | None) -> None:
    """Draws the part. `plan`: of the page's settings; `run`: the one that trains, if any."""
    if plan is None:
        return
    _schedule(plan)
    document.details("schedule", lambda: _details(plan, run))


def _details(plan: TrainingPlan, run: TrainingRun | None) -> None:
    _effect(run)
    _smoothing(plan, run)
    document.formula(
        r"lrate = d_{model}^{-0.5}\cdot\min(step^{-0.5},\ step\cdot warmup^{-1.5})",
        _source(plan.recipe),
    )
    document.try_this(
        _("Set the warm-up to 1 step and start a run: the rate is at its peak from the first step. What does the loss do?"),
        _("Set label smoothing to 0.3: the loss can no longer come near 0. Does the model learn the task all the same?"),
    )
    document.the_code(learning_rate, token_loss)


def _source(recipe: Recipe) -> str:
    if recipe.schedule == "cosine":
        return _(
            "Section 5.3 of the paper, equation 3: the paper's schedule. With the settings above, the rate falls along a "
            "cosine instead. Label smoothing, with ε = 0.1, is in section 5.4."
        )
    if recipe.rate is None:
        return _("Section 5.3 of the paper, equation 3, as it is. Label smoothing, with ε = 0.1, is in section 5.4.")
    return _(
        "Section 5.3 of the paper, equation 3; here it is scaled so that its peak is the one set above. Label smoothing, "
        "with ε = 0.1, is in section 5.4."
    )


def _schedule(plan: TrainingPlan) -> None:
    chosen, d_model = plan.recipe, plan.cfg.d_model
    steps = slider("schedule_steps", _("steps shown"), 100, 20_000, max(200, min(1000, chosen.steps)), step=100)
    lines = {
        _("the settings above"): rates(steps, d_model, chosen),
        _("the paper's base model: d_model 512, warm-up 4,000"): rates(steps, 512, PAPER),
    }
    document.picture(
        curves(range(1, steps + 1), lines, x_title=_("step"), y_title=_("learning rate")),
        _how_it_falls(chosen).format(
            w=chosen.warmup,
            peak=small(learning_rate(chosen.warmup, d_model, chosen), 3),
            top=small(learning_rate(PAPER.warmup, 512, PAPER), 3),
            steady=round(CONSTANT_SHARE * chosen.steps),
            end=chosen.steps,
        ),
        "schedule",
    )


def _effect(run: TrainingRun | None) -> None:
    history = run.history() if run is not None else None
    if history is None or len(history.loss) < 2:
        st.caption(_("Start a run to see its gradient norm and its loss here, step by step."))
        return
    document.picture(
        curves(
            history.steps,
            {_("gradient norm"): history.gradient_norm, _("loss"): history.loss},
            x_title=_("step"),
            log_y=True,
            grows=True,
        ),
        _(
            "gradient norm (largest at step {top:,}) and loss in the {n:,} steps of the run on screen, on a logarithmic scale."
        ).format(n=history.step, top=int(history.steps[np.argmax(history.gradient_norm)])),
        "schedule-effect",
    )


def _how_it_falls(recipe: Recipe) -> str:
    if recipe.schedule == "cosine":
        return _(
            "the learning rate rises for {w:,} steps to {peak}, stays there up to step {steady:,}, and then falls along half "
            "a cosine to nearly 0 at step {end:,}. The paper's rises for 4,000 steps, to {top}, and then falls in proportion "
            "to 1/√step."
        )
    return _(
        "the learning rate rises for {w:,} steps to {peak} and then falls in proportion to 1/√step. The paper's rises for "
        "4,000 steps, to {top}."
    )


def _smoothing(plan: TrainingPlan, run: TrainingRun | None) -> None:
    document.section(_("Label smoothing"))
    vocab, chosen = plan.task.vocab, plan.recipe.label_smoothing
    names = {0.0: _("none"), 0.1: _("the paper: 10%"), chosen: _("the settings above: {share:.0%}").format(share=chosen)}
    amounts = {name: share for share, name in names.items()}
    drawn = min(vocab, _TOKENS)
    targets = {name: smoothed_target(vocab, 1, share)[:drawn] for name, share in amounts.items()}
    left, right = st.columns(2)
    with left:
        document.picture(
            bars([str(i) for i in range(drawn)], targets, y_title=_("target probability")),
            _(
                "the target distribution where the right token has the id 1: label smoothing takes a share of its probability "
                "and spreads it over the whole vocabulary."
            ),
            "target",
        )
        if drawn < vocab:
            st.caption(
                _("The first {n} of {vocab:,} tokens; all others have the same target as token 0.").format(n=drawn, vocab=vocab)
            )
    with right:
        confidence = np.linspace(0.02, 0.999, 120)
        losses = {name: loss_of_confidence(vocab, share, confidence) for name, share in amounts.items()}
        document.picture(
            curves(confidence, losses, x_title=_("probability of the right token"), y_title=_("loss (nats)")),
            _(
                "the loss against the probability that the model gives to the right token, the rest being spread evenly. With "
                "smoothing it rises again near 1: with {share:.0%}, the lowest loss possible is {low:.3f} where one token is "
                "right."
            ).format(share=max(chosen, 0.1), low=least_loss(vocab, max(chosen, 0.1))),
            "confidence",
        )
    history = run.history() if run is not None else None
    if run is not None and history is not None and len(history.loss):
        share = run.plan.recipe.label_smoothing
        words = _(
            "The run on screen uses {share:.0%} smoothing. The loss of its newest batch is {loss:.3f}; averaged over batches, "
            "no model gets below {low:.2f}."
        )
        if run.plan.least_loss > least_loss(run.plan.task.vocab, share):
            words = _(
                "The run on screen uses {share:.0%} smoothing. The loss of its newest batch is {loss:.3f}; averaged over "
                "batches, no model gets below about {low:.2f}: where several words are right, none can know which one comes."
            )
        low = max(0.0, run.plan.least_loss)  # no -0.00
        st.caption(words.format(share=share, loss=float(history.loss[-1]), low=low))
