"""Pins what answers to “what is it?” change without: the look at the noun that is written, not the one from “it”."""

from collections.abc import Sequence

import pytest
import torch
from torch import Tensor

from tests.transformer_core.helpers import config, perturbed_model
from transformer_core import Transformer, greedy_decode
from transformer_core.analysis.cutting import LinkCut, WordCut, cut_out
from transformer_core.analysis.pronoun import IT, AnswersChanged, answers_changed
from transformer_core.commands.options import opened
from transformer_core.data.corpora import CORPORA


@pytest.mark.parametrize("task", IT)
def test_answers_need_the_look_at_the_noun_that_is_written_and_not_the_one_from_it(task):
    """Of two looks at the same noun, in the encoder and in cross-attention: “attention does not show what they rest on” is
    said of neither."""
    found = answers_changed(opened(task).model, CORPORA[task](), IT[task], 60)
    assert (found.n, found.link, found.it) == (60, 0, 0) and found.noun >= found.look >= 0.5 * found.n


def test_each_answer_is_that_of_the_sentence_with_the_cut():
    """Of a model that has learned nothing, whose answers rest a little on everything."""
    corpus, count, changed = CORPORA["pronoun-en"](), 40, [0, 0, 0, 0]
    tokens = len(corpus.vocabulary)
    model = perturbed_model(config(src_vocab=tokens, tgt_vocab=tokens, n_layers=1), 2)

    def answer(each: Transformer, src: Sequence[str]) -> Tensor:
        ids = torch.tensor([corpus.vocabulary.ids(src)])
        return greedy_decode(each, ids, corpus.vocabulary.start, corpus.longest[1])

    for example in corpus.held_out["source"][:count]:
        noun, it = example.origin[-1], example.src.index("it")
        look = [LinkCut("cross", None, None, query, noun) for query in range(corpus.longest[1])]
        for i, cut in enumerate(
            ([LinkCut("encoder", None, None, it, noun)], look, [WordCut("src", noun)], [WordCut("src", it)])
        ):
            changed[i] += not torch.equal(answer(model, example.src), answer(cut_out(model, cut), example.src))
    assert answers_changed(model, corpus, "it", count) == AnswersChanged(count, *changed)
    assert all(0 < each < count for each in changed) and len(set(changed)) == 4, "each is told from the others"
