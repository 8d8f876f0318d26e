"""A word forced upon the model at one step, and what follows from it."""

from dataclasses import replace

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.model_on_screen.decoding import DecodingOptions, GeneratedStep, read_forced, token_texts, write_forced
from explorer.model_on_screen.right_answers import Truth, answer_text
from explorer.model_on_screen.shown_model import ShownModel
from explorer.session import current
from explorer.ui import document
from explorer.ui.format import percent, plain
from explorer.ui.widgets import linked_select, set_next
from transformer_core.errors import InputError

_NOT_FORCED = -1


def draw(shown: ShownModel, generated: list[GeneratedStep], step: int, options: DecodingOptions, truth: Truth | None) -> None:
    """Lets a visitor force another word at a step (from 0), and compares the answer with the model's own."""
    document.section(_("Another word, and what follows from it"))
    now = generated[step]
    right = truth.next_words(now.given) if truth is not None else None
    _choose(shown, now, step, options, right)
    if right is not None:
        _suggest(shown, now, step, right)
    if any(each.forced for each in generated):
        _consequences(shown, generated, options, truth)


def _choose(shown: ShownModel, now: GeneratedStep, step: int, options: DecodingOptions, right: np.ndarray | None) -> None:
    """Draws the choice of a word, which joins the typed ones: those can be edited, linked and cleared."""
    names = token_texts(shown, range(len(now.probabilities)))

    def title(token: int) -> str:
        if token == _NOT_FORCED:
            return _("(the model's own)")
        name = f"{names[token]} · {percent(float(now.probabilities[token]))}"
        return name if right is None else f"{name} · {'✓' if right[token] > 0 else '✗'}"

    help = _("Every token of the vocabulary, the most likely first. All later steps then read it as their input.")
    if right is not None:
        help = _(
            "Every token of the vocabulary, the most likely first; ✓: a right answer can go on with it. All later steps "
            "then read it as their input."
        )
    linked_select(
        "force",
        _("force another token at step {i}").format(i=step + 1),
        [_NOT_FORCED, *np.argsort(-now.probabilities, kind="stable").tolist()],
        dict(options.forced).get(step, _NOT_FORCED),
        title,
        lambda token: _take(shown, step, token),
        help,
    )


def _suggest(shown: ShownModel, now: GeneratedStep, step: int, right: np.ndarray) -> None:
    """Offers the likeliest wrong word, and the likeliest right one that is not the model's choice."""
    ranked = np.argsort(-now.probabilities, kind="stable").tolist()
    words = shown.vocabulary
    wrong = [token for token in ranked if right[token] == 0 and token not in (words.pad, words.start, words.unknown, now.token)]
    other = [token for token in ranked if right[token] > 0 and token != now.token]
    row = st.container(horizontal=True)
    for key, tokens, icon, title in (
        ("wrong", wrong, "close", _("Force a wrong word: “{word}” ({p})")),
        ("right", other, "check", _("Force a right word: “{word}” ({p})")),
    ):
        if tokens:
            name = title.format(
                word=plain(token_texts(shown, tokens[:1])[0]), p=plain(percent(float(now.probabilities[tokens[0]])))
            )
            row.button(name, icon=f":material/{icon}:", key=f"force-{key}", on_click=_take, args=(shown, step, tokens[0]))


def _take(shown: ShownModel, step: int, token: int) -> None:
    try:
        forced = read_forced(str(current().controls.remembered.get("forced", "")), shown)
    except InputError:  # what was typed means nothing; it gives way
        forced = {}
    forced.pop(step, None)
    set_next("forced", write_forced(forced | ({} if token == _NOT_FORCED else {step: token}), shown))


def _consequences(shown: ShownModel, generated: list[GeneratedStep], options: DecodingOptions, truth: Truth | None) -> None:
    """Draws both answers, token by token."""
    free = replace(options, forced=()).generated(shown, shown.choice)
    rows = max(len(free), len(generated))
    columns: dict[str, object] = {_("step"): range(1, rows + 1)}
    for name, steps in ((_("by itself"), free), (_("with what is forced"), generated)):
        columns[name] = [_cell(shown, one) for one in steps] + [""] * (rows - len(steps))
        if truth is not None and truth.answers:
            until = truth.right_until([one.token for one in steps])
            columns[_("right so far ({name})").format(name=name)] = [
                "✓" if i < until else "✗" if i < len(steps) else "" for i in range(rows)
            ]
    st.dataframe(columns, hide_index=True)
    how = _(
        "by itself the model generates “{free}”{of_free}; with what is forced, “{forced}”{of_forced}. What follows "
        "a forced word has read it, and is different only for that reason."
    )
    document.caption(
        how.format(
            free=_answer(shown, free),
            forced=_answer(shown, generated),
            of_free=_outcome(free, truth),
            of_forced=_outcome(generated, truth),
        )
    )


def _cell(shown: ShownModel, one: GeneratedStep) -> str:
    text = f"{token_texts(shown, [one.token])[0]} ({percent(float(one.probabilities[one.token]))})"
    return _("{token}, forced").format(token=text) if one.forced else text


def _answer(shown: ShownModel, steps: list[GeneratedStep]) -> str:
    return plain(answer_text(shown, [one.token for one in steps]))


def _outcome(steps: list[GeneratedStep], truth: Truth | None) -> str:
    """Says in brackets whether an answer is right."""
    if truth is None or not truth.answers:
        return ""
    tokens = [one.token for one in steps]
    if p := truth.probability(tokens):
        return _(" (right: the grammar says it with {p})").format(p=percent(p))
    until = truth.right_until(tokens)
    return (
        _(" (right so far, but not finished)") if until == len(tokens) else _(" (wrong from step {i} on)").format(i=until + 1)
    )
