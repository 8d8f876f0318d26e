"""Predict: say what the model will do, and why; see it; then one new case of the same rule. The model decides what is right."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from explorer.components import outcome as view
from explorer.i18n import _, current_language
from explorer.model_on_screen.shared_cache import shared_cache
from explorer.rooms import outcomes
from explorer.rooms.outcomes import Outcome, choice_of
from explorer.rooms.script import Case, Step, bank
from explorer.session import current
from explorer.session.address import as_option
from explorer.ui.format import plain
from explorer.ui.widgets import address_value, on_screen, set_next

_NONE = "_"  # in the address, in the place of what was not chosen
_LONGEST = 120  # letters of a reason that is typed
_PARTS = 3  # of each question, in the address: the choice, the reason, and the choice of the new case


@dataclass(frozen=True)
class Said:
    """A visitor's choices at one question, each by its place; None where nothing was said."""

    choice: int | None = None
    because: int | None = None
    new: int | None = None


def draw() -> None:
    """Draws the question that the address names; behind the last one, the visitor's own list."""
    questions = bank(current_language())
    said = _read(str(address_value("said", "", lambda text: text if _is_said(text, questions) else None)), len(questions))
    at = int(address_value("question", 1, lambda text: as_option(text, range(1, len(questions) + 2)))) - 1
    if at == len(questions):
        _own_list(questions, said)
        return
    step, mine = questions[at], said[at]
    assert step.asked is not None and step.new is not None
    st.caption(_("Question {n} of {all}").format(n=at + 1, all=len(questions)))
    _ask(step.asked, mine.choice, at, "first", step.because, mine.because)
    if mine.choice is not None:
        _happens(step.asked, mine.choice, f"outcome-{at}")
        st.markdown(f"**{_('A new case')}**")
        _ask(step.new, mine.new, at, "new")
        if mine.new is not None:
            _happens(step.new, mine.new, f"outcome-new-{at}")
    _ways_on(at, mine)


def _ask(case: Case, choice: int | None, at: int, which: str, because: Sequence[str] = (), reason: int | None = None) -> None:
    """Draws a question, its choices and reasons, and the button that shows what happens; once it is seen, what was said."""
    values = _happened(case, current_language()).values
    with st.container(key=f"asked-{which}-{at}"):
        st.markdown(f"#### {case.question.format(**values)}" if which == "first" else case.question.format(**values))
        if choice is None:
            view.show(_before(case, current_language()), f"before-{which}-{at}")
        texts = [each.text for each in case.choices]
        chosen = st.radio(
            _("What do you expect?"),
            range(len(texts)),
            index=choice,
            format_func=lambda place: texts[place],
            key=f"expect-{which}-{at}",
            disabled=choice is not None,
            label_visibility="collapsed",
            horizontal=True,
        )
        why = None
        if because and (chosen is not None if choice is None else reason is not None):
            why = st.pills(
                _("Because … (optional)"),
                range(len(because)),
                format_func=lambda place: because[place],
                default=reason,
                key=f"because-{at}",
                disabled=choice is not None,
            )
    if because and choice is None and chosen is not None:
        st.text_input(_("… or in your own words; only you see them"), max_chars=_LONGEST, key=f"typed-{at}")
    if choice is None:
        st.button(
            _("See what happens"),
            key=f"see-{which}-{at}",
            type="primary",
            icon=":material/visibility:",
            disabled=chosen is None,
            help=_("First choose what you expect.") if chosen is None else None,
            on_click=_see,
            args=(at, which, chosen, why),
        )


def _happens(case: Case, choice: int, key: str) -> None:
    """Draws what happened, and says whether it was expected."""
    found = _happened(case, current_language())
    view.show(found.picture, key)
    right = choice_of(case, found.found)
    assert right is not None, "a test holds that one choice of each question is what happens"
    words = " ".join(found.words(current_language()))
    if right == choice:
        st.success(_("As you expected. {words}").format(words=words), icon=":material/check:")
    else:
        told = _("You expected: {choice}. What happened: {found}. {words}")
        st.info(told.format(choice=case.choices[choice].text, found=case.choices[right].text, words=words))


