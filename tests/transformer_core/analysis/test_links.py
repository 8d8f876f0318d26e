"""Pins: cutting the links of a kind is another mask, written out by hand, and what it costs is what a plain loop finds."""

import math

import numpy as np
import pytest
import torch

from tests.transformer_core.helpers import SRC, TGT, config, generator, perturbed_model, token_ids
from transformer_core import CopyTask, causal_mask, padding_mask
from transformer_core.analysis import bootstrap
from transformer_core.analysis.cutting import HeadCut, cut_out
from transformer_core.analysis.damage import damage, joint, row_losses
from transformer_core.analysis.links import LINK_KINDS, compared_links, links, open_links, queries_cut, without_links
from transformer_core.data.batch import Batch
from transformer_core.data.tasks import ReverseTask, SentenceTask, SortTask

COUNT = 5
KINDS = [(kind, which) for kind, several in LINK_KINDS.items() for which in several if which != "aligned"]


def rows(cfg, seed=1):
    """Of unlike lengths."""
    src, tgt = token_ids(cfg, batch=COUNT, seed=seed)
    src[1, 4:], tgt[2, 3:] = cfg.pad_id, cfg.pad_id
    labels = torch.roll(tgt, -1, dims=1)
    labels[:, -1] = 3
    labels[tgt == cfg.pad_id] = cfg.pad_id
    return Batch(src, tgt, labels)


def expected(kind, which, batch, row, query, key):
    """Whether a link of this row is of this kind, said once more."""
    n = int((batch.src[row] != 0).sum())
    there = key <= query and bool(batch.tgt[row, key] != 0) if kind == "decoder" else key < n
    same = {"own": key == query, "previous": key == query - 1, "first": key == 0, "last": key == n - 1, "all": True}
    return there and same[which]


@pytest.mark.parametrize(("kind", "which"), KINDS)
def test_which_links_are_of_a_kind(kind, which):
    cfg = config()
    batch = rows(cfg)
    found = links(kind, which, batch, CopyTask(), cfg)
    queries, keys = (TGT if kind != "encoder" else SRC), (SRC if kind != "decoder" else TGT)
    assert found.shape == (COUNT, queries, keys)
    for row, query, key in np.ndindex(*found.shape):
        assert found[row, query, key] == expected(kind, which, batch, row, query, key), (row, query, key)


@pytest.mark.parametrize("decisive", [True, False])
@pytest.mark.parametrize(("kind", "which"), [each for each in KINDS if each[0] != "cross"])
def test_a_kind_and_its_control_differ_in_the_kind_alone(kind, which, decisive):
    cfg = config()
    batch = rows(cfg)
    found = compared_links(kind, which, batch, CopyTask(), cfg, decisive=decisive)
    pool = open_links(kind, batch, cfg)
    pool = pool if decisive else pool & ~links(kind, "own", batch, CopyTask(), cfg)
    every = links(kind, which, batch, CopyTask(), cfg)
    assert (found.of_kind <= (every & pool)).all() and (found.others <= (pool & ~every)).all(), "both from the same links"
    assert torch.equal(found.of_kind.sum(-1), found.others.sum(-1)), "as many, of the same queries"
    left = found.of_kind.sum(-1) < (every & pool).sum(-1)
    assert not found.of_kind[left].any(), "a query loses all of the kind, or none"
    assert ((pool & ~every).sum(-1) < (every & pool).sum(-1))[left].all(), "none where there are too few others"
    again = compared_links(kind, which, batch, CopyTask(), cfg, decisive=decisive)
    assert torch.equal(found.others, again.others), "always the same ones"
    assert found.of_kind.any() == (which != "all" and (decisive or which != "own"))
    if found.others.any():
        assert found.others.float().argmax(-1).unique().numel() > 1, "not always the same word"


@pytest.mark.parametrize("which", ["aligned", "first", "last"])
@pytest.mark.parametrize("task", [ReverseTask(length=6), SortTask(length=6), SentenceTask("pronoun-en")])
def test_the_aligned_words_are_on_both_sides_or_on_neither(task, which):
    """They were left out of the control alone: then a kind that holds some of them seemed to matter by itself."""
    cfg = config(src_vocab=task.vocab, tgt_vocab=task.vocab)
    batch = task.batch(40, generator(2), held_out=True)
    aligned = links("cross", "aligned", batch, task, cfg)
    without = compared_links("cross", which, batch, task, cfg, decisive=False)
    assert not (without.of_kind & aligned).any() and not (without.others & aligned).any()
    assert without.of_kind.any() == (which != "aligned")
    both = compared_links("cross", which, batch, task, cfg, decisive=True)
    if which != "aligned":
        assert (both.others & aligned).any(), "the control may hit them, too"


