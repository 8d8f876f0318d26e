"""A model learns to copy, live: choose, start, watch, open what it has learned."""

import streamlit as st

from explorer import contents, document, lab
from explorer.sections.recipe import recipe
from explorer.sections.watching import watching
from explorer.words import _
from transformer_core import Trainer

document.opening(
    _("Training"),
    _(
        "This model starts from random numbers and knows nothing. Show it rows of numbers or words, ask for the answer, and "
        "correct it a little each time: after some hundred corrections it can. The attention below is its own, as it learns."
    ),
)
plan = lab.settings()
run = lab.current_run()
lab.buttons(run, plan)


def watch() -> None:
    if run is None:
        st.info(
            _("Nothing is training yet. Press **Start**: with the sizes in the sidebar as they are, it takes a few seconds."),
            icon=":material/play_circle:",
        )
    else:
        if plan is not None and plan != run.plan:
            st.caption(_("You have turned a knob since this run was started. **Start anew** takes the new settings."))
        watching(run)
        lab.take_home(run)
    lab.upload(plan)
    document.try_this(
        _("Watch “cross”: which of the source's numbers does each step of the copy look at, before and after it can do it?"),
        _("Go to the first time it was right, one step back, and press **Go on from here**: the same run, number for number."),
        _("Set the rate to 1000, and read what happens."),
        _("Take a part away under **Variant** in the sidebar (positions, cross-attention, the causal mask) and start anew."),
    )
    contents.link("compare", _("Compare it with those before it"))
    contents.link("heads", _("Look at what it has learned, head by head"))
    document.the_code(Trainer)


document.parts({_("Watch it learn"): watch, _("Schedule and smoothing"): lambda: recipe(plan, run)})
