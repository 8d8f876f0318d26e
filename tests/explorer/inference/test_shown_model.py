"""The model on screen and the sequences it reads are what the settings describe, or one sentence says why not."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from explorer import server
from explorer.inference.forward import Random, Stored
from explorer.inference.settings import MAX_TOKENS, ModelSettings
from explorer.inference.shown_model import WORDS, show_model
from tests.pages.helpers import fresh
from transformer_core import Transformer, TransformerConfig, checkpoint
from transformer_core.data.tasks import TASKS
from transformer_core.errors import InputError
from transformer_core.model.accounting import count_by_formula

SMALL = ModelSettings(d_model=12, n_heads=3, d_ff=14, src="the red cat", tgt="le chat")


@pytest.fixture
def upload():
    """Stores a model as if it came from a file; returns its id."""

    def store(facts: dict | None = None, **sizes) -> str:
        cfg = TransformerConfig(
            **{"src_vocab": 7, "tgt_vocab": 7, "d_model": 12, "n_heads": 3, "d_ff": 14, "n_layers": 1} | sizes
        )
        model = Transformer(cfg, torch.Generator().manual_seed(1))
        return server.model_store().add(checkpoint.to_bytes(model, facts or {})).id

    yield store
    server.model_store().forget_uploads()


def test_two_sentences_are_read_after_the_start_token():
    shown = show_model(replace(SMALL, seed=5, src="The red zebra", tgt="le okapi, le zebra"))
    assert (shown.choice.weights, shown.cfg) == (Random(5), replace(SMALL, seed=5).config(len(WORDS)))
    assert shown.src_labels == ["0 the", "1 red", "2 <unk>"]
    assert shown.tgt_labels == ["0 <start>", "1 le", "2 <unk>", "3 ,", "4 le", "5 <unk>"]
    assert shown.unknown == ("zebra", "okapi")
    assert shown.parameters == count_by_formula(shown.cfg)


def test_lengths_are_those_asked_for_and_drawn_by_the_seed():
    by_length = replace(SMALL, input="lengths", src_len=9, tgt_len=4, seed=3)
    shown = show_model(by_length)
    assert (len(shown.src), len(shown.tgt), shown.tgt[0]) == (9, 5, WORDS.start)
    assert min(shown.src + shown.tgt[1:]) > WORDS.unknown, "no special tokens"
    assert show_model(by_length).src == shown.src != show_model(replace(by_length, seed=4)).src


@pytest.mark.parametrize("padding", [(0, 0), (2, 1)])
def test_padding_stands_behind_both_sequences_and_the_label_is_one_place_on(padding):
    shown = show_model(SMALL)
    src, tgt = (WORDS.encode(text) for text in (SMALL.src, SMALL.tgt))
    pad_src, pad_tgt = ((WORDS.pad,) * n for n in padding)
    assert shown.batch(*padding) == ((*src, *pad_src), (WORDS.start, *tgt, *pad_tgt), (*tgt, WORDS.end, *pad_tgt))


@pytest.mark.parametrize(("kind", "layer"), [("encoder", 1), ("decoder", 0), ("cross", 1)])
def test_an_attention_is_that_of_the_forward_pass_with_its_tokens(kind, layer):
    settings = replace(SMALL, n_layers=2, seed=4)
    attention = show_model(settings).attention(kind, layer)
    stages = fresh(settings.config(len(WORDS)), 4, settings.src, settings.tgt)
    side = f"{'encoder' if kind == 'encoder' else 'decoder'}.{layer}.{'cross' if kind == 'cross' else 'self'}_attn"
    np.testing.assert_array_equal(attention.map.weights, stages[f"{side}.weights"])
    np.testing.assert_array_equal(attention.stage("q"), stages[f"{side}.q"])
    src, tgt = ("the", "red", "cat"), ("<start>", "le", "chat")
    assert attention.map.query_tokens == (src if kind == "encoder" else tgt)
    assert attention.map.key_tokens == (tgt if kind == "decoder" else src)
    closed = np.triu(np.ones((3, 3), bool), 1) if kind == "decoder" else np.zeros((3, 3), bool)
    np.testing.assert_array_equal(attention.map.allowed, ~closed)
    assert attention.score is None and attention.score_name == "scaled_dot"


def test_padding_is_no_key_and_a_score_of_its_own_is_that_of_the_model():
    attention = show_model(replace(SMALL, score="additive")).attention("cross", 0, (2, 1))
    assert attention.map.key_tokens == ("the", "red", "cat", "<pad>", "<pad>")
    assert attention.map.allowed.tolist() == [[True] * 3 + [False] * 2] * 4
    assert attention.score is not None and attention.score_name == "additive"


REFUSED = {
    "no source": ({"src": " \t"}, "source sentence is empty"),
    "no target": ({"tgt": ""}, "target sentence is empty"),
    "a long source": ({"src": "cat " * 10_000}, "10,000.*128"),
    "a long target": ({"tgt": "chat " * (MAX_TOKENS + 1)}, "129.*128"),
    "heads": ({"n_heads": 5}, "12.*5"),
    "gone": ({"model": "gone"}, "no longer on this server"),
    "no numbers": ({"model": "copy", "numbers": ""}, "empty"),
    "unknown numbers": ({"model": "copy", "numbers": "1 99"}, "99"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_shown_is_refused_in_one_sentence(case):
    changes, says = REFUSED[case]
    with pytest.raises(InputError, match=says):
        show_model(replace(SMALL, **changes))


def test_as_many_tokens_as_fit_are_shown():
    shown = show_model(replace(SMALL, src="cat " * MAX_TOKENS, tgt="chat " * MAX_TOKENS))
    assert (len(shown.src), len(shown.tgt)) == (MAX_TOKENS, MAX_TOKENS + 1)
    assert shown.forward()["memory"].shape == (MAX_TOKENS, 12)


def test_a_model_that_reads_words_is_given_its_own_answer():
    shown = show_model(ModelSettings(model="translate-fr", src="the white dragon"))
    assert shown.choice.weights == Stored("translate-fr") and shown.stored.in_words
    assert shown.unknown == ("dragon",)
    assert shown.tgt[0] == shown.vocabulary.start and shown.vocabulary.end not in shown.tgt
    shown = show_model(ModelSettings(model="translate-fr", src="a queen wants my white bread"))
    assert shown.vocabulary.decode(shown.tgt[1:]) == "une reine veut mon pain blanc".split()


@pytest.mark.parametrize(("task", "answer"), [("copy", (5, 3, 6, 2)), ("reverse", (2, 6, 3, 5)), ("sort", (2, 3, 5, 6))])
def test_a_model_that_reads_numbers_is_given_its_task_s_right_answer(task, answer, upload):
    shown = show_model(ModelSettings(model=upload({"task": task}), numbers="5 3 6 2"))
    assert shown.src == (1, 5, 3, 6, 2), "1 starts every sequence"
    assert (*shown.tgt, shown.last) == (1, *answer)
    assert shown.batch(0, 1)[2] == (*answer, 0)
    assert task in TASKS


def test_what_a_file_may_hold_is_shown_or_refused(upload):
    assert show_model(ModelSettings(model=upload(), numbers="1")).tgt == (1,)
    shown = show_model(ModelSettings(model=upload(pad_id=2), numbers="1 3 4"))
    assert shown.forward().values
    with pytest.raises(InputError, match="up to 3"):
        show_model(ModelSettings(model=upload(max_len=4), numbers="1 2 3 4"))
    with pytest.raises(InputError, match="up to 0"):
        show_model(ModelSettings(model=upload(tgt_max_len=1), numbers="1 2"))
    with pytest.raises(InputError):
        show_model(ModelSettings(model=upload(src_vocab=1, tgt_vocab=1), numbers="1"))
