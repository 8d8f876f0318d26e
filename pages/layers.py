"""One layer from the inside: a word's vector on its way, the feed-forward part, and what the encoder hands over."""

from functools import partial

from explorer import document
from explorer.sections.feed_forward import feed_forward_part
from explorer.sections.follow_k_v import follow_k_v_part
from explorer.sections.one_words_way import one_words_way_part
from explorer.words import _

view = document.opening_of_model(
    _("Layers"),
    _(
        "A model is a pile of equal **layers**, and each has two or three parts: one that looks at other words, and one that "
        "thinks about each word alone. Follow one word's numbers through them."
    ),
)
document.parts(
    {
        _("One word's way"): partial(one_words_way_part, view),
        _("Feed-forward"): partial(feed_forward_part, view),
        _("Follow K and V"): partial(follow_k_v_part, view),
    }
)
