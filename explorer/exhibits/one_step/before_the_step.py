"""Before the step: how likely will the right word be after it, and after one with many other sentences?"""

from collections.abc import Callable
from dataclasses import replace

from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import Asking, Question
from explorer.i18n import N_, _
from explorer.model_on_screen.one_step import BATCH, step_of, steps_in_a_batch
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.one_step import right_words
from explorer.rooms.outcomes import Outcome
from explorer.rooms.script import Case, Choice
from explorer.session import current
from explorer.ui.format import plain
from explorer.ui.widgets import set_next
from transformer_core.analysis.one_step import OneStep

_LESS, _SAME, _MORE, _MUCH = "less", "same", "more", "much"
_LITTLE, _LOT = 0.01, 0.1  # of a probability: what still counts as the same, and from where it is much
_LAST = 5  # the station that answers


def draw(lesson: ShownModel) -> None:
    """Draws the box that unfolds to the question."""
    settings = replace(current().on_screen, step=None)
    asking.folded("step", f"{settings} {lesson.choice.weights}", lambda: _asking(lesson))


def _asking(lesson: ShownModel) -> Asking:
    found = step_of(lesson)
    word, p = plain(right_words(lesson)[found.weakest]), float(found.before[found.weakest])
    told = _("The right word “{word}” has a probability of {p:.1%}. After one step with this sentence alone, it is …").format(
        word=word, p=p
    )
    because = [
        _("one example among so many changes little"),
        _("every weight moves, and all for this sentence"),
        _("what it knew before stands in the way"),
        _("I just guess"),
    ]
    first = _question(told, lambda: _happens(lesson, found), see=lambda: set_next("station", _LAST))
    if lesson.taught is None:
        return Asking(first, because)
    told = _("And after one step with {n} sentences of training, this one among them?").format(n=BATCH)
    return Asking(first, because, _question(told, lambda: _happens(lesson, steps_in_a_batch(lesson)[0])))


def _question(text: str, happens: Callable[[], Outcome], see: Callable[[], None] | None = None) -> Question:
    choices = (
        Choice(_("less likely"), _LESS),
        Choice(_("about the same, within one percentage point"), _SAME),
        Choice(_("more likely, by up to ten percentage points"), _MORE),
        Choice(_("more likely, by over ten"), _MUCH),
    )
    return Question(text, Case("", text, choices), happens, see=see)


def _happens(lesson: ShownModel, found: OneStep) -> Outcome:
    before, after = (float(each[found.weakest]) for each in (found.before, found.after))
    rise = after - before
    means = _SAME if abs(rise) <= _LITTLE else _LESS if rise < 0 else _MUCH if rise > _LOT else _MORE
    told = N_("The probability of “{word}” went from {before:.1%} to {after:.1%}.")
    values = {"word": plain(right_words(lesson)[found.weakest]), "before": before, "after": after}
    return Outcome(means, [(told, values)], values)
