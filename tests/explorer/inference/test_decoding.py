"""What a model generates by itself is what the core decodes; tokens forced by hand are typed and written alike."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from everyday.translation import TRANSLATIONS
from explorer.inference import decoding
from explorer.inference.forward import ModelChoice, Random, model_of
from explorer.inference.settings import ModelSettings, of_task
from explorer.inference.shown_model import show_model
from transformer_core import TransformerConfig, greedy_decode
from transformer_core.errors import InputError
from transformer_core.model.decoding import Sampling

CFG = TransformerConfig(src_vocab=7, tgt_vocab=9, d_model=12, n_heads=3, d_ff=14, n_layers=1)
CHOICE, SRC = ModelChoice(CFG, Random(3)), (4, 5, 6, 2)
SMALL = ModelSettings(step=0, d_model=12, n_heads=3, d_ff=14, n_layers=1, src="the red cat", tgt="le chat")


def test_steps_are_those_of_greedy_decoding_and_each_reads_what_was_generated_before():
    steps = decoding.generated_steps(CHOICE, SRC, 1, 5)
    ids = greedy_decode(model_of(CHOICE), torch.tensor([SRC]), 1, 5)[0].tolist()
    assert [(*step.given, step.token) for step in steps] == [tuple(ids[: n + 2]) for n in range(5)]
    for step in steps:
        assert step.logits.shape == step.probabilities.shape == (9,)
        assert step.token == 1 + step.probabilities[1:].argmax() and not step.forced  # padding is no token to say
        np.testing.assert_allclose(step.probabilities.sum(), 1, rtol=1e-5)
        np.testing.assert_allclose(np.exp(step.log_probabilities), step.probabilities, rtol=1e-5)


def test_a_forced_token_is_generated_and_read():
    free = decoding.generated_steps(CHOICE, SRC, 1, 4)
    other = (free[1].token + 1) % 9
    forced = decoding.generated_steps(CHOICE, SRC, 1, 4, forced=((1, other),))
    assert [step.forced for step in forced] == [False, True, False, False]
    assert forced[0].token == free[0].token and forced[1].token == other == forced[2].given[2]
    assert not np.allclose(forced[2].logits, free[2].logits)


def test_sampling_draws_by_its_seed_from_what_it_leaves():
    steps = [decoding.generated_steps(CHOICE, SRC, 1, 6, Sampling(2.0, 3), seed) for seed in range(4)]
    assert len({tuple(step.token for step in answer) for answer in steps}) > 1
    assert all(np.count_nonzero(step.sampling_probabilities) == 3 for answer in steps for step in answer)


def test_a_beam_of_one_is_the_greedy_answer_and_counts_what_it_compared():
    search, compared = decoding.beams(CHOICE, SRC, 1, 4, 1, 0.0)
    wide, more = decoding.beams(CHOICE, SRC, 1, 4, 3, 0.0)
    assert compared < more
    assert len(search.levels) == len(wide.levels)


def test_no_more_steps_than_the_model_has_places():
    assert decoding.most_steps(show_model(SMALL), 24) == 24
    shown = show_model(SMALL)
    short = replace(shown, choice=replace(shown.choice, cfg=replace(shown.cfg, max_len=5)))
    assert decoding.most_steps(short, 24) == 5


def test_the_right_answer_is_typed_or_that_of_the_task_or_not_known():
    shown = show_model(SMALL)
    words = shown.vocabulary
    assert decoding.teacher_forcing(shown) == decoding.TeacherForcing(shown.tgt, (*shown.tgt[1:], words.end))
    source = "we like the red car"
    translator = show_model(ModelSettings(src=source))
    words = translator.vocabulary
    right = words.ids(next(iter(TRANSLATIONS["everyday-fr"].answers(source.split()))))  # the most probable of several
    assert decoding.teacher_forcing(translator) == decoding.TeacherForcing((words.start, *right), (*right, words.end))
    typed = decoding.teacher_forcing(translator, "le chat")
    assert typed.given == (words.start, *words.ids(("le", "chat"))) and typed.known
    unheard = decoding.teacher_forcing(show_model(ModelSettings(src="cat cat the")))
    assert not unheard.known


def test_ids_that_the_vocabulary_lacks_have_a_number():
    shown = show_model(replace(of_task("copy"), numbers="1 2"))
    last = len(shown.vocabulary) - 1
    assert decoding.token_texts(shown, (0, last, last + 1)) == ["<pad>", str(last), f"#{last + 1}"]


def test_tokens_are_forced_as_they_are_typed():
    shown = show_model(SMALL)
    forced = decoding.read_forced(" 2=chat  4=LE 2=le ", shown)
    chat, le = shown.vocabulary.encode("chat le")
    assert forced == {1: le, 3: le} and chat != le
    assert decoding.read_forced(decoding.write_forced(forced, shown), shown) == forced
    assert decoding.write_forced({3: le, 0: chat}, shown) == "1=chat 4=le"
    assert decoding.read_forced("", shown) == {}


@pytest.mark.parametrize("typed", ["chat", "0=chat", "-1=chat", "2=", "=chat", "two=chat", "2=quagga", "9" * 5000 + "=chat"])
def test_what_forces_nothing_is_refused(typed):
    with pytest.raises(InputError):
        decoding.read_forced(typed, show_model(SMALL))
