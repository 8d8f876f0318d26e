"""Pins: a cut is what a changed mask or changed weights would have done to the whole model, which stays as it was."""

import copy
import itertools

import pytest
import torch

from tests.transformer_core.helpers import SRC, TGT, config, generator, perturbed_model, token_ids
from transformer_core import Trace, causal_mask, greedy_decode, padding_mask
from transformer_core.analysis import cutting
from transformer_core.analysis.cutting import (
    HeadCut,
    LinkCut,
    PartCut,
    WordCut,
    cut_out,
    fits,
    heads_of,
    mean_outputs,
    parts_of,
)
from transformer_core.data.batch import Batch
from transformer_core.model.beam_search import beam_search
from transformer_core.model.stages import SublayerPath, attention_path, parse_stage

CFGS = [config(norm="pre"), config(norm="post"), config(norm="pre", attention_bias=False, score="additive")]


@pytest.fixture(params=range(len(CFGS)), ids=["pre", "post", "additive"])
def whole(request):
    return perturbed_model(CFGS[request.param], request.param)


def masks(model, src, tgt):
    """Each written out, (batch, 1, query, key)."""
    padding = padding_mask(src, model.cfg.pad_id)
    own = padding_mask(tgt, model.cfg.pad_id) & causal_mask(TGT)
    return padding.expand(-1, -1, SRC, -1).clone(), padding.expand(-1, -1, TGT, -1).clone(), own


def by_masks(model, src, tgt, for_encoder, for_cross, for_own):
    return model.decode(tgt, model.encode(src, for_encoder), for_cross, for_own)


@torch.no_grad()
@pytest.mark.parametrize("kind", ["encoder", "cross", "decoder"])
def test_a_link_cut_everywhere_is_another_mask(whole, kind):
    src, tgt = token_ids(whole.cfg, seed=3)
    before = whole(src, tgt)
    changed = masks(whole, src, tgt)
    changed[["encoder", "cross", "decoder"].index(kind)][:, :, 3, 1] = False
    after = cut_out(whole, [LinkCut(kind, None, None, 3, 1)])(src, tgt)
    torch.testing.assert_close(after, by_masks(whole, src, tgt, *changed))
    assert (after - before).abs().max() > 1e-3
    assert torch.equal(whole(src, tgt), before)


@torch.no_grad()
@pytest.mark.parametrize("side", ["src", "tgt"])
def test_a_word_that_is_cut_is_masked_like_padding(whole, side):
    src, tgt = token_ids(whole.cfg, seed=4)
    for_encoder, for_cross, own = masks(whole, src, tgt)
    for mask in (for_encoder, for_cross) if side == "src" else (own,):
        mask[..., 2] = False
    after = cut_out(whole, [WordCut(side, 2)])(src, tgt)
    torch.testing.assert_close(after, by_masks(whole, src, tgt, for_encoder, for_cross, own))
    assert (after - whole(src, tgt)).abs().max() > 1e-3


@torch.no_grad()
def test_a_link_cut_in_one_head_gives_its_weight_to_the_others_of_its_row():
    model = perturbed_model(config(norm="pre"), 5)
    src, tgt = token_ids(model.cfg, seed=5)
    before, after = Trace(), Trace()
    with before:
        model(src, tgt)
    with after:
        cut_out(model, [LinkCut("decoder", 0, 1, 3, 2)])(src, tgt)
    name = attention_path("decoder", 0).stage("weights")
    expected = before[name].clone()
    expected[:, 1, 3, 2] = 0
    expected[:, 1, 3] /= expected[:, 1, 3].sum(-1, keepdim=True)
    torch.testing.assert_close(after[name], expected)
    other = attention_path("decoder", 1).stage("weights")
    assert not torch.equal(after[other], before[other])


