"""Find the fault: a trained translator with one broken part, to be found with few looks."""

from explorer.exhibits.hunt import puzzle
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("Find the fault"),
    _("A translator with one broken part: find it with few looks."),
    _(
        "It has learned, and then one part was broken; nothing is trained here. Each look has a price. A wrong accusation "
        "costs more, and says what speaks against it. What is left is your score. Some parts are never asked: a model that "
        "has learned does without √d_k, and without the decoder’s positions; they matter while it learns."
    ),
)
puzzle.draw()
