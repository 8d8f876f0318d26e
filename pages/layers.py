"""One layer from the inside: the residual stream, the feed-forward part, and what the encoder hands over."""

from explorer.exhibits.layers import dropout, feed_forward, keys_and_values, residual_stream
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("Layers"),
    _("A model is a stack of **layers**, all built alike. Follow one word’s vector through them."),
    _(
        "Each layer has an attention part, in which words exchange information, and a feed-forward part, which works on every "
        "word separately."
    ),
)
if shown is not None:
    document.parts(
        {
            residual_stream: _("Residual stream"),
            feed_forward: _("Feed-forward"),
            keys_and_values: _("Keys and values"),
            dropout: _("Dropout"),
        },
        shown,
    )
