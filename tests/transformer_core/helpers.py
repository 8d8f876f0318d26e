"""Models and batches that several tests use: different sizes everywhere, so that a swapped axis fails."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from transformer_core import Recipe, StepReport, Task, Trainer, TrainingState, Transformer, TransformerConfig
from transformer_core.analysis.torch_reference import check_same_shape, layers_as_ours
from transformer_core.data.vocabulary import Vocabulary

BATCH, SRC, TGT = 2, 7, 5

NEEDS_CUDA = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here"))
DEVICES = ["cpu", pytest.param("cuda", marks=NEEDS_CUDA)]


def config(**changes: Any) -> TransformerConfig:
    """d_k is 22; no two sizes are equal."""
    sizes: dict[str, Any] = {"src_vocab": 19, "tgt_vocab": 17, "d_model": 66, "n_heads": 3, "d_ff": 13, "n_layers": 2}
    return TransformerConfig(**(sizes | {"dropout": 0.0, "max_len": 40} | changes))


def generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@torch.no_grad()
def perturb(module: nn.Module, seed: int) -> None:
    """Moves every parameter by 0.1·randn: gains of 1 and biases of 0 would hide a norm too many or a bias too few."""
    draws = generator(seed)
    for parameter in module.parameters():
        parameter += 0.1 * torch.randn(parameter.shape, generator=draws)


def perturbed_model(cfg: TransformerConfig, seed: int = 0) -> Transformer:
    """In eval mode, no parameter left at a round number."""
    model = Transformer(cfg, generator(seed)).eval()
    perturb(model, seed + 100)
    return model


def token_ids(
    cfg: TransformerConfig, batch: int = BATCH, src: int = SRC, tgt: int = TGT, seed: int = 0
) -> tuple[Tensor, Tensor]:
    """Source and target ids; the last row's source ends in two padding tokens, the first row's target in one."""
    draws = generator(seed)
    src_ids = torch.randint(1, cfg.src_vocab, (batch, src), generator=draws)
    tgt_ids = torch.randint(1, cfg.tgt_vocab, (batch, tgt), generator=draws)
    src_ids[-1, -2:] = cfg.pad_id
    tgt_ids[0, -1:] = cfg.pad_id
    return src_ids, tgt_ids


def teach(
    model: Transformer,
    vocabulary: Vocabulary,
    answers: Mapping[tuple[str, ...], Mapping[tuple[str, ...], float]],
    steps: int = 100,
) -> Transformer:
    """Teaches a model without dropout a few sources' answers with these probabilities; it comes back in eval mode."""
    rows = [(src, answer, p) for src, of_it in answers.items() for answer, p in of_it.items()]

    def padded(ids: list[list[int]]) -> Tensor:
        return pad_sequence([torch.tensor(row) for row in ids], batch_first=True, padding_value=vocabulary.pad)

    src = padded([vocabulary.ids(source) for source, _, _ in rows])
    given = padded([vocabulary.ids(("<start>", *answer)) for _, answer, _ in rows])
    labels = padded([vocabulary.ids((*answer, "<end>")) for _, answer, _ in rows])
    weights = torch.tensor([p for _, _, p in rows])[:, None] * (labels != vocabulary.pad)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(steps):
        losses = F.cross_entropy(model(src, given).mT, labels, reduction="none")
        optimiser.zero_grad()
        (losses * weights).sum().backward()
        optimiser.step()
    return model.eval()


def train_steps(model: Transformer, task: Task, recipe: Recipe, state: TrainingState | None = None) -> Iterator[StepReport]:
    """Trains `model` in place, one report per step, up to step `recipe.steps`; starts from `state`, if given. After the last
    report the model gets the average of its weights, if the recipe has one.

    Raises:
        TrainingDiverged, InputError: as `Trainer` does.
    """
    trainer = Trainer(model, task, recipe)
    if state is not None:
        trainer.restore(state)
    while trainer.steps_taken < recipe.steps:
        yield trainer.step()
    model.load_state_dict(trainer.averaged().state_dict())


@torch.no_grad()
def load_torch_weights(model: Transformer, reference: nn.Transformer) -> None:
    """Copies the layers of an `nn.Transformer` of the same shape (it has no embeddings and no output projection).

    Raises:
        ValueError: where the two are built differently.
    """
    check_same_shape(model.cfg, reference)
    ours = dict(model.named_parameters())
    for name, parameter in layers_as_ours(reference).items():
        if name in ours:  # attention without biases has none to be copied
            ours[name].copy_(parameter)
