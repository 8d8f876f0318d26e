"""Predict: say what the model will do, and why; see it; then one new case of the same rule. The model decides what is right."""

import re
from collections.abc import Sequence

import streamlit as st

from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import PARTS, Asking, Said
from explorer.i18n import _, current_language
from explorer.rooms.outcomes import choice_of
from explorer.rooms.script import Step, bank
from explorer.session.address import as_option
from explorer.ui.format import plain
from explorer.ui.widgets import address_value, set_next


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
    first, new = (asking.of_bank(case) for case in (step.asked, step.new))
    asking.ask(str(at), Asking(first, step.because, new), mine, lambda said: _take(at, said))
    _ways_on(at, mine)


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
    rows, right, new_right, language = [], 0, 0, current_language()
    for at, (step, mine) in enumerate(zip(questions, said, strict=True)):
        if mine.choice is None or step.asked is None or step.new is None:
            continue
        found, new = (choice_of(case, asking.happened(case, language).found) for case in (step.asked, step.new))
        assert found is not None
        right += found == mine.choice
        new_right += mine.new is not None and new == mine.new
        rows.append(
            {
                _("question"): step.title,
                _("you expected"): f"{'✓' if found == mine.choice else '✗'} {step.asked.choices[mine.choice].text}",
                _("because"): "; ".join(filter(None, (_reason(step, mine), plain(asking.typed(str(at)))))),
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


# --- The address ---


def _is_said(text: str, questions: Sequence[Step]) -> bool:
    if not re.fullmatch(rf"([0-9_]{{{PARTS}}})*", text) or len(text) > PARTS * len(questions):
        return False
    return all(
        said.fits(len(step.choices), len(step.because), len(step.new.choices) if step.new is not None else 0)
        for said, step in zip(asking.read(text), questions, strict=False)
    )


def _read(text: str, count: int) -> list[Said]:
    said = asking.read(text)
    return said + [Said()] * (count - len(said))


def _take(at: int, mine: Said) -> None:
    """Puts what was said of a question in the address (called in a callback)."""
    said = _read(str(address_value("said", "", str)), len(bank(current_language())))
    said[at] = mine
    last = max(place for place, each in enumerate(said) if each != Said())
    set_next("said", "".join(each.written() for each in said[: last + 1]))


def _go(question: int) -> None:
    set_next("question", question)


def _begin_again() -> None:
    set_next("said", "")
    set_next("question", 1)
