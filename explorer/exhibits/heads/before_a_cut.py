"""Before a cut: does the answer need the head that looks most at one word, or all the others?"""

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

import numpy as np

from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import Asking, Question
from explorer.i18n import N_, _
from explorer.model_on_screen import cuts
from explorer.model_on_screen.right_answers import answer_text
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.rooms.outcomes import Outcome
from explorer.rooms.script import Case, Choice
from explorer.session import current, model_choice
from explorer.ui.cuts import are_locked
from explorer.ui.format import plain
from transformer_core.analysis.cutting import HeadCut

_SAME, _ONE, _MORE = "same", "one", "more"  # words of the answer that differ


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
    choices = Choice(_("it stays"), _SAME), Choice(_("one word changes"), _ONE), Choice(_("more than one word changes"), _MORE)
    cut = cuts.written(made)
    return Question(text, Case("", text, choices), lambda: _happens(whole, cut), see=lambda: model_choice.choose("cut", cut))


def _happens(whole: ShownModel, cut: str) -> Outcome:
    settings = replace(current().on_screen, cut=cut)
    made = cuts.cuts_of(settings, whole.cfg, whole.taught, len(whole.src), len(whole.tgt))
    before, after = (each.answer[1:] for each in (whole, replace(whole, choice=replace(whole.choice, cuts=made))))
    matches = SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    differ = sum(max(a - b, c - d) for kind, b, a, d, c in matches if kind != "equal")
    told = N_("It writes “{after}” instead of “{before}”.") if differ else N_("The answer stays “{before}”.")
    texts = {"before": plain(answer_text(whole, before)), "after": plain(answer_text(whole, after))}
    return Outcome(_SAME if not differ else _ONE if differ == 1 else _MORE, [(told, texts)], texts)
