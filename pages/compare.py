"""The runs of this browser, side by side: which setting got there sooner, and with how little."""

from explorer import document
from explorer.sections.comparing import comparing
from explorer.training.comparison import differences, reached
from explorer.words import _

document.opening(
    _("Compare"),
    _(
        "Was it the width, the heads, the rate, or luck? Every model that you train in this browser is remembered here, with "
        "what was different about it and how soon it could do its task."
    ),
)
comparing()
document.try_this(
    _("Train twice and change the **seed** alone: how far apart are two runs that differ in nothing but luck?"),
    _("How small can it be? Halve d_model until it no longer reaches 99 %."),
    _("One head against four, at the same width: look at both after 50 steps, and at the end."),
)
document.the_code(differences, reached)
