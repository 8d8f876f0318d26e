"""Look closer: one word of a sentence as it is written, and what each look of it brings."""

from explorer.exhibits.look_closer import one_word
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("Look closer"),
    _("Where one word looks, and what that brings."),
    _(
        "The words so far are given to the decoder, and it writes the next one. A line is the mean of the heads of the last "
        "layer's cross-attention; weights below 5 % are not drawn. “Without it” masks that one word for this one row, in all "
        "heads and layers: earlier words keep their looks."
    ),
)
one_word.draw()
