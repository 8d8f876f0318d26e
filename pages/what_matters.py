"""What the model needs, by cutting it out: single words, heads and parts."""

from explorer.exhibits.what_matters import (
    kinds_of_links,
    logit_lens,
    other_seeds,
    pairs_of_heads,
    ranking,
    rollout,
    swap_and_patch,
    without_a_word,
)
from explorer.i18n import _
from explorer.ui import document

shown = document.opening_of_model(
    _("What matters"),
    _("A picture of attention shows where a model takes from. To see what it needs, cut something out: an **ablation**."),
    _(
        "What is lost is measured, and can refute what a picture suggests: a head may look sharp and cost little, a word may "
        "get much attention and change nothing. On the page Heads you can cut by hand."
    ),
)
if shown is not None:
    document.parts(
        {
            without_a_word: _("Leave a word out"),
            swap_and_patch: _("Swap and patch"),
            ranking: _("Heads and parts, ranked"),
            pairs_of_heads: _("Pairs of heads"),
            kinds_of_links: _("Kinds of links"),
            rollout: _("Rollout"),
            logit_lens: _("Logit lens"),
            other_seeds: _("Another seed"),
        },
        shown,
        research=(swap_and_patch, ranking, pairs_of_heads, kinds_of_links, rollout, logit_lens, other_seeds),
    )
