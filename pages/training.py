"""A model learns to copy, live: choose, start, watch, open what it has learned."""

import streamlit as st

from explorer import contents, document, lab
from explorer.words import _
from transformer_core import Recipe, train_steps
from transformer_core.training import learning_rate

document.opening(
    _("Training"),
    _(
        "This model starts from random numbers and knows nothing. Show it rows of numbers, ask it to say each row again, and "
        "correct it a little each time: after some hundred corrections it can. The attention below is its own, as it learns."
    ),
)
plan = lab.settings()
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
