"""Be the head: say where the model looks as it writes a word, and see what it writes."""

from explorer.exhibits.be_the_head import game
from explorer.i18n import _
from explorer.ui import document

document.opening(
    _("Be the head"),
    _("It is about to write a word. **You** say where it looks."),
    _(
        "Your weights stand in the place of the model's own, in all heads of the last layer's cross-attention, in the row of "
        "this one word; on the last level, in the decoder's self-attention. Everything else stays the model's, and its own row "
        "stays covered until you ask for it."
    ),
)
game.draw()
