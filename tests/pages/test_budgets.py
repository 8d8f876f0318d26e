"""Pins: whatever a visitor asks for, a page has the models do no more in one go than its share, or says in one sentence what
can be had instead. Counted are the tokens that pass through a stack of layers, not seconds.

The models are small, and the limits as much smaller: in one go as many rows go through a model as through the largest that the
knobs can make, and through nearly any other more.
"""

from dataclasses import dataclass, field

import pytest

from explorer import limits
from explorer.model_on_screen import forward, incremental, view_limits
from explorer.model_on_screen.settings import RANGES, ModelSettings, vocabulary_of
from explorer.model_on_screen.shared_cache import SharedCache, _all
from tests.pages.helpers import PARTS, TASK, VIEWS, complaints, go, turn, visit
from transformer_core import Transformer
from transformer_core.model.cache import CachedDecoder

LARGEST = ModelSettings(d_model=512, n_heads=16, n_layers=6, d_ff=2048)
SMALL = {"task": TASK, "step": "0", "d_model": "16", "n_heads": "2", "n_layers": "2", "d_ff": "32"}
LONG = {"input": "lengths", "src_len": str(limits.MAX_LENGTH), "tgt_len": str(limits.MAX_LENGTH - 1)}
CFG = ModelSettings(d_model=16, n_heads=2, n_layers=2, d_ff=32).config(len(vocabulary_of(TASK)))
ROW = 9, 15  # tokens of the longest held-out sentences, and of their answers


@dataclass
class Count:
    """The tokens that went through a stack: by themselves, and of each measurement that was made in one go."""

    page: int = 0
    goes: list[int] = field(default_factory=list)
    is_measured: bool = False

    def add(self, tokens: int) -> None:
        if self.is_measured:
            self.goes[-1] += tokens
        else:
            self.page += tokens


@pytest.fixture
def count(monkeypatch, no_story_is_trained):
    """Limits as for the largest model, and nothing known."""
    large, small = (view_limits.operations_of(cfg, *ROW) for cfg in (LARGEST.config(CFG.src_vocab), CFG))
    for name in ("TURN_OPERATIONS", "VIEW_OPERATIONS", "MEASURE_OPERATIONS"):
        monkeypatch.setattr(limits, name, getattr(limits, name) * small // large)
    found = Count()
    encode, decode, newest, get_or_compute = (
        Transformer.encode,
        Transformer.decode,
        CachedDecoder.next_logits,
        SharedCache.get_or_compute,
    )

    def counted(run, tokens):
        def runs(self, ids, *given, **more):
            found.add(tokens(ids))
            return run(self, ids, *given, **more)

        return runs

    monkeypatch.setattr(Transformer, "encode", counted(encode, lambda ids: ids.numel()))
    monkeypatch.setattr(Transformer, "decode", counted(decode, lambda ids: ids.numel()))
    monkeypatch.setattr(CachedDecoder, "next_logits", counted(newest, lambda ids: ids.numel()))

    def one_go(self, compute, *key, **more):
        def measure():
            found.goes.append(0)
            found.is_measured = True
            try:
                return compute()
            finally:
                found.is_measured = False

        return get_or_compute(self, measure if self is incremental._finding else compute, *key, **more)

    monkeypatch.setattr(SharedCache, "get_or_compute", one_go)
    yield found
    incremental._finding.clear()


def forget(count: Count) -> None:
    for each in list(_all):
        if each not in (forward.model_of, forward.forward_pass):
            each.clear()
    count.page, count.goes = 0, []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("link", "pages"), [({}, VIEWS), (LONG, ["what_matters", "decoding"])], ids=["a sentence", "the longest"]
)
def test_no_part_takes_more_than_its_share_in_one_go(count, link, pages):
    a_go = limits.TURN_OPERATIONS // view_limits.operations_of(CFG, *ROW) * sum(ROW)  # tokens
    at = visit(SMALL | link, "masks")
    asked = 0
    for page, part in [(name, each) for name in pages for each in PARTS[name]]:
        forget(count)
        go(at, page)
        if part is not None and at.session_state["part"] != part:
            forget(count)
            turn(at, part=part)
        assert not at.exception, (page, part)
        assert count.page <= limits.VIEW_OPERATIONS / limits.TURN_OPERATIONS * a_go, (page, part)
        for button in [each for each in at.button if each.key and each.key.startswith("measure-")]:
            forget(count)
            button.click().run()
            assert not at.exception, (page, part)
            assert complaints(at) or count.goes, (page, part)
            asked += 1
        # Two models are compared, and the first head that is cut needs the means of all heads besides.
        assert max(count.goes, default=0) <= 3 * a_go, (page, part)
    assert asked >= 5, "the parts that measure have no button any more"
    assert RANGES["d_model"][1] == LARGEST.d_model and RANGES["n_layers"][1] == LARGEST.n_layers