@torch.no_grad()
@pytest.mark.parametrize("kind", ["encoder", "cross", "decoder"])
def test_a_head_is_replaced_by_nothing_by_its_mean_or_by_an_even_look(whole, kind):
    src, tgt = token_ids(whole.cfg, seed=6)
    labels = torch.cat([tgt[:, 1:], torch.ones_like(tgt[:, :1])], dim=1)
    head, columns = HeadCut(kind, 1, 2), slice(44, 66)
    path = attention_path(kind, 1)
    means = mean_outputs(whole, Batch(src, tgt, labels))
    with Trace() as trace:
        whole(src, tgt)
    contexts = [
        context[2, query]
        for context, real in zip(trace[path.stage("context")], (src if kind == "encoder" else labels) != 0, strict=True)
        for query in real.nonzero()[:, 0]
    ]
    mean = torch.stack(contexts).mean(0)
    torch.testing.assert_close(means[path.stage("context")][2], mean)

    def by_hand(change):
        changed = copy.deepcopy(whole)
        change(changed.get_submodule(path.module))
        return changed(src, tgt)

    def no_output(attention):
        attention.w_o.weight[:, columns] = 0

    def the_mean(attention):
        if attention.w_o.bias is None:
            attention.w_o.bias = torch.nn.Parameter(torch.zeros(66))
        attention.w_o.bias += attention.w_o.weight[:, columns] @ mean
        no_output(attention)

    found = {instead: cut_out(whole, [head], instead, means)(src, tgt) for instead in cutting.INSTEAD}
    torch.testing.assert_close(found["zero"], by_hand(no_output))
    torch.testing.assert_close(found["mean"], by_hand(the_mean))
    for one, other in itertools.combinations([whole(src, tgt), *found.values()], 2):
        assert (one - other).abs().max() > 1e-3
    if whole.cfg.score == "scaled_dot":

        def no_query(attention):
            attention.w_q.weight[columns] = 0
            if attention.w_q.bias is not None:
                attention.w_q.bias[columns] = 0

        torch.testing.assert_close(found["uniform"], by_hand(no_query))


@torch.no_grad()
def test_a_part_that_is_cut_adds_nothing(whole):
    src, tgt = token_ids(whole.cfg, seed=7)
    for cut in parts_of(whole.cfg):
        changed = copy.deepcopy(whole)
        module = changed.get_submodule(cut.path.module)
        last = module.w_2 if cut.path.part == "feed_forward" else module.w_o
        last.weight.zero_()
        if last.bias is not None:
            last.bias.zero_()
        after = cut_out(whole, [cut])(src, tgt)
        torch.testing.assert_close(after, changed(src, tgt))
        assert (after - whole(src, tgt)).abs().max() > 1e-3, cut


@torch.no_grad()
def test_an_answer_is_generated_with_the_cuts(whole):
    """Greedily and by beam search, both of which keep nothing of a model with edits."""
    changed = copy.deepcopy(whole)
    changed.decoder[0].cross_attn.w_o.weight[:, 22:44] = 0
    changed.decoder[1].self_attn.w_o.weight[:, :22] = 0
    cut = cut_out(whole, [HeadCut("cross", 0, 1), HeadCut("decoder", 1, 0)])
    sources = torch.randint(1, 19, (30, SRC), generator=generator(8))
    found = greedy_decode(cut, sources, 1, 6)
    assert torch.equal(found, greedy_decode(changed, sources, 1, 6))
    assert not torch.equal(found, greedy_decode(whole, sources, 1, 6))
    one, other = (beam_search(model, sources[:1], 1, 4, 3).hypotheses for model in (cut, changed))
    assert [each.tokens for each in one] == [each.tokens for each in other]
    assert [each.score for each in one] == pytest.approx([each.score for each in other])


