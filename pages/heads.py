"""Every head of one attention, as lines and as matrices; how the width is split among them; what they attend to, and cost."""

from explorer.exhibits.heads import every_head, head_cost, head_patterns, side_by_side, split_and_join, words_and_lines
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("Heads"),
    _("Several attentions work side by side: the **heads**. Each can look elsewhere."),
    _(
        "One attention mixes all that a word takes from others into one average, so there are several. Each has parameters "
        "of its own, so it can look elsewhere than the others; only afterwards are their averages put together (section 3.2.2 "
        "of the paper)."
    ),
    may_cut=True,
)
if shown is not None:
    document.parts(
        {
            words_and_lines: _("Words and lines"),
            every_head: _("All heads at once"),
            side_by_side: _("Heat maps"),
            split_and_join: _("Split and join"),
            head_patterns: _("What heads look at"),
            head_cost: _("What heads cost"),
        },
        shown,
    )
