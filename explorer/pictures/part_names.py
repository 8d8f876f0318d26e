"""The names of a layer's parts."""

from explorer.i18n import N_

PARTS = {"self_attn": N_("self-attention"), "cross_attn": N_("cross-attention"), "feed_forward": N_("feed-forward")}
