"""Experiments in taking something away: predict, train both, and read what happened."""

from explorer.training.ablations import ABLATIONS, outcome, plans

from explorer import document
from explorer.sections.breaking import breaking
from explorer.words import _

document.opening(
    _("Break it"),
    _(
        "What is each part of the model for? Take one away and see. Two models learn the same task from the same random "
        "numbers, one whole and one broken; what the page says about them is what these two runs have done."
    ),
)
breaking()
document.try_this(
    _("Begin with the causal mask, and compare the two curves: what falls on the left, and what stays on the right?"),
    _("Change the **seed** in the sidebar and train both again: one run is no proof."),
    _("Try all {n}: does any of them change nothing on so small a task?").format(n=len(ABLATIONS)),
)
document.the_code(plans, outcome)
