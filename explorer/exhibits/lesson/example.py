"""A lesson of six steps, to look at and to change."""

from dataclasses import replace

from explorer.i18n import N_, _
from explorer.rooms.script import Step
from explorer.ui.navigation import CONTENTS

_CAT = "the black cat sleeps on the bed"
_STEPS = (
    Step("watch", "", 3.0, page="home", view={"src": _CAT}, show=N_("Watch the lines. Two of them cross: which ones?")),
    Step(
        "watch",
        "",
        4.0,
        page="look_closer",
        view={"src": _CAT, "query": "2"},
        show=N_("It is about to write a word. Take its look away, and see what it writes then."),
        lock=("src",),
    ),
    Step(
        "watch",
        "",
        4.0,
        page="heads",
        view={"src": _CAT, "part": "side_by_side"},
        show=N_("Four heads look at the same sentence: here is a picture of each."),
        question=N_("Which head looks elsewhere than the others?"),
        parts=("side_by_side", "controls", "caption"),
        lock=("src",),
    ),
    Step(
        "watch",
        "",
        3.0,
        page="masks",
        view={"src": _CAT},
        show=N_("A word that is being written may not look at words that come later."),
        question=N_("What would go wrong if it could?"),
    ),
    Step(
        "watch",
        "",
        4.0,
        page="decoding",
        view={"src": _CAT},
        show=N_("At each step it has several words in mind. Press another than the first, and it goes on from there."),
    ),
    Step("watch", "", 5.0, page="break_it", show=N_("Now take a part out of the model, and let both learn."), lock=("seed",)),
)


def steps() -> list[Step]:
    """Returns the steps, their words in the visitor's language."""
    return [
        replace(step, title=_(CONTENTS[step.page].title), show=_(step.show), question=step.question and _(step.question))
        for step in _STEPS
    ]
