"""Training in several processes, each with its share of every batch: `torchrun --nproc-per-node=2 -m transformer_core train`.

The processes hold the same weights, draw the same batches, and take the same steps, because they sum their gradients first.
"""

import os
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import torch
import torch.distributed as dist
from torch import Tensor

from transformer_core.data.batch import Batch
from transformer_core.data.tasks import Task
from transformer_core.errors import InputError
from transformer_core.model.transformer import Transformer
from transformer_core.training.trainer import Recipe, Trainer, resolve_device


@dataclass(frozen=True)
class Processes:
    """This process among those that train together: its `rank`, and their number."""

    rank: int = 0
    count: int = 1

    @property
    def first(self) -> bool:
        return self.rank == 0


@contextmanager
def processes(device: str) -> Iterator[Processes]:
    """The processes that torchrun has started, connected for the duration of a `with` block; without torchrun, this one alone.

    On CUDA each takes the device of its local rank and they communicate by NCCL, elsewhere by Gloo.
    """
    if not dist.is_torchelastic_launched():
        yield Processes()
        return
    cuda = resolve_device(device).type == "cuda"
    if cuda:
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    dist.init_process_group("nccl" if cuda else "gloo")
    try:
        yield Processes(dist.get_rank(), dist.get_world_size())
    finally:
        dist.destroy_process_group()


class ParallelTrainer(Trainer):
    """A Trainer in each of several processes: together they take the steps that one Trainer takes on whole batches.

    Sums are taken in another order, so results agree up to rounding, not to the last bit. Dropout is seeded anew for every
    step and process: no two share a mask, and training resumed in as many processes draws what it would have drawn; but these
    are not the masks of a single process.
    """

    recordable = False  # each step reseeds its dropout and waits for the other processes

    def __init__(self, model: Transformer, task: Task, recipe: Recipe, among: Processes):
        if recipe.batch_size % among.count:
            raise _unequal_shares(recipe.batch_size, among.count)
        super().__init__(model, task, recipe)
        self._among = among

    def _differentiate(self, batch: Batch) -> Tensor:
        """The loss and the gradients of the whole batch, averaged over its tokens, over this process's rows and all others'."""
        if self.model.cfg.dropout > 0:
            own = random.Random(repr((self.recipe.seed, self.steps_taken, self._among.rank)))
            self._dropout.manual_seed(own.getrandbits(32))
        share = _rows(batch, self._among)
        loss = super()._differentiate(share)
        tokens = (share.labels != self.task.pad_id).sum()
        sums = torch.cat([self._gradients, loss[None], torch.ones_like(loss)[None]]) * tokens  # (parameters + 2,)
        dist.all_reduce(sums)
        sums /= sums[-1].clone()
        self._gradients.copy_(sums[:-2])
        return sums[-2]


def _unequal_shares(batch_size: int, count: int) -> InputError:
    below = batch_size - batch_size % count
    if not below:
        return InputError("a batch of {batch_size} cannot be split evenly over {count} processes; try batch size {above}",
                          batch_size=batch_size, count=count, above=count, nearest={"batch_size": (count,)})  # fmt: skip
    nearest = sorted((below, below + count), key=lambda size: abs(size - batch_size))
    return InputError(
        "a batch of {batch_size} cannot be split evenly over {count} processes; try batch size {below} or {above}",
        batch_size=batch_size, count=count, below=below, above=below + count, nearest={"batch_size": tuple(nearest)},
    )  # fmt: skip


def _rows(batch: Batch, among: Processes) -> Batch:
    """The rows of a batch that are this process's."""
    each = len(batch.src) // among.count
    mine = slice(among.rank * each, (among.rank + 1) * each)
    right = None if batch.right is None else batch.right.of_rows(mine.start, mine.stop)
    return Batch(batch.src[mine], batch.tgt[mine], batch.labels[mine], right)
