"""One head of the real model on the typed sentence: its digits, other ways to score, and why scores are divided by √d_k."""

from explorer import controls, document, state
from explorer.sections.one_head import one_head
from explorer.sections.other_scores import other_scores
from explorer.sections.why_scale import why_scale
from explorer.words import _

view = document.opening_of_model(
    _("Attention, step by step"),
    _(
        "Each word asks a question (its **query**) and every word offers a label (its **key**) and a content (its **value**). "
        "Where question and label agree, the asking word takes much of the content."
    ),
)
kind, layer, head = controls.which_head(view.cfg, "cross")
site = state.Site(view, kind, layer)
document.parts(
    {
        _("Step by step"): lambda: one_head(site, head),
        _("Other scores"): lambda: other_scores(site, head),
        _("Why √d_k"): lambda: why_scale(site, head),
    }
)
