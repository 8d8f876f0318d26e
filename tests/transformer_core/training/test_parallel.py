"""Pins: processes that share every batch take the steps of one process, and say in one sentence what they cannot share."""

import json
import os
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
import torch

from transformer_core import CopyTask, Recipe, Transformer, TransformerConfig, checkpoint
from transformer_core.__main__ import main
from transformer_core.training import parallel
from transformer_core.training.parallel import ParallelTrainer, Processes

pytestmark = pytest.mark.slow

CFG = TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=12, n_heads=3, d_ff=14, n_layers=1, dropout=0.3, norm="pre")
HANGS = timedelta(minutes=10)  # no machine is that slow
OPTIONS = (
    "train --d-model 12 --n-heads 3 --d-ff 14 --batch-size 10 --steps 8 --warmup 3 --seed 5 "
    "--label-smoothing 0.1 --device cpu --json --out"
).split()


# Tasks whose answers differ in length: a row's share of the loss hangs on its words, and not on the rows alone. One of them
# has several right tokens at some places.
@pytest.mark.parametrize("task", ["addition", "small-fr"])
def test_two_processes_with_half_of_every_batch_follow_one_with_all_of_it(task, tmp_path, capsys, monkeypatch):
    """This process and one more, told of each other as torchrun tells them. To rounding: sums are added in another order.
    Without dropout, whose masks are each process's own."""
    alone, shared = ([*OPTIONS, str(tmp_path / name), "--task", task] for name in ("alone", "shared"))
    assert main(alone) == 0
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    told = {"TORCHELASTIC_RUN_ID": "test", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "WORLD_SIZE": "2"}
    other = subprocess.Popen(
        [sys.executable, "-m", "transformer_core", *shared], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=Path(__file__).parents[3], env=os.environ | told | {"RANK": "1", "LOCAL_RANK": "1"},
    )  # fmt: skip
    for name, value in (told | {"RANK": "0", "LOCAL_RANK": "0"}).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(parallel.dist, "init_process_group", partial(parallel.dist.init_process_group, timeout=HANGS))
    try:
        assert main(shared) == 0
        printed, complaints = other.communicate(timeout=HANGS.seconds)
    finally:
        other.kill()
    assert (other.returncode, printed) == (0, ""), complaints
    one, two = map(json.loads, capsys.readouterr().out.splitlines())  # one line each, from the first process alone
    assert one["steps"] == two["steps"] == 8
    assert two["loss"] == pytest.approx(one["loss"], rel=1e-4)
    first, second = (checkpoint.load(str(tmp_path / name)) for name in ("alone", "shared"))
    weights, others = first.model.state_dict(), second.model.state_dict()
    begun = Transformer(first.model.cfg, torch.Generator().manual_seed(5)).state_dict()
    assert max((weights[name] - begun[name]).abs().max() for name in weights) > 1e-2
    for name in weights:
        if not name.endswith("w_k.bias"):  # its gradient is 0 but for rounding, which Adam makes large
            torch.testing.assert_close(others[name], weights[name], rtol=0, atol=1e-4, msg=name)
    assert torch.equal(first.training.state.data, second.training.state.data)


@pytest.fixture
def together(monkeypatch):
    """Threads that stand in for processes: together(n, work) calls work(Processes(i, n)) in each, and adds up as Gloo does."""

    def call(count, work):
        barrier, handed = threading.Barrier(count), {}

        def all_reduce(tensor):
            handed[threading.get_ident()] = tensor.clone()
            barrier.wait(HANGS.seconds)
            total = torch.stack([handed[thread] for thread in sorted(handed)]).sum(0)
            barrier.wait(HANGS.seconds)
            tensor.copy_(total)

        monkeypatch.setattr(parallel.dist, "all_reduce", all_reduce)
        with ThreadPoolExecutor(count) as threads:
            return list(threads.map(work, [Processes(i, count) for i in range(count)]))

    return call


def trainer(among: Processes, seed: int = 4) -> ParallelTrainer:
    model = Transformer(CFG, torch.Generator().manual_seed(seed))
    return ParallelTrainer(model, CopyTask(), Recipe(batch_size=6, seed=seed, evaluate_on=5, device="cpu"), among)


def test_every_process_has_the_same_numbers_and_its_own_dropout(together):
    masks = {}

    def work(among):
        made = trainer(among)
        losses = [made.step().loss for _ in range(4)]
        masks[among.rank] = made._dropout.get_state()
        return losses, torch.cat([p.detach().flatten() for p in made.model.parameters()])

    (losses, weights), (other_losses, other_weights), _third = together(3, work)
    assert losses == other_losses and torch.equal(weights, other_weights)
    assert not torch.equal(masks[0], masks[1])


def test_processes_go_on_with_dropout_as_if_they_had_not_stopped(together):
    def whole(among):
        made = trainer(among)
        return [made.step().loss for _ in range(6)]

    def stopped(among):
        made = trainer(among)
        losses = [made.step().loss for _ in range(3)]
        state, weights = made.state(), {name: value.clone() for name, value in made.model.state_dict().items()}
        again = trainer(among)
        again.model.load_state_dict(weights)
        again.restore(state)
        return losses + [again.step().loss for _ in range(3)]

    assert together(2, whole) == together(2, stopped)


def test_a_batch_that_cannot_be_shared_equally_is_refused_in_one_sentence():
    for size, choices in ((32, "30 or 33"), (2, "3")):
        message = f"a batch of {size} cannot be split evenly over 3 processes; try batch size {choices}$"
        with pytest.raises(ValueError, match=message):
            ParallelTrainer(Transformer(CFG), CopyTask(), Recipe(batch_size=size, device="cpu"), Processes(1, 3))