def test_aligned_links_are_those_of_the_task():
    cfg, task = config(src_vocab=11, tgt_vocab=11), ReverseTask(length=6)
    batch = task.batch(3, generator(2))
    found = links("cross", "aligned", batch, task, cfg)
    assert found.nonzero().tolist() == [[row, place, 5 - place] for row in range(3) for place in range(5)]
    corpus = SentenceTask("pronoun-en").corpus
    (example,) = [each for each in corpus.held_out["source"] if len(each.src) == 13][:1]
    found = links(
        "cross", "aligned", corpus.rows([example]), SentenceTask("pronoun-en"), config(src_vocab=len(corpus.vocabulary))
    )
    assert found.nonzero().tolist() == [[0, place, origin] for place, origin in enumerate(example.origin) if origin is not None]


@torch.no_grad()
@pytest.mark.parametrize("norm", ["pre", "post"])
@pytest.mark.parametrize(("kind", "which"), [each for each in KINDS if each[1] != "all"])
def test_what_it_costs_by_a_plain_loop_with_other_masks(kind, which, norm):
    model = perturbed_model(config(norm=norm), 3)
    batch, cfg = rows(model.cfg, 3), model.cfg
    mask = links(kind, which, batch, CopyTask(), cfg)
    found = row_losses(model, batch, lambda some: without_links(model, kind, mask[some]))
    for row in range(COUNT):
        src, tgt = batch.src[row : row + 1], batch.tgt[row : row + 1]
        encoder = padding_mask(src, cfg.pad_id).expand(-1, -1, SRC, -1)
        cross = padding_mask(src, cfg.pad_id).expand(-1, -1, TGT, -1)
        own = padding_mask(tgt, cfg.pad_id) & causal_mask(TGT)
        changed = {"encoder": encoder, "cross": cross, "decoder": own}
        changed[kind] = changed[kind] & ~mask[row][None, None]
        memory = model.encode(src, changed["encoder"])
        logits = model.decode(tgt, memory, changed["cross"], changed["decoder"])[0].log_softmax(-1)
        real = [t for t in range(TGT) if batch.labels[row, t] != cfg.pad_id]
        by_hand = -sum(float(logits[t, batch.labels[row, t]]) for t in real) / len(real)
        assert found[row] == pytest.approx(by_hand, abs=1e-5)
    assert np.abs(found - row_losses(model, batch)).max() > 1e-3


@torch.no_grad()
def test_without_any_link_an_attention_adds_its_bias_alone():
    model = perturbed_model(config(), 4)
    batch = rows(model.cfg, 4)
    every = links("cross", "all", batch, CopyTask(), model.cfg)
    one = without_links(model, "cross", every)(batch.src, batch.tgt)
    words = (batch.src % 18 + 1).masked_fill(batch.src == model.cfg.pad_id, model.cfg.pad_id)
    other = without_links(model, "cross", every)(words, batch.tgt)
    torch.testing.assert_close(one, other)  # whatever the source is
    assert one.isfinite().all()
    none = without_links(model, "cross", torch.zeros_like(every))(batch.src, batch.tgt)
    torch.testing.assert_close(none, model(batch.src, batch.tgt))


def test_how_many_queries_lose_a_link():
    cfg = config()
    batch = rows(cfg)
    mask = links("encoder", "previous", batch, CopyTask(), cfg)
    n = int((batch.src != cfg.pad_id).sum())
    assert queries_cut(mask, batch.src, cfg.pad_id) == (n - COUNT, n)  # but for the first of each row


@torch.no_grad()
def test_what_two_cuts_cost_together_by_a_plain_loop():
    model = perturbed_model(config(), 5)
    batch = rows(model.cfg, 5)
    cuts = [HeadCut("cross", 0, 1), HeadCut("cross", 1, 2)]
    losses = [row_losses(cut_out(model, some), batch) for some in (cuts[:1], cuts[1:], cuts)]
    whole = row_losses(model, batch)
    found = joint(whole, *losses)
    one, other, both = (each - whole for each in losses)
    assert found.one.loss == pytest.approx(one.mean()) and found.other.loss == pytest.approx(other.mean())
    assert found.together.loss == pytest.approx(both.mean())
    assert found.more.loss == pytest.approx(both.mean() - one.mean() - other.mean())
    expected = bootstrap.mean(both - one - other)
    assert (found.more.low, found.more.high) == (pytest.approx(expected.low), pytest.approx(expected.high)), "row by row"


def test_a_pair_is_hidden_where_a_cost_shows_of_both_together_alone():
    draws = np.random.default_rng(6)
    whole, noise = draws.normal(size=200), [draws.normal(0, 0.1, size=200) for _ in range(3)]
    none, none_too, much = noise[0] - noise[0].mean(), noise[1] - noise[1].mean(), 1 + noise[2]
    assert joint(whole, whole + none, whole + none_too, whole + much).is_hidden
    assert not joint(whole, whole + none, whole + much, whole + much).is_hidden
    assert not joint(whole, whole + none, whole + none_too, whole + none).is_hidden
    assert math.isclose(damage(whole, whole + much).loss, much.mean())
