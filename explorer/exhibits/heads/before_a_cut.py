"""Before a cut: does the answer need the head that looks most at one word, or all the others?"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from explorer.exhibits.shared import answer_after, asking
from explorer.exhibits.shared.asking import Asking, Question
from explorer.i18n import _
from explorer.model_on_screen import cuts
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.session import current, model_choice
from explorer.ui.cuts import are_locked
from explorer.ui.format import plain
from transformer_core.analysis.cutting import HeadCut


def draw(shown: ShownModel, attention: ShownAttention) -> None:
    """Draws the question about one head of this attention; the cut itself answers it, on the whole page."""
    if are_locked() or not shown.whole.answer[1:]:
        return
    kind, layer = attention.kind, attention.layer
    settings = replace(current().on_screen, cut="")
    asking.folded("cut", f"{settings} {kind} {layer}", lambda: _asking(shown.whole, attention))


def _asking(whole: ShownModel, attention: ShownAttention) -> Asking:
    kind, layer = attention.kind, attention.layer
    shown = whole.attention(kind, layer).map
    choosing = shown.allowed.sum(axis=1) > 1  # rows that may look at several words
    head, query, key = np.unravel_index((shown.weights * choosing[:, None]).argmax(), shown.weights.shape)
    told = _(
        "From “{word}”, head {head} gives {share:.0%} of its attention to “{other}”. We cut this head. What becomes of the "
        "answer?"
    )
    if kind != "encoder":
        told = _(
            "Before it writes “{word}”, head {head} gives {share:.0%} of its attention to “{other}”. We cut this head. What "
            "becomes of the answer?"
        )
    asked = told.format(
        word=plain((shown.next_tokens or shown.query_tokens)[query]),
        head=head,
        share=float(shown.weights[head, query, key]),
        other=plain(shown.key_tokens[key]),
    )
    others = [HeadCut(kind, layer, other) for other in range(len(shown.weights)) if other != head]
    because = [
        _("other heads do the same"),
        _("it looked there, so it needs it"),
        _("the words also go past the heads"),
        _("I just guess"),
    ]
    one = _question(whole, asked, [HeadCut(kind, layer, int(head))])
    told = _(
        "Now the other way round: head {head} stays, and all others of this attention are cut. What becomes of the answer?"
    )
    return Asking(one, because, _question(whole, told.format(head=head), others) if others else None)


def _question(whole: ShownModel, text: str, made: Sequence[HeadCut]) -> Question:
    cut = cuts.written(made)

    def after() -> ShownModel:
        settings = replace(current().on_screen, cut=cut)
        fitting = cuts.cuts_of(settings, whole.cfg, whole.taught, len(whole.src), len(whole.tgt))
        return replace(whole, choice=replace(whole.choice, cuts=fitting))

    return answer_after.question(whole, after, text, lambda: model_choice.choose("cut", cut))
