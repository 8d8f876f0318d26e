"""One step's probabilities of the next word: the model's, and beside them those of the grammar of its language."""

from collections.abc import Mapping

import numpy as np
import streamlit as st

from explorer.figures.lines import bars
from explorer.i18n import _, n_
from explorer.inference.decoding import GeneratedStep, token_texts
from explorer.inference.shown_model import ShownModel
from explorer.inference.truth import Truth
from explorer.parts.decoding.decoding_options import DecodingOptions
from explorer.ui import document
from explorer.ui.format import percent, plain
from transformer_core.analysis.answer_distribution import divergence, kept, sampled_truth
from transformer_core.model.decoding import Sampling

_TOP = 10  # words that are shown


def draw(
    shown: ShownModel, now: GeneratedStep, options: DecodingOptions, truth: Truth | None, key: str, stacked: bool = False
) -> None:
    """The words in question, as bars and as a table. The word that is taken is among them, and so are the right ones."""
    right = truth.next_words(now.given) if truth is not None else None
    order = _in_question(now, right)
    left, beside = (st.container(), st.container()) if stacked else st.columns(2, gap="large")
    with left:
        series = {_("probability (%)"): now.probabilities}
        if right is not None:
            series = {_("model (%)"): now.probabilities, _("grammar (%)"): right}
        elif options.sampling is not None:
            series |= {_("sampling probability (%)"): now.sampling_probabilities}
        _bars(shown, order, series, f"{key}-bars", _reading(shown, now, options, len(order)))
        if right is not None:
            st.markdown(_verdict(shown, now, right))
        elif truth is not None and truth.answers:
            st.markdown(_lost(shown, now))
    if right is not None and options.sampling is not None:
        with beside:
            _sampled(shown, now, right, options.sampling, order, f"{key}-sampled-bars")
        beside = st.container()  # beside two figures there is no room for the table
    beside.dataframe(_table(shown, now, options, right, order), hide_index=True)


def _in_question(now: GeneratedStep, right: np.ndarray | None) -> list[int]:
    """The ids of the words that are shown, the model's most likely first."""
    ranked = np.argsort(-now.probabilities, kind="stable").tolist()
    wanted = [now.token]
    if right is not None:
        wanted += [token for token in np.argsort(-right, kind="stable").tolist() if right[token] > 0]
    chosen = set(list(dict.fromkeys([*wanted, *ranked]))[:_TOP])
    return [token for token in ranked if token in chosen]


def _bars(shown: ShownModel, order: list[int], series: Mapping[str, np.ndarray], key: str, how: str) -> None:
    drawn = {name: 100 * values[order] for name, values in series.items()}
    document.figure(bars(token_texts(shown, order), drawn, y_title=_("%")), key, how)


def _reading(shown: ShownModel, now: GeneratedStep, options: DecodingOptions, n: int) -> str:
    how = _("the {n} most likely of {vocab} tokens. Taken: “{token}”, the most likely, with a probability of {p}.")
    if now.forced:
        how = _("the {n} most likely of {vocab} tokens. Taken: “{token}”, forced by hand; the model gave it {p}.")
    elif options.sampling is not None:
        how = _("the {n} most likely of {vocab} tokens. Taken: “{token}”, drawn at random; the model gave it {p}.")
    return how.format(
        n=n, vocab=len(now.logits), token=token_texts(shown, [now.token])[0],
        p=percent(float(now.probabilities[now.token])),
    )  # fmt: skip


def _verdict(shown: ShownModel, now: GeneratedStep, right: np.ndarray) -> str:
    """How near the model's probabilities are to the grammar's."""
    allowed = [token for token in np.argsort(-right, kind="stable").tolist() if right[token] > 0]
    words = " · ".join(plain(f"{token_texts(shown, [token])[0]} {right[token]:.1%}") for token in allowed[:_TOP])
    said = n_(
        "The grammar allows {n} word here: **{words}**. The model gives it {p}. KL divergence of the model from the grammar at "
        "this step: **{kl:z.4f}** nats.",
        "The grammar allows {n} words here: **{words}**. The model gives them {p} together. KL divergence of the model from "
        "the grammar at this step: **{kl:z.4f}** nats.",
        len(allowed),
    )
    return said.format(
        n=len(allowed), words=words, p=percent(kept(right, now.probabilities).right),
        kl=divergence(right, now.log_probabilities.astype(np.float64)),
    )  # fmt: skip


def _lost(shown: ShownModel, now: GeneratedStep) -> str:
    beginning = plain(" ".join(token_texts(shown, now.given[1:])))
    return _(
        "No right answer begins with “{beginning}”: the grammar has no next word to compare with, and the model stands alone."
    ).format(beginning=beginning)


def _sampled(shown: ShownModel, now: GeneratedStep, right: np.ndarray, sampling: Sampling, order: list[int], key: str) -> None:
    """Both after temperature, top-k and top-p."""
    before, after = kept(right, now.probabilities), kept(right, now.sampling_probabilities)
    said = _(
        "the same words after temperature, top-k and top-p, which change the grammar's probabilities in the same way. A "
        "right word is now drawn with {after}, without them with {before}. {lost} of what the grammar would say can no longer "
        "be drawn."
    )
    series = {_("model, sampled (%)"): now.sampling_probabilities, _("grammar, sampled (%)"): sampled_truth(right, sampling)}
    how = said.format(after=percent(after.right), before=percent(before.right), lost=percent(max(0.0, 1 - after.reachable)))
    _bars(shown, order, series, key, how)


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
