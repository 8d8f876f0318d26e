"""One head of the model on the typed sentence: its arithmetic, other ways to score, and why scores are divided by √d_k."""

from explorer.exhibits.attention import one_head, other_scores, why_scale
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("Attention, step by step"),
    _("**Attention** lets a word collect information from others: here is how, digit by digit."),
    _(
        "Every word has a **query** (what it is looking for), a **key** (what it can be found by) and a **value** (what it "
        "passes on). The better a query matches a key, the more of that value is taken."
    ),
)
if shown is not None:
    document.parts(
        {one_head: _("Step by step"), other_scores: _("Scoring functions"), why_scale: _("Why √d_k")},
        shown,
    )
