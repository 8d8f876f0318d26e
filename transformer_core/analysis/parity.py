"""The model checked against `torch.nn.Transformer`: the same weights and the same sentences, and every stage that both have.

Every parameter is moved first, gains and biases as well: at initialisation a norm too many would not be seen. torch has neither
embeddings nor an output projection; both models are given ours.
"""

import copy
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.optim.adam import adam

from transformer_core.analysis.torch_reference import ALWAYS_IN_TORCH, layers_as_ours, torch_layers, without_counterpart
from transformer_core.data.batch import Batch
from transformer_core.errors import InputError
from transformer_core.model.attention import MultiHeadAttention
from transformer_core.model.config import Stacks, TransformerConfig
from transformer_core.model.scores import dot
from transformer_core.model.stages import (
    CROSS_ATTENTION,
    DECODER,
    ENCODER,
    FEED_FORWARD,
    LOGITS,
    MEMORY,
    OUTPUT,
    SELF_ATTENTION,
    SublayerPath,
    norm_stage,
    stacks_of,
)
from transformer_core.model.trace import Trace
from transformer_core.model.transformer import Transformer

Sabotage = Literal["swapped", "unscaled", "eps"]
SABOTAGES: tuple[Sabotage, ...] = get_args(Sabotage)  # Q and K swapped, no ÷ √d_k, another eps: in the first layer
TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-11}  # relative to the largest value; rounding stays below, and faults above
MOVED = 0.1  # standard normal numbers by which every parameter is moved
_RATE, _EPS = 1e-3, 1e-3  # of Adam; with a smaller eps a gradient that is nothing but rounding would make a whole step


@dataclass(frozen=True)
class Difference:
    """The difference of one tensor: the largest difference, and the largest value that it is compared with."""

    name: str
    largest: float
    size: float

    @property
    def relative(self) -> float:
        return self.largest / self.size if self.size else self.largest


@dataclass(frozen=True)
class Parity:
    """Every stage of a forward pass in the order in which the model computes them, the gradients of the loss, and the weights
    after one step of Adam, in one precision."""

    dtype: torch.dtype
    stages: list[Difference]
    gradients: list[Difference]
    step: list[Difference]
    seconds: float

    @property
    def worst(self) -> Difference:
        return max((*self.stages, *self.gradients, *self.step), key=lambda each: each.relative)

    def is_equal(self, difference: Difference) -> bool:
        return difference.relative <= TOLERANCE[self.dtype]

    @property
    def all_equal(self) -> bool:
        return self.is_equal(self.worst)

    @property
    def first_different(self) -> Difference | None:
        """The first stage that is not equal; None where all are."""
        return next((each for each in self.stages if not self.is_equal(each)), None)


def parity(model: Transformer, batch: Batch, dtype: torch.dtype, sabotage: Sabotage | None = None, seed: int = 0) -> Parity:
    """Runs both, forward, backward and one step of Adam.

    `sabotage`: what is broken in ours after the weights have been copied, so that one sees that it would be noticed.

    Raises:
        InputError: for a configuration that torch has no counterpart for.
    """
    begun = time.perf_counter()
    if lacking := without_counterpart(model.cfg):
        name = lacking[0]
        there = " or ".join(map(str, ALWAYS_IN_TORCH[name]))
        reason = f"{name} is {getattr(model.cfg, name)} here and {there} in the reference"
        raise InputError("torch.nn.Transformer has no counterpart for this model: {reason}", reason=reason)
    ours = moved(model, seed).to(dtype)
    theirs = torch_layers(ours.cfg).to(dtype)
    weights = dict(ours.named_parameters())
    with torch.no_grad():
        for name, place in layers_as_ours(theirs).items():
            place.copy_(weights[name]) if name in weights else place.zero_()
    if sabotage is not None:
        _break(ours, sabotage)
    stages, others = _traced(ours, batch), _forward(ours, theirs, batch)
    differences = _differences(stages, {name: others[name] for name in stages if name in others})
    of_ours = {name: weights[name] for name in layers_as_ours(theirs) if name in weights}

    def pairs(of: Callable[[Tensor], Tensor]) -> list[Difference]:
        other = layers_as_ours(theirs, of)
        return _differences(
            {name: of(each) for name, each in of_ours.items()}, {name: other[name] for name in of_ours}, together=True
        )

    gradients = pairs(lambda parameter: torch.zeros_like(parameter) if parameter.grad is None else parameter.grad)
    for parameters in (list(of_ours.values()), list(theirs.parameters())):
        _adam_step(parameters)
    return Parity(dtype, differences, gradients, pairs(lambda parameter: parameter), time.perf_counter() - begun)


