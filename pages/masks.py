"""Who may look at whom: padding, causal, both together, and what a mask does to the softmax."""

from functools import partial

from explorer import document
from explorer.sections.batch_masks import batch_masks_part
from explorer.sections.blocked_rows import blocked_rows_part
from explorer.sections.sentence_masks import sentence_masks_part
from explorer.sections.triangle import triangle_part
from explorer.words import _

view = document.opening_of_model(
    _("Masks"),
    _(
        "A **mask** says who may look at whom. One keeps everybody from looking at filler words (**padding**); another keeps a "
        "word from looking at words that come after it (**causal**), because when the model writes they do not exist yet."
    ),
)
document.parts(
    {
        _("Masks of this sentence"): partial(sentence_masks_part, view),
        _("Blocked rows"): partial(blocked_rows_part, view),
        _("The triangle"): triangle_part,
        _("A batch"): partial(batch_masks_part, view),
    }
)
