"""A model learns to copy, live: choose, start, watch, open what it has learned."""

import streamlit as st

from explorer import contents, controls, document, lab, runs, state
from explorer.words import _
from transformer_core import CopyTask, Recipe, train_steps
from transformer_core.training import learning_rate

document.opening(
    _("Training"),
    _(
        "This model starts from random numbers and knows nothing. Show it rows of numbers, ask it to say each row again, and "
        "correct it a little each time: after some hundred corrections it can. The attention below is its own, as it learns."
    ),
)
with st.expander(_("What to learn, and how"), icon=":material/tune:"):
    task_column, rate_column, other_column = st.columns(3)
    with task_column:
        symbols = controls.slider(
            "symbols", _("different symbols"), 2, 50, 10, _("The numbers 1 to this one. More are harder.")
        )
        length = controls.slider(
            "length", _("length of a row"), 2, 32, 10, _("How many numbers it has to copy; the first is given.")
        )
        goal = controls.slider(
            "goal",
            _("goal: rows exactly right, in %"),
            50,
            100,
            99,
            _("Training stops when this share is copied without a slip."),
        )
    with rate_column:
        rate = controls.number(
            "rate",
            _("highest learning rate"),
            3e-3,
            "%.5f",
            _("How far each correction goes. Too high, and nothing is learned."),
        )
        warmup = controls.slider(
            "warmup", _("warm-up steps"), 1, 1000, 30, _("Corrections start small and grow for so many steps.")
        )
        smoothing = controls.slider(
            "smoothing",
            _("label smoothing"),
            0.0,
            0.3,
            0.0,
            _("Share of the target spread over all symbols (0.1 in the paper)."),
            0.05,
        )
    with other_column:
        batch = controls.slider(
            "batch_size", _("rows per step (batch)"), 4, 256, 32, _("How many rows are shown before each correction."), 4
        )
        steps = controls.slider("steps", _("steps at most"), 50, 5000, 1000, _("Training stops here at the latest."), 50)
        device = controls.choose(
            "device", _("device"), ["auto", "cpu", "cuda", "mps"], help=_("auto takes a graphics card when there is one")
        )

try:
    chosen = controls.knobs()
    recipe = Recipe(
        steps=steps, batch_size=batch, rate=rate, warmup=warmup, label_smoothing=smoothing, seed=chosen.seed, device=device
    )
    task = CopyTask(symbols + 1, length)
    plan = runs.Plan(state.config(chosen, task.vocab), task, recipe, goal / 100)
    plan.check()
except ValueError as error:
    st.error(str(error), icon=":material/tune:")
    plan = None

run = lab.current_run()
lab.buttons(run, plan)
if run is None:
    st.info(
        _("Nothing is training yet. Press **Start**: with the sizes in the sidebar as they are, it takes a few seconds."),
        icon=":material/play_circle:",
    )
else:
    if plan is not None and plan != run.plan:
        st.caption(_("You have turned a knob since this run was started. **Start anew** takes the new settings."))
    lab.live(run)
    lab.take_home(run)

lab.upload()
document.formula(
    r"lrate = d_{model}^{-0.5}\cdot\min(step^{-0.5},\ step\cdot warmup^{-1.5})",
    _(
        "Section 5.3 of the paper: the rate rises for the warm-up and then falls with 1/√step; here it is "
        "scaled to the highest rate "
        "chosen above. The optimiser is Adam with β₁ = {b1}, β₂ = {b2}, ε = {eps}."
    ).format(b1=Recipe().betas[0], b2=Recipe().betas[1], eps=Recipe().eps),
)
document.try_this(
    _("Watch “cross”: which of the source's numbers does each step of the copy look at, before and after it can do it?"),
    _("Start twice with the same seed: the same run, number for number."),
    _("Set the rate to 1000, and read what happens."),
)
contents.link("heads", _("Look at what it has learned, head by head"))
document.the_code(train_steps, learning_rate)
