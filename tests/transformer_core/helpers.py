"""Models and batches that several tests use: different sizes everywhere, so that a swapped axis fails."""

import random
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence

from transformer_core import Recipe, StepReport, Task, Trace, Trainer, TrainingState, Transformer, TransformerConfig
from transformer_core.analysis.torch_reference import layers_as_ours
from transformer_core.data.vocabulary import Vocabulary
from transformer_core.model.config import CHOICES
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import LearningPlan

BATCH, SRC, TGT = 2, 7, 5

NEEDS_CUDA = (pytest.mark.gpu, pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no CUDA device here"))
DEVICES = ["cpu", pytest.param("cuda", marks=NEEDS_CUDA)]


def config(**changes: Any) -> TransformerConfig:
    """d_k is 22; no two sizes are equal."""
    sizes: dict[str, Any] = {"src_vocab": 19, "tgt_vocab": 17, "d_model": 66, "n_heads": 3, "d_ff": 13, "n_layers": 2}
    return TransformerConfig(**(sizes | {"dropout": 0.0, "max_len": 40} | changes))


def any_configuration(seed: int, **changes: Any) -> TransformerConfig:
    """Random sizes, every switch thrown one way or another."""
    draw = random.Random(seed)
    switches: dict[str, Any] = {name: draw.choice(choices) for name, choices in CHOICES.items()}
    if {"stacks": switches["stacks"], **changes}["stacks"] == "decoder" and switches["tie_embeddings"] == "all":
        switches["tie_embeddings"] = "output"  # there is no source embedding to share
    heads, src_vocab = draw.choice([1, 3, 4]), draw.randint(20, 29)
    sizes: dict[str, Any] = {
        "tgt_vocab": src_vocab if switches["tie_embeddings"] == "all" else draw.randint(30, 39),
        "d_model": heads * draw.randint(11, 13),
        "d_ff": draw.randint(60, 70),
        "n_layers": draw.randint(1, 3),
        "max_len": draw.randint(8, 10),
        "tgt_max_len": draw.choice([None, 6]),
        "dropout": draw.choice([0.0, 0.3]),
        "pad_id": draw.randint(0, 2),
    }
    chosen = sizes | switches | changes
    if chosen["position"] == "rotary" and "d_model" not in changes:  # turns pairs of dimensions
        chosen["d_model"] = heads * 12
    return TransformerConfig(src_vocab, n_heads=heads, **chosen)


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
    """Source and target ids; the last row's source ends in two padding tokens, the first row's target in one. A decoder alone
    has sources of no tokens, and the same targets."""
    draws = generator(seed)
    src_ids = torch.randint(1, cfg.src_vocab, (batch, src), generator=draws)
    tgt_ids = torch.randint(1, cfg.tgt_vocab, (batch, tgt), generator=draws)
    src_ids[-1, -2:] = cfg.pad_id
    tgt_ids[0, -1:] = cfg.pad_id
    return src_ids if cfg.has_encoder else src_ids[:, :0], tgt_ids


@torch.no_grad()
def first_row(model: Transformer, src: Tensor, tgt: Tensor) -> dict[str, np.ndarray]:
    """All stages of one pass, of its first row."""
    with Trace() as trace:
        model(src[:1], tgt[:1])
    return {name: (trace[name][0] if stage.axes[0] == "batch" else trace[name]).numpy() for name, stage in trace.stages.items()}


def arrays(model: Transformer) -> dict[str, np.ndarray]:
    """Its weights, by name."""
    return {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}


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


def carried_out(plan: LearningPlan, keep: Sequence[int] | None = None) -> Learning:
    """A plan that has been followed to its end."""
    learning = Learning(plan, keep)
    while learning.outcome is None:
        learning.step()
    return learning


@torch.no_grad()
def load_torch_weights(model: Transformer, reference: nn.Transformer) -> None:
    """Copies the layers of an `nn.Transformer` of the same shape (it has no embeddings and no output projection)."""
    ours = dict(model.named_parameters())
    for name, parameter in layers_as_ours(reference).items():
        if name in ours:  # attention without biases has none to be copied
            ours[name].copy_(parameter)
