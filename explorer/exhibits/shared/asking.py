"""A small question: choose what will happen, say why, see it, and then a new case. What is right is never written: the model is
asked."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from zlib import crc32

import streamlit as st

from explorer.components import outcome as view
from explorer.i18n import _, current_language
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.rooms import outcomes
from explorer.rooms.outcomes import Outcome, Picture, choice_of
from explorer.rooms.script import Case
from explorer.session import current, lesson_link
from explorer.ui.format import plain
from explorer.ui.widgets import address_value, chosen_on_screen, on_screen, opens, retitle, set_next

PARTS = 3  # of each question, in the address: the choice, the reason, and the choice of the new case
_NONE = "_"  # in the address, in the place of what was not chosen
_LONGEST = 120  # letters of a reason that is typed
_SAID = re.compile(rf"([0-9{_NONE}]{{{PARTS}}})([0-9a-f]{{4}})", re.ASCII)  # one question's choices, and what it was about


@dataclass(frozen=True)
class Said:
    """A visitor's choices at one question, each by its place; None where nothing was said."""

    choice: int | None = None
    because: int | None = None
    new: int | None = None

    def written(self) -> str:
        """Formats it for the address, in PARTS letters."""
        return "".join(_NONE if place is None else str(place) for place in (self.choice, self.because, self.new))

    def fits(self, choices: int, reasons: int, new: int) -> bool:
        """Returns whether a question with so many of each has all that was chosen; what follows a choice needs one."""
        places = self.choice, self.because, self.new
        is_begun = self.choice is not None or places == (None, None, None)
        return is_begun and all(place is None or place < n for place, n in zip(places, (choices, reasons, new), strict=True))


def read(text: str) -> list[Said]:
    """Parses choices of the address, PARTS letters each."""
    places = [None if letter == _NONE else int(letter) for letter in text]
    return [Said(*places[at : at + PARTS]) for at in range(0, len(places), PARTS)]


@dataclass(frozen=True)
class Question:
    """A question, with its choices and a way to find out what happens.

    Attributes:
        text: in full; case: its choices, and what they mean.
        happens: finds what happens; before: draws what is shown until then, if anything.
        see: is called as somebody asks to see it, such as to make a cut on the page (in a callback).
    """

    text: str
    case: Case
    happens: Callable[[], Outcome]
    before: Callable[[], Picture] | None = None
    see: Callable[[], None] | None = None


def of_bank(case: Case) -> Question:
    """Returns the question of a case of the bank, which is about a sentence of its own."""
    language = current_language()
    text = case.question.format(**happened(case, language).values)
    return Question(text, case, lambda: happened(case, language), lambda: _before(case, language))


@dataclass(frozen=True)
class Asking:
    """A question with its reasons, and a new case of the same rule, if there is one."""

    first: Question
    because: Sequence[str]
    new: Question | None = None

    @property
    def counts(self) -> tuple[int, int, int]:
        """The numbers of choices, of reasons, and of choices of the new case."""
        return len(self.first.case.choices), len(self.because), len(self.new.case.choices) if self.new is not None else 0


def folded(name: str, about: str, questions: Callable[[], Asking | None]) -> None:
    """Draws a box that unfolds to a question: whoever only looks passes over it. The address keeps what was said as long as the
    page is about the same, which `about` names. `questions` is called once the box is unfolded.
    """
    if not lesson_link.shows("try"):
        return
    if box := opens(f"ask-{name}", _("First say what will happen"), ":material/psychology_alt:"):
        with box:
            if (asked := questions()) is None:
                st.markdown(_("There is nothing to ask here. Take another sentence."))
                return
            said = of_address(name, about, asked.counts)
            ask(key_of(name, about), asked, said, lambda said: keep(name, about, said))


def key_of(name: str, about: str) -> str:
    """Returns the name of a question in the keys of what is drawn: another one for whatever it is about."""
    return f"{name}-{_mark(about)}"


def take_chosen(name: str, about: str) -> None:
    """Takes what is chosen as said, if anything is: somebody has done on the page what the question is about, instead of having
    it shown (called in a callback)."""
    key = key_of(name, about)
    choice, why = chosen_on_screen(f"expect-first-{key}"), chosen_on_screen(f"because-{key}")
    if choice is not None and of_address(name, about) == Said():
        keep_typed(key)
        keep(name, about, Said(choice, why))


def of_address(name: str, about: str, counts: tuple[int, int, int] = (10, 10, 10)) -> Said:
    """Reads what was said of this, if it was of this and there are so many choices, reasons, and choices of a new case."""
    found = _SAID.fullmatch(str(address_value(f"said-{name}", "", lambda text: text if _SAID.fullmatch(text) else None)))
    said = read(found[1])[0] if found is not None and found[2] == _mark(about) else Said()
    return said if said.fits(*counts) else Said()


