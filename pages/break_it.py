"""Ablations: predict, train both models, and read what happened."""

from explorer.exhibits.break_it import ablation
from explorer.i18n import _
from explorer.learning.ablations import ABLATIONS, outcome, plans
from explorer.ui import document

document.opening(
    _("Break it"),
    _("What is each part for? Remove one, train both, and compare: an **ablation**."),
    _(
        "Two models learn the same task from the same seed: the **baseline** is whole, in the **ablated** one the part is "
        "removed or changed. The verdict below is what these two runs did."
    ),
)
ablation.draw()
document.try_this(
    _("Begin with the causal mask and compare the two pairs of curves: which of them tells you that something is wrong?"),
    _("Change the **seed**, at the side, and train both again: one run is no proof."),
    _("Try all {n}: does any of them change nothing on this small task?").format(n=len(ABLATIONS)),
)
document.the_code(plans, outcome)
