"""The answers of the model on screen before and after its cuts and changes of weights, with the differences highlighted; of a
decoder alone, what it goes on with."""

from difflib import SequenceMatcher
from typing import Any

from explorer.components import LivePicture, register
from explorer.i18n import _, n_
from explorer.model_on_screen.right_answers import answer_text
from explorer.model_on_screen.shown_model import ShownModel

_component = register("cut_answer")
_MOST_WORDS = 24  # the most words of an answer


def show(shown: ShownModel, live: LivePicture, unchanged: str) -> None:
    """Draws the answers. Also mounted without changes, where it says `unchanged`: a clicked cut, or a dragged weight, appears
    here ahead of the page, in the same place.
    """
    texts = {
        "unchanged": unchanged,
        "same": _("The answer stays the same: “{before}”") if shown.cfg.has_encoder else _("It still goes on with “{before}”"),
        "changed": _("Before: “{before}” · now: “{after}”"),
    }
    _component(key="cut-answer", data={"live": live, "texts": texts} | numbers(shown), width="content")


def numbers(shown: ShownModel) -> dict[str, Any]:
    """Returns {cut, edited, before, after, between}: `edited` says how many weights are changed; `after` are pieces of the
    answer, [text, whether it differs], to be joined with `between`; empty if the answer stays the same.
    """
    original, now, begun = shown.original.answer, shown.answer, len(shown.start)
    before, after = (answer[begun : begun + _MOST_WORDS] for answer in (original, now))
    written, n = answer_text(shown, before), len(shown.choice.edits)
    matches = SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    parts = [[answer_text(shown, after[start:end]), kind != "equal"] for kind, _a, _b, start, end in matches if end > start]
    return {
        "cut": bool(shown.choice.cuts),
        "edited": n_("{n} weight is changed by hand.", "{n} weights are changed by hand.", n).format(n=n) if n else "",
        "before": written,
        "after": [] if original == now else parts or [["…", False]],
        "between": " " if " " in written else "",
    }
