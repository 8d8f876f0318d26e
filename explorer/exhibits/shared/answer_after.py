"""The question what becomes of the answer once something in the model is changed. The model is asked."""

from collections.abc import Callable
from difflib import SequenceMatcher

from explorer.exhibits.shared.asking import Question
from explorer.i18n import N_, _
from explorer.model_on_screen.right_answers import answer_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.rooms.outcomes import Outcome
from explorer.rooms.script import Case, Choice
from explorer.ui.format import plain

_SAME, _ONE, _MORE = "same", "one", "more"  # words of the answer that differ


def question(before: ShownModel, after: Callable[[], ShownModel], text: str, see: Callable[[], None]) -> Question:
    """Asks it. `after` changes the model; `see` makes the change on the page (in a callback)."""
    choices = Choice(_("it stays"), _SAME), Choice(_("one word changes"), _ONE), Choice(_("more than one word changes"), _MORE)
    return Question(text, Case("", text, choices), lambda: _happens(before, after()), see=see)


def _happens(before: ShownModel, after: ShownModel) -> Outcome:
    old, new = (each.answer[len(each.start) :] for each in (before, after))
    matches = SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes()
    differ = sum(max(a - b, c - d) for kind, b, a, d, c in matches if kind != "equal")
    told = N_("It writes “{after}” instead of “{before}”.") if differ else N_("The answer stays “{before}”.")
    texts = {"before": plain(answer_text(before, old)), "after": plain(answer_text(before, new))}
    return Outcome(_SAME if not differ else _ONE if differ == 1 else _MORE, [(told, texts)], texts)
