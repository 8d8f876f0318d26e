"""Models and passes are those of the core, shared, and never changed."""

import numpy as np
import pytest
import torch

from explorer import resources
from explorer.model_on_screen.forward import Learned, ModelChoice, Random, forward_pass, generated, model_of
from tests.pages.helpers import traced
from transformer_core import Transformer, TransformerConfig, checkpoint, greedy_decode
from transformer_core.data.vocabulary import Vocabulary
from transformer_core.errors import InputError
from transformer_core.model.stages import LOGITS, attention_path

CFG = TransformerConfig(src_vocab=7, tgt_vocab=7, d_model=12, n_heads=3, d_ff=14, n_layers=2, dropout=0.5)
SRC, TGT = (4, 5, 6, 2), (1, 3, 5)


def test_a_pass_records_every_stage_of_the_model_that_the_seed_draws():
    choice = ModelChoice(CFG, Random(3))
    found = forward_pass(choice, SRC, TGT)
    expected = traced(Transformer(CFG, torch.Generator().manual_seed(3)), list(SRC), list(TGT))
    assert found.values.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value, err_msg=name)
    assert found[LOGITS].shape == (3, 7)
    weights = attention_path("cross", 1).stage("weights")
    assert found[weights].shape == (3, 3, 4) and found.axes[weights] == ("head", "query", "key")
    assert found.bytes == sum(value.nbytes for value in expected.values())


def test_it_is_made_once_and_can_be_changed_by_nobody():
    choice = ModelChoice(CFG, Random(3))
    assert forward_pass(choice, SRC, TGT) is forward_pass(ModelChoice(CFG, Random(3)), SRC, TGT)
    assert model_of(choice) is model_of(ModelChoice(CFG, Random(3))) and not model_of(choice).training
    assert not np.array_equal(
        forward_pass(ModelChoice(CFG, Random(4)), SRC, TGT)[LOGITS], forward_pass(choice, SRC, TGT)[LOGITS]
    )
    for value in forward_pass(choice, SRC, TGT).values.values():
        with pytest.raises(ValueError, match="read-only"):
            value[...] = 0


def test_what_a_model_cannot_read_is_refused():
    with pytest.raises(InputError):
        forward_pass(ModelChoice(CFG, Random(3)), (4, 99), TGT)


def test_an_answer_ends_before_the_end_token():
    choice = ModelChoice(CFG, Random(3))
    ids = tuple(greedy_decode(model_of(choice), torch.tensor([SRC]), 1, 5)[0].tolist())
    tokens = tuple("abcdefg")
    assert generated(choice, SRC, Vocabulary(tokens, start=1), 5) == ids
    choice = ModelChoice(CFG, Random(5))
    ids = tuple(greedy_decode(model_of(choice), torch.tensor([SRC]), 1, 5)[0].tolist())
    end = ids[2]
    assert generated(choice, SRC, Vocabulary(tokens, start=1, end=end), 5) == ids[: ids.index(end)]


def test_a_model_that_has_learned_is_the_one_of_its_file():
    net = Transformer(CFG, torch.Generator().manual_seed(2))
    found = resources.model_store().add(checkpoint.to_bytes(net, {"steps": 30}))
    model = model_of(ModelChoice(CFG, Learned(found.id, 30)))
    assert model.cfg == CFG and not model.training
    assert all(torch.equal(one, other) for one, other in zip(model.parameters(), net.parameters(), strict=True))
    with pytest.raises(KeyError):
        model_of(ModelChoice(CFG, Learned("0123456789abcdef", 30)))
