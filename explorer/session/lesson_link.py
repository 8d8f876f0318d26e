"""The lesson that an address names, and what holds while it is followed."""

from collections.abc import Mapping, Sequence

from explorer.model_on_screen.settings import NAMES
from explorer.rooms.lesson import unpacked
from explorer.rooms.script import PAGES, ScriptError, Step
from explorer.session.lesson import (
    AT,
    DRAFT,
    KINDS,
    LOCK,
    LONGEST_NOTE,
    NEXT,
    NOTE,
    OF_VISITOR,
    PACKED,
    SHOW,
    WORDS,
    Draft,
    Lesson,
    listed,
    parsed,
)
from explorer.session.numbers import as_number
from explorer.session.session import Session, current


def take(session: Session, *, anew: bool) -> None:
    """Takes the words of a lesson from the address. Only an address that is opened, or stepped to, begins or ends one."""
    news = session.address.news
    said = {name: text for name in WORDS if (text := news.pop(name, None))}
    draft = news.pop(DRAFT, None)
    if draft and not session.draft.steps:
        _take_draft(session, draft)
    if anew:
        session.lesson = _packed(session, said) if PACKED in said else _of_one_page(session, said)


def _packed(session: Session, said: Mapping[str, str]) -> Lesson | None:
    try:
        steps = unpacked(said[PACKED])
    except ScriptError as error:
        session.controls.misread[PACKED] = (str(error), None)
        return None
    number = as_number(said.get(AT, "1"), whole=True)
    if number is None or not 1 <= number <= len(steps):
        session.controls.misread[AT] = (said[AT], number := 1)
    return Lesson(steps, int(number) - 1, {PACKED: said[PACKED]})


def _of_one_page(session: Session, said: Mapping[str, str]) -> Lesson | None:
    said = {name: text for name, text in said.items() if name != AT}
    if not said:
        return None
    following = parsed(said[NEXT], PAGES) if NEXT in said else None
    if NEXT in said and following is None:
        session.controls.misread[NEXT] = (said[NEXT], None)
    step = Step(
        "watch",
        title="",
        minutes=0.0,
        page=session.rerun.page,
        view=view_of(session.address.written or {}),
        parts=listed(said.get(SHOW, "")),
        lock=listed(said.get(LOCK, "")),
        show=said.get(NOTE, "")[:LONGEST_NOTE],
    )
    return Lesson((step,), words=said, following=following)


def _take_draft(session: Session, word: str) -> None:
    try:
        take_steps(session.draft, unpacked(word))
    except ScriptError as error:
        session.controls.misread[DRAFT] = (str(error), None)


def take_steps(draft: Draft, steps: Sequence[Step]) -> None:
    """Puts steps in the place of those of a draft."""
    for number in [*draft.steps]:
        draft.remove(number)
    for step in steps:
        draft.add(step)


def view_of(address: Mapping[str, str]) -> dict[str, str]:
    """Returns what an address says of the view alone."""
    return {name: text for name, text in address.items() if name not in (*WORDS, *OF_VISITOR)}


def locks(name: str) -> bool:
    """Returns whether the lesson on screen, if any, has a control keep its value."""
    session = current()
    return session.lesson is not None and session.lesson.locks(name, session.rerun.page)


def locked_settings(session: Session) -> dict[str, str | None]:
    """Returns the shared settings that cannot be changed, with what the lesson says of each; None: the default."""
    if session.lesson is None:
        return {}
    return {name: session.lesson.step.view.get(name) for name in session.lesson.step.lock if name in NAMES}


def shows(kind: str) -> bool:
    """Returns whether the page on screen shows one of KINDS."""
    session = current()
    return session.lesson is None or session.lesson.shows(kind, session.rerun.page)


def offered(parts: Sequence[str]) -> list[str]:
    """Returns the parts that a page offers."""
    session = current()
    return [*parts] if session.lesson is None else session.lesson.offered(parts, session.rerun.page)


def leave() -> None:
    """Ends the lesson; the page stays as it is (call it in a callback)."""
    current().lesson = None


def compare(session: Session, parts: Sequence[str]) -> None:
    """Compares the names in a link of one page with what that page has; call it after the page has been drawn."""
    lesson = session.lesson
    if lesson is None or lesson.step.page != session.rerun.page or PACKED in lesson.words:
        return
    drawn, kinds = {*session.rerun.drawn, *NAMES}, {*KINDS, *parts}
    for word, names, known in ((LOCK, lesson.step.lock, drawn), (SHOW, lesson.step.parts, kinds)):
        if foreign := [name for name in names if name not in known]:
            session.controls.misread[word] = (",".join(foreign), None)