@torch.no_grad()
def test_cuts_add_up_in_any_order():
    model = perturbed_model(config(norm="pre"), 9)
    src, tgt = token_ids(model.cfg, seed=9)
    cuts = [
        LinkCut("cross", 1, 0, 2, 3),
        HeadCut("cross", 1, 0),
        WordCut("src", 1),
        PartCut(SublayerPath("encoder", 0, "self_attn")),
    ]
    means = mean_outputs(model, Batch(src, tgt, tgt))
    for instead in cutting.INSTEAD:
        outputs = [cut_out(model, order, instead, means)(src, tgt) for order in itertools.permutations(cuts)]
        for each in outputs[1:]:
            torch.testing.assert_close(each, outputs[0])
    with Trace() as even:
        cut_out(model, cuts, "uniform")(src, tgt)
    row = even[attention_path("cross", 1).stage("weights")][0, 0, 2]
    torch.testing.assert_close(row, torch.tensor([1, 0, 1, 0, 1, 1, 1]) / 5)  # even among what the other cuts have left


@torch.no_grad()
def test_a_model_with_cuts_keeps_them_when_more_is_cut():
    model = perturbed_model(config(norm="pre"), 12)
    src, tgt = token_ids(model.cfg, seed=12)
    first, then = [WordCut("src", 1), HeadCut("cross", 0, 2)], [WordCut("src", 3), HeadCut("decoder", 1, 0)]
    both = cut_out(cut_out(model, first), then)(src, tgt)
    torch.testing.assert_close(both, cut_out(model, [*first, *then])(src, tgt), atol=0, rtol=0)
    assert float((both - cut_out(model, then)(src, tgt)).abs().max()) > 0.01


def test_what_is_beyond_a_shorter_answer_is_not_cut():
    model = perturbed_model(config(), 10)
    src, tgt = token_ids(model.cfg, seed=10)
    cut = cut_out(model, [LinkCut("decoder", None, None, 4, 3), WordCut("tgt", 3)])
    with torch.no_grad():
        torch.testing.assert_close(cut(src, tgt[:, :3]), model(src, tgt[:, :3]))


def test_a_query_with_nothing_left_gets_nothing():
    model = perturbed_model(config(), 11)
    src, tgt = token_ids(model.cfg, seed=11)
    trace = Trace()
    with torch.no_grad(), trace:
        logits = cut_out(model, [LinkCut("decoder", None, None, 0, 0)])(src, tgt)
    assert logits.isfinite().all()
    assert (trace[attention_path("decoder", 1).stage("context")][:, :, 0] == 0).all()


CUTS = {
    "cross.1.2:3-4": LinkCut("cross", 1, 2, 3, 4),
    "encoder.0.all:0-10": LinkCut("encoder", 0, None, 0, 10),
    "decoder.all.all:2-1": LinkCut("decoder", None, None, 2, 1),
    "src:0": WordCut("src", 0),
    "tgt:12": WordCut("tgt", 12),
    "encoder.1.0": HeadCut("encoder", 1, 0),
    "decoder.0.cross_attn": PartCut(SublayerPath("decoder", 0, "cross_attn")),
    "encoder.1.feed_forward": PartCut(SublayerPath("encoder", 1, "feed_forward")),
}


@torch.no_grad()
def test_everything_in_a_decoder_alone_can_be_cut():
    whole = perturbed_model(config(stacks="decoder", norm="pre"), 5)
    src, tgt = token_ids(whole.cfg, seed=3)
    labels = torch.cat([tgt[:, 1:], torch.ones_like(tgt[:, :1])], dim=1)
    means = mean_outputs(whole, Batch(src, tgt, labels))
    assert [*means] == [attention_path("decoder", layer).stage("context") for layer in (0, 1)]
    for cut in (*heads_of(whole.cfg), *parts_of(whole.cfg), WordCut("tgt", 2), LinkCut("decoder", None, None, 3, 1)):
        after = cut_out(whole, [cut], "mean", means)(src, tgt)
        assert after.isfinite().all() and (after - whole(src, tgt)).abs().max() > 1e-3, cut
    changed = copy.deepcopy(whole)
    changed.decoder[1].self_attn.w_o.weight[:, 44:] = 0
    cut = cut_out(whole, [HeadCut("decoder", 1, 2)])
    torch.testing.assert_close(cut(src, tgt), changed(src, tgt))
    assert torch.equal(greedy_decode(cut, src, (3, 5, 9), 6), greedy_decode(changed, src, (3, 5, 9), 6))