@torch.no_grad()
def _adam_step(parameters: list[nn.Parameter]) -> None:
    """The first step of torch's Adam, by its function: to build the class takes seconds, in which torch loads its compiler."""
    trained = [each for each in parameters if each.grad is not None]
    means, squares = ([torch.zeros_like(each) for each in trained] for _ in range(2))
    gradients = [each.grad for each in trained if each.grad is not None]
    adam(
        list(trained), gradients, means, squares, [], [torch.zeros(()) for _ in trained],
        amsgrad=False, beta1=0.9, beta2=0.999, lr=_RATE, weight_decay=0.0, eps=_EPS, maximize=False,
    )  # fmt: skip


@torch.no_grad()
def moved(model: Transformer, seed: int) -> Transformer:
    """A copy in eval mode, with every parameter moved a little."""
    other, generator = copy.deepcopy(model).cpu().eval(), torch.Generator().manual_seed(seed)
    for parameter in other.parameters():
        parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=MOVED)
    return other


def _break(model: Transformer, sabotage: Sabotage) -> None:
    path = SublayerPath(stacks_of(model.cfg)[0], 0, SELF_ATTENTION)
    attention = model.get_submodule(path.module)
    assert isinstance(attention, MultiHeadAttention)
    if sabotage == "swapped":
        attention.w_q, attention.w_k = attention.w_k, attention.w_q
    elif sabotage == "unscaled":
        attention.score = dot
    else:
        norm: Any = model.get_submodule(path.norm_module)
        norm.eps *= 0.1


def _traced(model: Transformer, batch: Batch) -> dict[str, Tensor]:
    """Every stage of ours, and the gradients of the loss behind them."""
    with Trace() as trace:
        logits = model(batch.src, batch.tgt)
    F.cross_entropy(logits.mT, batch.labels, ignore_index=model.cfg.pad_id).backward()
    return {name: trace[name] for name in trace.stages}


def _forward(ours: Transformer, theirs: nn.Module, batch: Batch) -> dict[str, Tensor]:
    """The stages that torch has, by our names, and the gradients of the same loss."""
    outputs: dict[str, Tensor] = {}
    attentions: dict[str, tuple[nn.MultiheadAttention, tuple[Any, ...], dict[str, Any]]] = {}

    def note(name: str) -> Callable[[nn.Module, Any, Any], None]:
        return lambda module, given, gave: outputs.update({name: (gave[0] if isinstance(gave, tuple) else gave).detach()})

    def remember(name: str) -> Callable[[Any, Any, Any], None]:
        return lambda module, given, options: attentions.update({name: (module, given, options)})

    hooks = [module.register_forward_hook(note(name)) for name, module in _modules(theirs, ours.cfg).items()]
    for name, module in _modules(theirs, ours.cfg).items():
        if isinstance(module, nn.MultiheadAttention):
            hooks.append(module.register_forward_pre_hook(remember(name), with_kwargs=True))
    src_pad, tgt_pad = batch.src == ours.cfg.pad_id, batch.tgt == ours.cfg.pad_id
    future = torch.ones(batch.tgt.size(1), batch.tgt.size(1), dtype=torch.bool).triu(1) if ours.cfg.causal else None
    with torch.no_grad():
        y = ours.tgt_embedding(batch.tgt)
        x = ours.src_embedding(batch.src) if ours.cfg.has_encoder else None
    if x is None:
        out = theirs.get_submodule(DECODER)(y, mask=future, src_key_padding_mask=tgt_pad)
    else:
        out = theirs(
            x, y, tgt_mask=future, src_key_padding_mask=src_pad, tgt_key_padding_mask=tgt_pad, memory_key_padding_mask=src_pad
        )
    for hook in hooks:
        hook.remove()
    table = ours.tgt_embedding.table.weight.detach()
    logits = (
        F.linear(out, table) if ours.output is None else F.linear(out, ours.output.weight.detach(), ours.output.bias.detach())
    )
    F.cross_entropy(logits.mT, batch.labels, ignore_index=ours.cfg.pad_id).backward()
    with torch.no_grad():
        for name, (module, given, options) in attentions.items():
            asked = options | {"need_weights": True, "average_attn_weights": False}
            outputs[name.removesuffix("output") + "weights"] = module(*given, **asked)[1]
    return outputs | {LOGITS: logits.detach()}


