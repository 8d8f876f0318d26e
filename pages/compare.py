"""The runs of this browser, side by side: which setting reached the target sooner, and with how few parameters."""

from explorer.i18n import _
from explorer.parts.compare import run_table
from explorer.training.comparison import differences, reached
from explorer.ui import document

document.opening(
    _("Compare"),
    _(
        "Was it the width, the heads, the learning rate, or luck? Every run that you start is listed here, with the settings "
        "that make it different and the steps that it took to learn its task."
    ),
)
run_table.draw()
document.try_this(
    _("Train twice and change only the **seed**: how far apart are two runs that differ in nothing else?"),
    _("How small can the model be? Halve d_model until it no longer reaches 99 %."),
    _("Compare one head with four at the same width: look at both after 50 steps, and at the end."),
)
document.the_code(differences, reached)
