"""Pins, for both translators, that the game asks only what can be found: each sabotage does harm, and the views that are
offered tell it from all others by a plain rule on the numbers that they show. And what is not asked does no harm."""

import math

import numpy as np
import pytest
import torch

from explorer.model_on_screen import sabotages
from explorer.model_on_screen.held_out import rows_of
from explorer.model_on_screen.sabotages import EXCHANGED, WHOLE
from explorer.model_on_screen.settings import of_task
from explorer.model_on_screen.shown_model import ShownModel, show_model
from transformer_core.analysis.fault_evidence import Evidence
from transformer_core.analysis.sabotage import SABOTAGES, SUSPECTS, Suspect
from transformer_core.model.intervened import IntervenedModel
from transformer_core.training.evaluation import exact_match

TRANSLATORS = ("everyday-fr", "everyday-zh")
MOST_RIGHT = 150  # of 200
CONVICTS = {  # by the number that a wrong accusation is answered with; "words" has a share of its own
    "padding": lambda number: number > 0.05,
    "positions": lambda number: number == 0,
    "start": lambda number: number > 0.5,
    "norm": lambda number: number > 5,
    "residual": lambda number: number < 0.01,
    "keys": lambda number: number > 0.5,
    "layer": lambda number: number == 0,
    "even": lambda number: number > 0.99,
}


def translator(task: str) -> ShownModel:
    return show_model(of_task(task))


def by_attention(found: Evidence) -> Suspect | None:
    """Weight on padding; or all heads of a layer as even as can be."""
    if any(spread.on_padding[1] > 0.05 for spread in found.spreads.values()):
        return Suspect("padding", "encoder")
    if any(all(broken > 0.99 * spread.even for _sound, broken in spread.heads) for spread in found.spreads.values()):
        return Suspect("even", "cross")
    return None


def by_shares(shown: ShownModel, number: int) -> Suspect | None:
    """Nothing right with the two words, and all as before without."""
    with_words = np.array([bool({*EXCHANGED} & {*shown.vocabulary.decode(row)}) for row in sources(shown)])
    sound, broken = (sabotages.rows_answered_right(shown, each) for each in (WHOLE, number))
    told = broken[with_words].sum() == 0 and abs(int(broken[~with_words].sum()) - int(sound[~with_words].sum())) <= 1
    return Suspect("words", "encoder") if told else None


def sources(shown: ShownModel) -> list[list[int]]:
    return rows_of(sabotages.taught(shown)).src.tolist()


def by_writing(shown: ShownModel, number: int) -> Suspect | None:
    """The decoder reads something else first."""
    first = sabotages.writing_of_row(shown, number, 0).reads[0]
    return None if first == shown.vocabulary.start else Suspect("start", "decoder")


def by_lengths(found: Evidence) -> Suspect | None:
    """Nothing is added; what is added is all there is; or the first part that adds three times as much, or three quarters."""
    ends = ((name.rpartition("."), pair) for name, pair in found.lengths.items() if name.count(".") == 3)
    parts = {part: pair for (part, _dot, last), pair in ends if last == "output"}
    if found.lengths["encoder.embedding.positions"][1] == 0:
        return Suspect("positions", "encoder")
    for name, (sound, broken) in parts.items():
        stack = "encoder" if name.startswith("encoder") else "decoder"
        if broken == 0:
            return Suspect("layer", stack)
        if math.isclose(found.lengths[f"{name}.residual"][1], broken, rel_tol=1e-5):
            return Suspect("residual", stack)
        if broken > 3 * sound:
            return Suspect("norm", stack)
        if broken < 0.75 * sound and "attn" in name:
            return Suspect("keys", "cross" if "cross" in name else stack)
        if abs(broken - sound) > 0.05 * sound:
            return None
    return None


@pytest.mark.slow
@pytest.mark.parametrize("task", TRANSLATORS)
@pytest.mark.parametrize("number", SABOTAGES)
def test_a_sabotage_does_harm_and_can_be_told(task: str, number: int) -> None:
    shown, guilty = translator(task), SABOTAGES[number].suspect
    right = sabotages.rows_answered_right(shown, number)
    assert len(right) == 200 and right.sum() <= MOST_RIGHT < sabotages.rows_answered_right(shown, WHOLE).sum()
    found = sabotages.evidence(shown, number)
    told = by_shares(shown, number) or by_attention(found) or by_writing(shown, number) or by_lengths(found)
    assert told == guilty
    convicted = {suspect for suspect in SUSPECTS if suspect.kind != "words" and CONVICTS[suspect.kind](found.speaks[suspect])}
    assert convicted == {guilty} - {Suspect("words", "encoder")}


@pytest.mark.parametrize("task", TRANSLATORS)
def test_what_is_not_asked_does_no_harm_once_it_has_learned(task: str) -> None:
    shown = translator(task)
    whole, task_of = sabotages.model_with(shown, WHOLE), sabotages.taught(shown)
    scores = [f"{path}.scores" for path in ("encoder.0.self_attn", "encoder.1.self_attn", "decoder.0.self_attn")]
    factor = whole.cfg.d_k**0.5
    for edits in ({"decoder.embedding.positions": torch.zeros_like}, dict.fromkeys(scores, lambda x: x * factor)):
        assert exact_match(IntervenedModel(whole, edits), task_of, rows_of(task_of)) >= 0.95


def test_answers_are_those_of_a_padded_batch() -> None:
    shown = translator("everyday-fr")
    row = 3
    source = [token for token in sources(shown)[row] if token != shown.cfg.pad_id]
    assert len(source) < rows_of(sabotages.taught(shown)).src.size(1)
    answer = sabotages.answer_tokens(shown, sabotages.held_out_answers(shown, 1)[row].tolist())
    assert sabotages.answer_to(shown, 1, tuple(source)) == answer
    weights = sabotages.attention_of_row(shown, 1, row)["encoder", 0]
    assert weights[..., len(source) :].sum() > 0.5


def test_the_last_layer_of_a_writing_is_the_answer() -> None:
    shown = translator("everyday-zh")
    for number in (WHOLE, 12, 14):
        answer = sabotages.answer_tokens(shown, sabotages.held_out_answers(shown, number)[3].tolist())
        writing = sabotages.writing_of_row(shown, number, 3)
        assert writing.reads == (shown.vocabulary.start, *answer) and writing.layers[-1][: len(answer)] == answer