@pytest.mark.parametrize("cross_attention", [True, False])
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
def test_where_a_cut_is_made_is_where_it_edits(cut, cross_attention):
    cfg = config(n_layers=2, cross_attention=cross_attention)
    edited = {path.module for stage in cutting.edits_of(cfg, [cut]) if (path := parse_stage(stage).path) is not None}
    assert {path.module for path in cutting.where(cut, cfg)} == edited != set()


@pytest.mark.parametrize(("text", "cut"), CUTS.items(), ids=CUTS)
def test_a_cut_and_its_text(text, cut):
    assert cutting.parse(text) == cut and str(cut) == text


NO_CUTS = ["", "cross", "cross.1", "cross.01.2", "cross.1.2:3", "cross.-1.0", "src:", "src:-1", "src:99999", "cross.1１.2"]
NO_CUTS += ["memory.0.self_attn", "encoder.0.norm", "cross.1.2:3-4 ", "x" * 5000]


@pytest.mark.parametrize("text", NO_CUTS)
def test_what_is_no_cut(text):
    with pytest.raises(ValueError, match="is no cut"):
        cutting.parse(text)


@torch.no_grad()
@pytest.mark.parametrize("cut", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("kind", ["encoder", "decoder", "cross"])
def test_the_pairs_that_are_cut_are_those_that_lose_their_score(kind, cut):
    whole, path = perturbed_model(CFGS[0], 0), attention_path(kind, 1)
    src, tgt = token_ids(whole.cfg, 2, seed=3)
    closed = []
    for model in (whole, cut_out(whole, [cut])):
        with Trace() as trace:
            model(src, tgt)
        closed.append(~trace[path.stage("masked_scores")][0].isfinite())
    queries, keys = closed[0].shape[1:]
    pairs = cutting.cut_pairs(whole.cfg, [cut], path, queries, keys)
    assert torch.equal(pairs | closed[0], closed[1])


def test_what_a_model_has():
    cfg, alone = config(), config(cross_attention=False)
    assert len(heads_of(cfg)) == 18 and len(parts_of(cfg)) == 10
    assert len(heads_of(alone)) == 12 and len(parts_of(alone)) == 8
    for cut in (*heads_of(cfg), *parts_of(cfg)):
        assert fits(cut, cfg, 1, 1)
    there = {str(cut): fits(cut, cfg, 10, 6) for cut in CUTS.values()}
    assert [text for text, fine in there.items() if not fine] == ["encoder.0.all:0-10", "tgt:12"]
    assert not any(
        fits(cutting.parse(text), cfg, 10, 6)
        for text in ("cross.2.0", "cross.0.3", "encoder.0.cross_attn", "cross.all.all:6-0")
    )
    assert not any(fits(cutting.parse(text), alone, 10, 6) for text in ("cross.0.0", "decoder.0.cross_attn", "cross.0.0:0-0"))


def test_what_a_decoder_alone_has():
    cfg = config(stacks="decoder")
    assert list(map(str, heads_of(cfg))) == [f"decoder.{layer}.{head}" for layer in (0, 1) for head in (0, 1, 2)]
    parts = [f"decoder.{layer}.{part}" for part in ("self_attn", "feed_forward") for layer in (0, 1)]
    assert list(map(str, parts_of(cfg))) == parts
    there = ["decoder.all.all:2-1", "decoder.1.2:5-0", "tgt:5", *map(str, heads_of(cfg)), *parts]
    assert all(fits(cutting.parse(text), cfg, 0, 6) for text in there)
    for text in ("src:0", "encoder.0.0", "encoder.0.all:0-0", "encoder.1.feed_forward", "cross.0.0", "decoder.0.cross_attn"):
        assert not fits(cutting.parse(text), cfg, 7, 6), text
    assert cutting.where(WordCut("tgt", 0), cfg) == [attention_path("decoder", layer) for layer in (0, 1)]
    assert cutting.where(WordCut("src", 0), cfg) == [] and cutting.edits_of(cfg, [WordCut("src", 0)]) == {}
