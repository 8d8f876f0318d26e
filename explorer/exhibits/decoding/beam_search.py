"""Beam search: several answers followed at once, drawn as a tree."""

from dataclasses import dataclass

import numpy as np
import streamlit as st

from explorer.exhibits.decoding import greedy_or_beam, right_answers
from explorer.i18n import _
from explorer.model_on_screen.decoding import generated_steps, most_steps, token_texts
from explorer.model_on_screen.right_answers import truth_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import beams as pictures
from explorer.ui import document
from explorer.ui.widgets import slider
from transformer_core.model.beam_search import BeamSearch, Hypothesis, beam_search, beam_steps, length_penalty

_STEPS, _WIDTH, _PENALTY = 10, 3, 0.6


@dataclass(frozen=True)
class _Greedy:
    """The greedy answer and the sum of its log-probabilities, in nats."""

    tokens: tuple[int, ...]
    score: float


def draw(shown: ShownModel) -> None:
    """Draws the part. Raises InputError where a model from a file cannot read or generate what it would have to."""
    st.markdown(_("A **beam search** follows several beginnings at once, and keeps only the best few at each step."))
    places, most = st.columns(3), most_steps(shown.cfg, pictures.MOST_STEPS, shown.start)
    width = slider(
        "beam_width", _("beam width"), 1, pictures.WIDEST, _WIDTH, _("How many beginnings are followed."), place=places[0]
    )
    steps = slider("beam_steps", _("steps at most"), 1, most, _STEPS, place=places[1]) if most > 1 else 1
    penalty = slider(
        "beam_penalty",
        _("length penalty"),
        0.0,
        pictures.STRONGEST,
        _PENALTY,
        _("The longer an answer, the lower the sum of its log-probabilities. The penalty makes up for that; 0: not at all."),
        0.1,
        places[2],
    )
    choices = pictures.BeamChoices(width, steps, penalty)
    search, tried = pictures.search_of(shown, choices)
    _tree(shown, choices, search, tried)
    document.details("beam_search", lambda: _details(shown, choices, search))


def _details(shown: ShownModel, choices: pictures.BeamChoices, search: BeamSearch) -> None:
    """Draws the answers, and those of greedy decoding beside them."""
    width, steps, penalty = choices.beam_width, choices.beam_steps, choices.beam_penalty
    end, truth = shown.vocabulary.end, truth_of(shown)
    st.markdown(
        _(
            "Greedy decoding takes the most likely token at each step and never goes back. A **beam search** follows several "
            "beginnings at once: at each step every one of them is continued by every token, and only the best few are kept. "
            "*Greedy or beam?*, below, compares both, and finds sentences for which they differ."
        )
        if truth is not None
        else _(
            "Greedy decoding takes the most likely token at each step and never goes back. A **beam search** follows several "
            "beginnings at once: at each step every one of them is continued by every token, and only the best few are kept."
        )
    )
    right_answers.draw(shown, truth)
    document.section(_("The answers"))
    generated = generated_steps(shown.choice, shown.src, shown.start, steps, end=end)
    greedy = _Greedy(
        tuple(each.token for each in generated),
        float(sum(np.float64(each.log_probabilities[each.token]) for each in generated)),
    )
    _answers(shown, search, greedy, penalty)
    greedy_or_beam.draw(shown, search.hypotheses[0], (greedy.tokens, greedy.score), truth)
    source = _(
        "Section 6.1 of the paper searches with a beam width of 4 and a length penalty α of 0.6; here {width} and {alpha}."
    )
    if end is None:
        source = _(
            "Section 6.1 of the paper searches with a beam width of 4 and a length penalty α of 0.6; here {width} and "
            "{alpha}. This model has no end token, so all answers have the same length."
        )
    document.formula(
        r"\frac{\sum_t \log p(y_t\mid y_{<t},x)}{\left((5+|y|)/6\right)^{\alpha}}", source.format(width=width, alpha=penalty)
    )
    document.try_this(
        _("Set the beam width to 1: this is greedy decoding."),
        _("Widen the beam: it may find an answer with a higher sum. Each step then runs the decoder on more beginnings."),
        _("Move **learned for** in the sidebar to the end: does beam search still find another answer than greedy decoding?"),
    )
    document.the_code(beam_steps, beam_search, length_penalty)


def _tree(shown: ShownModel, choices: pictures.BeamChoices, search: BeamSearch, tried: int) -> None:
    drawn = sum(len(level.token) for level in search.levels)
    how = _(
        "from top to bottom, one row per step. Framed: kept, with the sum of its log-probabilities so far (0 would be "
        "certain). ■: finished. ×, dotted: dropped. The thick line is the best answer. {tried:,} candidates were compared; "
        "{hidden:,} of the dropped ones are not drawn."
    ).format(tried=tried, hidden=tried - drawn)
    document.picture(pictures.beam_tree(shown, choices), how)


def _answers(shown: ShownModel, search: BeamSearch, greedy: _Greedy, penalty: float) -> None:
    """Draws a table of all answers, with that of greedy decoding among them or below."""
    end = shown.vocabulary.end
    rows = [(each.tokens, each.score, each.normalised, each.ended) for each in search.hypotheses]
    ranks = [str(i + 1) for i in range(len(rows))]
    if all(tokens != greedy.tokens for tokens, *_rest in rows):
        normalised = greedy.score / length_penalty(len(greedy.tokens), penalty)
        rows.append((greedy.tokens, greedy.score, normalised, greedy.tokens[-1] == end))
        ranks.append("–")
    st.dataframe(
        {
            _("rank"): ranks,
            _("answer"): [" ".join(token_texts(shown, tokens)) for tokens, *_rest in rows],
            _("sum of log-probabilities"): [round(score, 4) for _tokens, score, *_rest in rows],
            _("length"): [len(tokens) for tokens, *_rest in rows],
            _("score with length penalty"): [round(normalised, 4) for *_rest, normalised, _ended in rows],
            _("finished"): [_("yes") if ended else _("no") for *_rest, ended in rows],
            _("greedy"): [_("▶ greedy") if tokens == greedy.tokens else "" for tokens, *_rest in rows],
        },
        hide_index=True,
    )
    document.caption(_verdict(search.hypotheses[0], greedy))


def _verdict(best: Hypothesis, greedy: _Greedy) -> str:
    if best.tokens == greedy.tokens:
        sentence = _("the sums are in nats. Beam search and greedy decoding find the same answer, with the sum {best:z.4f}.")
    elif best.score > greedy.score:
        sentence = _(
            "the sums are in nats. Beam search finds a more likely answer ({best:z.4f}) than greedy decoding ({greedy:z.4f})."
        )
    else:
        sentence = _(
            "the sums are in nats. Greedy decoding's answer has a higher sum ({greedy:z.4f}) than the best one "
            "here ({best:z.4f}): the beam dropped it, or the length penalty decides against it."
        )
    return sentence.format(best=best.score, greedy=greedy.score)
