"""Which words may attend to which: padding, causal, both together, and what a mask does to the softmax."""

from explorer.exhibits.masks import batch_masks, blocked_rows, sentence_masks, triangle
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("Masks"),
    _("A **mask** says which words a word may attend to: it hides padding, and what comes later."),
    _(
        "The **padding mask** hides the tokens that only fill a sentence up; the **causal mask** hides the words that come "
        "later, because at the time a word is generated they do not exist yet. Only the decoder has the causal mask: the "
        "encoder reads a sentence that is there as a whole before the first word is written."
    ),
)
if shown is not None:
    document.parts(
        {
            sentence_masks: _("Masks of this sentence"),
            blocked_rows: _("Blocked rows"),
            triangle: _("The triangle"),
            batch_masks: _("A batch"),
        },
        shown,
    )