def _modules(theirs: nn.Module, cfg: TransformerConfig) -> dict[str, nn.Module]:
    """The stages that are the output of one of torch's modules."""
    norm = norm_stage(pre=cfg.norm == "pre")
    two = {SELF_ATTENTION: ("self_attn", "norm1"), FEED_FORWARD: ("linear2", "norm2")}
    three = two | {CROSS_ATTENTION: ("multihead_attn", "norm2"), FEED_FORWARD: ("linear2", "norm3")}
    parts = {ENCODER: two, DECODER: three} if cfg.has_encoder else {DECODER: two}
    modules: dict[str, nn.Module] = {}
    for stack, named in parts.items():
        for i in range(cfg.n_layers):
            layer = theirs.get_submodule(f"{stack}.layers.{i}")
            for part, (output, of_norm) in named.items():
                path = SublayerPath(stack, i, part)
                modules[path.stage(norm)] = layer.get_submodule(of_norm)
                if part == FEED_FORWARD:
                    modules[path.stage("hidden")] = layer.get_submodule("linear1")
                modules[path.stage("output")] = layer.get_submodule(output)
    ends = {ENCODER: MEMORY, DECODER: OUTPUT}
    return modules | {ends[stack]: theirs.get_submodule(stack) for stack in parts}


def _differences(ours: dict[str, Tensor], theirs: dict[str, Tensor], together: bool = False) -> list[Difference]:
    """`together`: each is compared with the largest value of all. A bias of the keys has a gradient of nothing but rounding:
    the softmax cancels it."""
    sizes = {name: float(each.detach().abs().max()) for name, each in theirs.items()}
    most = max(sizes.values())
    return [
        Difference(name, float((ours[name] - each).detach().abs().max()), most if together else sizes[name])
        for name, each in theirs.items()
    ]


def random_case(seed: int, stacks: Stacks = "both") -> tuple[Transformer, Batch]:
    """A model of random sizes, and random rows with padding."""
    draw = random.Random(seed)
    heads, layers = draw.choice([1, 2, 3, 5]), draw.choice([1, 2, 3])
    vocab = draw.randint(11, 40)
    norm: Literal["pre", "post"] = "pre" if draw.random() < 0.5 else "post"
    cfg = TransformerConfig(
        src_vocab=vocab,
        tgt_vocab=vocab + draw.randint(0, 5),
        d_model=heads * 2 * draw.randint(2, 9),
        n_heads=heads,
        n_layers=layers,
        d_ff=draw.randint(5, 70),
        norm=norm,
        dropout=0.0,
        attention_bias=draw.random() < 0.7,
        max_len=40,
        stacks=stacks,
    )
    return Transformer(cfg, torch.Generator().manual_seed(seed)), random_batch(cfg, seed)


def random_batch(cfg: TransformerConfig, seed: int) -> Batch:
    """Three rows of random tokens; one source, where there are any, and one target end in padding."""
    generator, draw = torch.Generator().manual_seed(seed), random.Random(seed)
    src_len, tgt_len = draw.randint(4, 19), draw.randint(4, 17)
    src = torch.randint(1, cfg.src_vocab, (3, src_len), generator=generator)
    tgt = torch.randint(1, cfg.tgt_vocab, (3, tgt_len + 1), generator=generator)
    src[1, -2:] = tgt[2, -2:] = cfg.pad_id
    return Batch(src if cfg.has_encoder else src[:, :0], tgt[:, :-1], tgt[:, 1:])
