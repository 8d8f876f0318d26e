"""The runs of this browser, task by task: which setting reached the target sooner, and with how few parameters."""

from explorer.i18n import _
from explorer.parts.compare import run_table
from explorer.training.comparison import differences, reached
from explorer.ui import document

document.opening(
    _("Compare"),
    _("Which setting learned sooner, and with how few parameters?"),
    _(
        "Was it the width, the heads, the learning rate, or luck? The runs that you have started are listed here, with the "
        "settings that make them different and the steps that they took to learn their task."
    ),
)
run_table.draw()
document.try_this(
    _("Train twice and change only the **seed** (More settings): how far apart are two runs that differ in nothing else?"),
    _("How small can the model be? Halve d_model until it no longer reaches {target:.0%}.").format(target=run_table.TARGET),
    _("Compare one head with four at the same width, after 50 steps and at the end."),
)
document.the_code(differences, reached)
