"""Pins the bounds of generation and the text of ids that the vocabulary lacks; the page's tests pin the steps themselves."""

from dataclasses import replace

from explorer.model_on_screen import decoding
from explorer.model_on_screen.forward import ModelChoice, Random
from explorer.model_on_screen.settings import ModelSettings, of_task
from explorer.model_on_screen.shown_model import show_model
from transformer_core import TransformerConfig

CFG = TransformerConfig(src_vocab=7, tgt_vocab=9, d_model=12, n_heads=3, d_ff=14, n_layers=1)
CHOICE, SRC = ModelChoice(CFG, Random(3)), (4, 5, 6, 2)
SMALL = ModelSettings(step=0, d_model=12, n_heads=3, d_ff=14, n_layers=1, src="the red cat", tgt="le chat")


def test_no_more_steps_than_the_model_has_places():
    assert decoding.most_steps(CFG, 24) == 24
    assert decoding.most_steps(replace(CFG, max_len=5), 24) == 5


def test_ids_that_the_vocabulary_lacks_have_a_number():
    shown = show_model(replace(of_task("copy"), numbers="1 2"))
    last = len(shown.vocabulary) - 1
    assert decoding.token_texts(shown, (0, last, last + 1)) == ["<pad>", str(last), f"#{last + 1}"]
