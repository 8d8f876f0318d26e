"""Values of an address that are invalid here, and what is on screen in their place."""

from collections.abc import Iterator
from dataclasses import dataclass

from explorer.model_on_screen import cuts, weight_edits
from explorer.model_on_screen.shown_model import ShownModel
from explorer.session import lesson_link, model_choice
from explorer.session.session import Session, Value


@dataclass(frozen=True)
class Misread:
    """`name=said` is in a link, and `name=instead` is on screen; "" of a cut, or of changed weights: nothing
    is changed in its place.
    """

    name: str
    said: str
    instead: Value


def now(session: Session) -> Iterator[Misread]:
    """Yields those that nothing else has replaced since."""
    settings = vars(session.settings) | {"lang": session.language}
    if session.lesson is not None:
        settings["at"] = session.lesson.at + 1
    for name, (text, instead) in session.controls.misread.items():
        drawn = session.rerun.drawn.get(name)
        if (drawn[0] if drawn is not None else settings.get(name)) == instead:
            yield Misread(name, text, _shown(session, name, instead))


def compare(session: Session) -> None:
    """Compares a link's step, cuts and changed weights with the model, and its words of a lesson with the page; call it after
    the page has been drawn.
    """
    lesson_link.compare(session, session.rerun.parts)
    shown, settings, linked = session.rerun.shown, session.settings, session.rerun.linked
    if not isinstance(shown, ShownModel):
        return
    learned = shown.learning.state in ("learned", "cannot-learn")
    if "step" in linked and learned and settings.step is not None and settings.step > shown.learning.last:
        _give_up(session, "step", str(settings.step), None)
    made = shown.choice.cuts.made
    if "cut" in linked and (foreign := [word for word in cuts.words(settings.cut) if not {*cuts.read(word)} & {*made}]):
        _give_up(session, "cut", ",".join(foreign), cuts.written(made))
    edits = shown.choice.edits
    if "edit" in linked and (
        foreign := [word for word in cuts.words(settings.edit) if not {*weight_edits.read(word)} & {*edits}]
    ):
        _give_up(session, "edit", ",".join(foreign), weight_edits.written(edits))


def _give_up(session: Session, name: str, said: str, value: Value | None) -> None:
    session.controls.misread[name] = (said, value)
    model_choice.correct(session, name, value)


def _shown(session: Session, name: str, instead: Value | None) -> Value:
    shown = session.rerun.shown
    if name == "step" and isinstance(shown, ShownModel):
        return shown.learning.step
    return "" if name in ("cut", "edit") or instead is None else instead
