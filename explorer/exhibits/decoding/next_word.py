"""One step's probabilities of the next word: the model's, and beside them those of the grammar of its language."""

from typing import Any

import numpy as np
import streamlit as st

from explorer.i18n import _, n_
from explorer.model_on_screen.decoding import DecodingOptions, GeneratedStep, token_texts, write_forced
from explorer.model_on_screen.right_answers import Truth
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.next_word import NextWordChoices, bars_of, in_question, next_word, step_choices
from explorer.session import run_all_again
from explorer.ui import document
from explorer.ui.format import percent, plain
from explorer.ui.widgets import set_next
from transformer_core.analysis.answer_distribution import divergence, kept

_MOST_NAMED = 10  # right words that are named


def draw(
    shown: ShownModel,
    now: GeneratedStep,
    options: DecodingOptions,
    truth: Truth | None,
    key: str,
    step: int | None = None,
    stacked: bool = False,
) -> None:
    """Draws the probable next words as bars.

    `step`: of the page, from 0, whose knobs the bars follow; None if they wait for the page.
    """
    right = truth.next_words(now.given) if truth is not None else None
    order = in_question(now, right)
    both = right is not None and options.sampling is not None and not stacked
    left, beside = st.columns(2, gap="large") if both else (st.container(), st.container())
    with left:
        clicked = _bars(shown, now, options, right, step, f"{key}-bars", _reading(shown, now, options, order))
        if clicked is not None and step is not None and int(clicked["x"]) < len(order):
            _write(shown, now, options, step, order[int(clicked["x"])])
        if right is not None and stacked:
            _judge(shown, now, right)
        elif right is None and truth is not None and truth.answers:
            st.markdown(_lost(shown, now))
    if right is not None and options.sampling is not None:
        with beside:
            how = _sampled(now, right)
            _bars(shown, now, options, right, step, f"{key}-sampled-bars", how, sampled=True)


def table(shown: ShownModel, now: GeneratedStep, options: DecodingOptions, truth: Truth | None, compared: bool) -> None:
    """Draws the same words as a table. `compared`: two such steps stand side by side above."""
    right = truth.next_words(now.given) if truth is not None else None
    st.dataframe(_table(shown, now, options, right, in_question(now, right)), hide_index=True)
    if right is not None and not compared:
        _judge(shown, now, right)


def _bars(
    shown: ShownModel,
    now: GeneratedStep,
    options: DecodingOptions,
    right: np.ndarray | None,
    step: int | None,
    key: str,
    how: str,
    sampled: bool = False,
) -> dict[str, Any] | None:
    if step is None:
        return document.picture(bars_of(shown, now, options, right, sampled), how, key)
    drawn = next_word(shown, NextWordChoices(**step_choices(options, step), sampled=sampled))
    return document.picture(drawn, how, key, clickable=not sampled)


def _write(shown: ShownModel, now: GeneratedStep, options: DecodingOptions, step: int, token: int) -> None:
    """Writes a word in place of the model's, and lets the model go on from there; its own likeliest word takes that back."""
    if token == now.token:
        return
    forced = {at: word for at, word in options.forced if at < step}
    if options.sampling is not None or token != now.probabilities.argmax():
        forced[step] = token
    set_next("forced", write_forced(forced, shown))
    run_all_again()


def _reading(shown: ShownModel, now: GeneratedStep, options: DecodingOptions, order: list[int]) -> str:
    which = _("the {n} most likely of {vocab} tokens.")
    if set(order) != set(np.argsort(-now.probabilities, kind="stable")[: len(order)].tolist()):
        which = _("{n} of {vocab} tokens: the one that is taken, right ones, and the most likely of the others.")
    how = _("Taken: “{token}”, with a probability of {p}.")
    if now.forced:
        how = _("Taken: “{token}”, forced by hand; the model gave it {p}.")
    elif options.sampling is not None:
        how = _("Taken: “{token}”, drawn at random; the model gave it {p}.")
    press = _("Press one to write it instead.")
    return f"{which} {press} {how}".format(
        n=len(order),
        vocab=len(now.logits),
        token=token_texts(shown, [now.token])[0],
        p=percent(float(now.probabilities[now.token])),
    )


def _judge(shown: ShownModel, now: GeneratedStep, right: np.ndarray) -> None:
    """Says how near the model's probabilities are to the grammar's."""
    allowed = [token for token in np.argsort(-right, kind="stable").tolist() if right[token] > 0]
    words = " · ".join(plain(f"{token_texts(shown, [token])[0]} {right[token]:.1%}") for token in allowed[:_MOST_NAMED])
    sentence = n_(
        "The grammar allows {n} word here: **{words}**. The model gives it {p}.",
        "The grammar allows {n} words here: **{words}**. The model gives them {p} together.",
        len(allowed),
    )
    st.markdown(sentence.format(n=len(allowed), words=words, p=percent(kept(right, now.probabilities).right)))
    apart = _("KL divergence of the model from the grammar at this step: **{kl:z.4f}** nats.")
    st.markdown(apart.format(kl=divergence(right, now.log_probabilities.astype(np.float64))))


def _lost(shown: ShownModel, now: GeneratedStep) -> str:
    beginning = plain(" ".join(token_texts(shown, now.given[1:])))
    return _(
        "No right answer begins with “{beginning}”: the grammar has no next word to compare with, so only the model's "
        "probabilities are shown."
    ).format(beginning=beginning)


def _sampled(now: GeneratedStep, right: np.ndarray) -> str:
    """Says how temperature, top-k and top-p change both."""
    before, after = kept(right, now.probabilities), kept(right, now.sampling_probabilities)
    sentence = _(
        "the same words after temperature, top-k and top-p, which change the grammar's probabilities in the same way. A "
        "right word is now drawn with {after}, without them with {before}. {lost} of what the grammar would say can no longer "
        "be drawn."
    )
    return sentence.format(
        after=percent(after.right), before=percent(before.right), lost=percent(max(0.0, 1 - after.reachable))
    )


def _table(
    shown: ShownModel, now: GeneratedStep, options: DecodingOptions, right: np.ndarray | None, order: list[int]
) -> dict[str, object]:
    columns: dict[str, object] = {
        _("taken"): ["▶" if token == now.token else "" for token in order],
        _("token"): token_texts(shown, order),
        _("logit"): now.logits[order].round(4),
        _("log-probability"): now.log_probabilities[order].round(4),
        _("probability"): now.probabilities[order].round(6),
    }
    if options.sampling is not None:
        columns[_("sampling probability")] = now.sampling_probabilities[order].round(6)
    if right is not None:
        columns[_("grammar")] = right[order].round(6)
    return columns
