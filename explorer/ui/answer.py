"""The model's answer to the sentence on screen, marked right or wrong, with all right answers a click away."""

import streamlit as st

from explorer.i18n import N_, _, n_, share_text
from explorer.model_on_screen.translator import Verdict
from explorer.session import current
from explorer.ui.format import plain

_GUESS = N_("The model was never taught a sentence of this kind: its answer is a guess.")
_UNTAUGHT = N_("The model was never taught a sentence of this kind.")
_LONGEST = 60  # letters of an answer, ...
_BESIDE = 14  # ... and of a right one where it is wrong: the verdict is one line of the settings
_AT_ONCE = 8  # right answers visible without scrolling


def draw(verdict: Verdict, key: str, source: str, *, with_source: bool = False) -> None:
    """Draws the answer in one line, after its source if `with_source`, and below it the language's verdict. A guess is shown
    only if it was asked for. `key` is unique on the page.
    """
    if not verdict.was_taught and not current().wants_guess(source):
        _small(_(_UNTAUGHT))
        return
    answer = plain(_shortened(verdict.text(verdict.answer), _LONGEST)) or "…"
    with st.container(key=f"answer-{key}", gap=None):
        _small(f"{_mark(verdict)} {plain(source)} → {answer}" if with_source else f"{_mark(verdict)} {answer}")
        if verdict.was_taught:
            # Streamlit draws the content of a popover at the end of the page, outside of the container.
            with st.popover(_says(verdict), type="tertiary", wrap=True), st.container(key=f"right-answers-{key}"):
                _right_answers(verdict)
        else:
            _small(_(_GUESS))


def _shortened(answer: str, most: int) -> str:
    """Shortens an answer, behind a word where words are apart: untrained models go on for long. The whole answer stands beside
    the right ones."""
    if len(answer) <= most:
        return answer
    kept = answer[: most + 1].rpartition(" ")[0] or answer[:most]
    return f"{kept.rstrip()} …"


def _small(markdown: str) -> None:
    st.markdown(f":small[{markdown}]")


def _mark(verdict: Verdict) -> str:
    if not verdict.was_taught:
        return ":orange[:material/help:]"
    return ":green[:material/check_circle:]" if verdict.is_right else ":red[:material/cancel:]"


def _says(verdict: Verdict) -> str:
    n = len(verdict.right)
    if verdict.is_right:
        return n_("right: there is no other answer", "right: one of {n} right answers", n).format(n=n)
    best = plain(_shortened(verdict.text(next(iter(verdict.right))), _BESIDE))
    return n_("not right: it should be “{answer}”", "not right: for example “{answer}”", n).format(answer=best)


def _right_answers(verdict: Verdict) -> None:
    """Lists all right answers and how often each is said."""
    titles = "| {how_often} | {answers} |".format(how_often=_("how often"), answers=_("right answers"))
    table = "\n".join([titles, "|--:|:--|", *(_row(verdict, answer) for answer in verdict.right)])
    if len(verdict.right) > _AT_ONCE:
        st.container(height=320).markdown(table)
    else:
        st.markdown(table)
    if not verdict.is_right:
        st.markdown(_("The model’s answer: {answer}").format(answer=plain(verdict.text(verdict.answer))))


def _row(verdict: Verdict, answer: tuple[str, ...]) -> str:
    """Draws one right answer as a row of a table; the model's own is highlighted."""
    text = plain(verdict.text(answer)).replace("|", "\\|")
    if answer == verdict.answer:
        text = _("**{answer}** ← the model’s answer").format(answer=text)
    return f"| {share_text(verdict.right[answer], 1)} | {text} |"