def keep(name: str, about: str, said: Said) -> None:
    """Puts what was said in the address (called in a callback)."""
    set_next(f"said-{name}", said.written() + _mark(about))


def _mark(about: str) -> str:
    """Returns four letters that tell what a question was about from nearly all else."""
    return f"{crc32(about.encode()) & 0xFFFF:04x}"


def ask(name: str, asked: Asking, said: Said, take: Callable[[Said], None]) -> None:
    """Draws a question, its reasons, what happens once it has been asked for, and then the new case.

    Args:
        name: of the question, in the keys of what is drawn.
        take: is called with what was said (in a callback).
    """
    first, new = asked.first, asked.new
    _one(name, "first", first, said.choice, asked.because, said.because, lambda choice, why: take(Said(choice, why)))
    if said.choice is None:
        return
    _happens(first, said.choice, f"outcome-{name}")
    if new is not None:
        st.markdown(f"**{_('A new case')}**")
        _one(name, "new", new, said.new, (), None, lambda choice, _why: take(replace(said, new=choice)))
        if said.new is not None:
            _happens(new, said.new, f"outcome-new-{name}")


def _one(
    name: str,
    which: str,
    asked: Question,
    choice: int | None,
    because: Sequence[str],
    reason: int | None,
    take: Callable[[int, int | None], None],
) -> None:
    """Draws a question, its choices and reasons, and the button that shows what happens; once it is seen, what was said."""
    with st.container(key=f"asked-{which}-{name}"):
        st.markdown(f"#### {asked.text}" if which == "first" else asked.text)
        if choice is None and asked.before is not None:
            view.show(asked.before(), f"before-{which}-{name}")
        chosen, why = expectation(name, which, [each.text for each in asked.case.choices], choice, because, reason)

    def see() -> None:
        assert chosen is not None
        if which == "first":
            keep_typed(name)
        take(chosen, why)
        if asked.see is not None:
            asked.see()

    if choice is None:
        st.button(
            _("See what happens"),
            key=f"see-{which}-{name}",
            type="primary",
            icon=":material/visibility:",
            disabled=chosen is None,
            help=_("First choose what you expect.") if chosen is None else None,
            on_click=see,
        )


def expectation(
    name: str,
    which: str,
    choices: Sequence[str],
    choice: int | None,
    because: Sequence[str] = (),
    reason: int | None = None,
    *,
    label: str = "",
    is_fixed: bool | None = None,
) -> tuple[int | None, int | None]:
    """Draws the choices and, behind a choice, the reasons to tap or to type; fixed once there is a `choice`, unless `is_fixed`
    says. Returns what is chosen of both. `label`: the question, where it does not stand above.
    """
    is_fixed = choice is not None if is_fixed is None else is_fixed
    retitle(f"expect-{which}-{name}", [*choices])
    chosen = st.radio(
        label or _("What do you expect?"),
        range(len(choices)),
        index=choice,
        format_func=lambda place: choices[place],
        key=f"expect-{which}-{name}",
        disabled=is_fixed,
        label_visibility="visible" if label else "collapsed",
        horizontal=True,
    )
    why = None
    if chosen is None or not because:
        return chosen, None
    if reason is not None or not is_fixed:
        why = st.pills(
            _("Because … (optional)"),
            range(len(because)),
            format_func=lambda place: because[place],
            default=reason,
            key=f"because-{name}",
            disabled=is_fixed,
        )
    if is_fixed and (own := typed(name)):
        st.caption(plain(own))
    elif not is_fixed:
        st.text_input(_("… or in your own words; only you see them"), max_chars=_LONGEST, key=f"typed-{name}")
    return chosen, why


def keep_typed(name: str) -> None:
    """Keeps the typed reason in the session, and out of the address (called in a callback)."""
    if typed := on_screen(f"typed-{name}"):  # it may have been typed since the page was drawn
        current().controls.kept[f"typed-{name}"] = typed


def typed(name: str) -> str:
    """Returns the reason that was typed."""
    return current().controls.kept.get(f"typed-{name}", "")


def _happens(asked: Question, choice: int, key: str) -> None:
    """Draws what happened, and says whether it was expected."""
    found = asked.happens()
    if found.picture:
        view.show(found.picture, key)
    right = choice_of(asked.case, found.found)
    assert right is not None, "one choice of each question is what happens"
    words, choices = " ".join(found.words(current_language())), asked.case.choices
    if right == choice:
        st.success(_("As you expected. {words}").format(words=words), icon=":material/check:")
    else:
        told = _("You expected: {choice}. What happened: {found}. {words}")
        st.info(told.format(choice=choices[choice].text, found=choices[right].text, words=words))


@shared_cache(2**21)
def happened(case: Case, language: str) -> Outcome:
    """Finds out what happens in a case of the bank."""
    return outcomes.at_once(case, language)


@shared_cache(2**21)
def _before(case: Case, language: str) -> Picture:
    return outcomes.before(case, language)
