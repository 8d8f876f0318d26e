"""The answers of the model on screen before and after its cuts, with the differences highlighted; of a decoder alone, what it
goes on with."""

from difflib import SequenceMatcher
from typing import Any

from explorer.components import LivePicture, register
from explorer.i18n import _
from explorer.model_on_screen.right_answers import answer_text
from explorer.model_on_screen.shown_model import ShownModel

_component = register("cut_answer")
_MOST_WORDS = 24  # the most words of an answer


def show(shown: ShownModel, live: LivePicture) -> None:
    """Draws the answers. Also mounted without cuts: a clicked cut appears here ahead of the page, in the same place."""
    texts = {
        "whole": _("Nothing is cut."),
        "same": _("The answer stays the same: “{before}”") if shown.cfg.has_encoder else _("It still goes on with “{before}”"),
        "changed": _("Before: “{before}” · now: “{after}”"),
    }
    _component(key="cut-answer", data={"live": live, "texts": texts} | numbers(shown), width="content")


def numbers(shown: ShownModel) -> dict[str, Any]:
    """Returns {cut, before, after, between}: `after` are pieces of the answer, [text, whether it differs], to be joined with
    `between`; empty if the answer stays the same.
    """
    whole, cut, begun = shown.whole.answer, shown.answer, len(shown.start)
    before, after = (answer[begun : begun + _MOST_WORDS] for answer in (whole, cut))
    written = answer_text(shown, before)
    matches = SequenceMatcher(a=before, b=after, autojunk=False).get_opcodes()
    parts = [[answer_text(shown, after[start:end]), kind != "equal"] for kind, _a, _b, start, end in matches if end > start]
    return {
        "cut": bool(shown.choice.cuts),
        "before": written,
        "after": [] if whole == cut else parts or [["…", False]],
        "between": " " if " " in written else "",
    }