def _ways_on(at: int, mine: Said) -> None:
    with st.container(key="predict-ways", horizontal=True):
        if at > 0:
            st.button(_("Back"), key="predict-back", on_click=_go, args=(at,))
        label = _("Next question") if mine.choice is not None else _("Pass")
        st.button(
            label, key="predict-next", type="primary" if mine.new is not None else "secondary", on_click=_go, args=(at + 2,)
        )


def _own_list(questions: Sequence[Step], said: Sequence[Said]) -> None:
    """Draws all that was said beside what happened."""
    rows, right, new_right, typed = [], 0, 0, current().controls.remembered
    for at, (step, mine) in enumerate(zip(questions, said, strict=True)):
        if mine.choice is None or step.asked is None or step.new is None:
            continue
        found, new = (choice_of(case, _happened(case, current_language()).found) for case in (step.asked, step.new))
        assert found is not None
        right += found == mine.choice
        new_right += mine.new is not None and new == mine.new
        rows.append(
            {
                _("question"): step.title,
                _("you expected"): f"{'✓' if found == mine.choice else '✗'} {step.asked.choices[mine.choice].text}",
                _("because"): "; ".join(filter(None, (_reason(step, mine), plain(str(typed.get(f"typed-{at}", "")))))),
                _("what happened"): step.asked.choices[found].text,
                _("new case"): "" if mine.new is None else "✓" if new == mine.new else "✗",
            }
        )
    st.markdown(f"#### {_('Your own list')}")
    if rows:
        told = _("You were right in {n} of {all} questions, and in {new} of {asked} new cases. Nobody but you sees this list.")
        asked = sum(mine.new is not None for mine in said)
        st.markdown(told.format(n=right, all=len(rows), new=new_right, asked=asked))
        st.table(rows)
    else:
        st.markdown(_("You have passed over all questions. Nothing is lost: begin again."))
    with st.container(key="predict-ways", horizontal=True):
        st.button(_("Back"), key="predict-back", on_click=_go, args=(len(questions),))
        st.button(_("Begin again"), key="predict-again", on_click=_begin_again)


def _reason(step: Step, mine: Said) -> str:
    return "" if mine.because is None else step.because[mine.because]


# --- What is computed ---


@shared_cache(2**22)
def _happened(case: Case, language: str) -> Outcome:
    return outcomes.at_once(case, language)


@shared_cache(2**21)
def _before(case: Case, language: str) -> outcomes.Picture:
    return outcomes.before(case, language)


# --- The address ---


def _is_said(text: str, questions: Sequence[Step]) -> bool:
    if not re.fullmatch(rf"([0-9{_NONE}]{{{_PARTS}}})*", text) or len(text) > _PARTS * len(questions):
        return False
    return all(
        (each.choice is not None or (each.because is None and each.new is None)) and _fits(each, step)
        for each, step in zip(_read(text, len(questions)), questions, strict=True)
    )


def _fits(said: Said, step: Step) -> bool:
    counts = len(step.choices), len(step.because), len(step.new.choices) if step.new else 0
    return all(place is None or place < n for place, n in zip((said.choice, said.because, said.new), counts, strict=True))


def _read(text: str, count: int) -> list[Said]:
    padded = text.ljust(count * _PARTS, _NONE)
    places = [None if letter == _NONE else int(letter) for letter in padded]
    return [Said(*places[at : at + _PARTS]) for at in range(0, count * _PARTS, _PARTS)]


def _written(said: Sequence[Said]) -> str:
    places = (place for each in said for place in (each.choice, each.because, each.new))
    return "".join(_NONE if place is None else str(place) for place in places).rstrip(_NONE)


def _see(at: int, which: str, chosen: int | None, why: int | None) -> None:
    """Takes what somebody expects, so that it is shown what happens (called in a callback). What was typed stays in the
    session, and out of the address."""
    if which == "first" and (typed := on_screen(f"typed-{at}")):  # it may have been typed since the page was drawn
        current().controls.remembered[f"typed-{at}"] = typed
    count = len(bank(current_language()))
    said = _read(str(address_value("said", "", lambda text: text)), count)
    mine = said[at]
    said[at] = Said(chosen, why, None) if which == "first" else Said(mine.choice, mine.because, chosen)
    written = _written(said)
    set_next("said", written.ljust(-(-len(written) // _PARTS) * _PARTS, _NONE))


def _go(question: int) -> None:
    set_next("question", question)


def _begin_again() -> None:
    set_next("said", "")
    set_next("question", 1)
