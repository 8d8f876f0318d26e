"""The cost of a model from its sizes: parameters by formula, the arithmetic of a pass, and the memory of training.

A plan asks here how long a model will take to learn, a reader of files whether it is small enough to be built.
`analysis.accounting` compares the formulas with a model as built.
"""

from dataclasses import replace
from functools import lru_cache

import torch
import torch.nn.functional as F
from torch import Tensor

from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import stacks_of
from transformer_core.model.transformer import shapes_only

_ROWS = 1_000_003  # a large prime batch size: a tensor whose size it divides grows with the batch


def count_by_formula(cfg: TransformerConfig) -> int:
    """The number of parameters, from the sizes alone: nothing is built, so any configuration is safe."""
    return sum(total for *_, total in parameter_formulas(cfg))


def parameter_formulas(cfg: TransformerConfig) -> list[tuple[str, str, str, int]]:
    """Each part's name, formula, the same in numbers, and result; d = d_model, f = d_ff, N = n_layers, V = vocabulary."""
    d, f, n, v_src, v_tgt = cfg.d_model, cfg.d_ff, cfg.n_layers, cfg.src_vocab, cfg.tgt_vocab
    if cfg.tie_embeddings == "all":
        rows = [("token embeddings, shared with the output", "V·d", f"{v_tgt}·{d}", v_tgt * d)]
    else:
        target = "target embeddings" if cfg.has_encoder else "token embeddings"
        target += ", shared with the output" if cfg.tie_embeddings == "output" else ""
        rows = [("source embeddings", "V_src·d", f"{v_src}·{d}", v_src * d)] if cfg.has_encoder else []
        rows.append((target, "V_tgt·d" if cfg.has_encoder else "V·d", f"{v_tgt}·{d}", v_tgt * d))
    if cfg.position == "learned":
        if cfg.has_encoder:
            rows.append(("source positions", "L_src·d", f"{cfg.max_len}·{d}", cfg.max_len * d))
        name = "target positions" if cfg.has_encoder else "positions"
        rows.append((name, "L_tgt·d" if cfg.has_encoder else "L·d", f"{cfg.longest_tgt}·{d}", cfg.longest_tgt * d))
    symbols, numbers, per_attention = _attention_formula(cfg)
    stacks = stacks_of(cfg)
    attentions = [f"{stack} self-attention" for stack in stacks] + ["cross-attention"] * cfg.cross_attention
    for name in attentions:
        rows.append((name, f"N·{symbols}", f"{n}·{numbers}", n * per_attention))
    for stack in stacks:
        rows.append((f"{stack} feed-forward", "N·(2df + f + d)", f"{n}·(2·{d}·{f} + {f} + {d})", n * (2 * d * f + f + d)))
    norms = len(attentions) + len(stacks)  # one per sublayer
    rows.append(("norms in the layers", f"{norms}N·2d", f"{norms}·{n}·2·{d}", norms * n * 2 * d))
    if cfg.has_final_norm:
        final = len(stacks)
        rows.append(("final norms", "2·2d" if final == 2 else "2d", f"2·2·{d}" if final == 2 else f"2·{d}", final * 2 * d))
    if cfg.has_output_bias:
        rows.append(
            (
                "output projection",
                "V_tgt·d + V_tgt" if cfg.has_encoder else "V·d + V",
                f"{v_tgt}·{d} + {v_tgt}",
                v_tgt * d + v_tgt,
            )
        )
    return rows


def _attention_formula(cfg: TransformerConfig) -> tuple[str, str, int]:
    """One attention: the four projections, and the parameters of a score other than the dot product (k = d_k)."""
    d, k = cfg.d_model, cfg.d_k
    symbols, numbers, count = "4(d² + d)", f"4·({d}² + {d})", 4 * (d * d + d)
    if not cfg.attention_bias:
        symbols, numbers, count = "4d²", f"4·{d}²", 4 * d * d
    extra = {"additive": ("2k² + k", f"2·{k}² + {k}"), "concat_linear": ("2k + 1", f"2·{k} + 1")}
    if cfg.score not in extra:
        return symbols, numbers, count
    more_symbols, more_numbers = extra[cfg.score]
    return f"({symbols} + {more_symbols})", f"({numbers} + {more_numbers})", count + score_parameters(cfg)


def score_parameters(cfg: TransformerConfig) -> int:
    """The parameters of one attention's score, if it has any."""
    return {"additive": 2 * cfg.d_k**2 + cfg.d_k, "concat_linear": 2 * cfg.d_k + 1}.get(cfg.score, 0)


def forward_flops(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> dict[str, int]:
    """Floating-point operations of one forward pass by part, 2 per multiply-add; matrix products only, the rest is small."""
    layers = batch * cfg.n_layers

    def attention(queries: int, keys: int) -> int:
        return layers * sum(attention_flops(cfg, queries, keys).values())

    def feed_forward(length: int) -> int:
        return layers * sum(feed_forward_flops(cfg, length).values())

    return {
        "encoder self-attention": attention(src_len, src_len) if cfg.has_encoder else 0,
        "encoder feed-forward": feed_forward(src_len) if cfg.has_encoder else 0,
        "decoder self-attention": attention(tgt_len, tgt_len),
        "cross-attention": attention(tgt_len, src_len) if cfg.cross_attention else 0,
        "decoder feed-forward": feed_forward(tgt_len),
        "output projection": batch * logits_flops(cfg, tgt_len),
    }


def attention_flops(cfg: TransformerConfig, queries: int, keys: int) -> dict[str, int]:
    """Floating-point operations of one attention on one pair of sequences, by the names of its stages."""
    d, project = cfg.d_model, 2 * cfg.d_model**2
    compare = {
        "additive": {
            "scores": 2 * d * cfg.d_k * (queries + keys) + 2 * queries * keys * d
        },  # W's halves; per pair, add, sum up
        "concat_linear": {"scores": 2 * d * (queries + keys)},
    }.get(cfg.score, {"products": 2 * queries * keys * d})  # q·k
    projections = {"q": queries * project, "k": keys * project, "v": keys * project, "output": queries * project}
    return projections | compare | {"context": 2 * queries * keys * d}  # weights·v


def feed_forward_flops(cfg: TransformerConfig, length: int) -> dict[str, int]:
    """The same of one feed-forward network on one sequence."""
    product = 2 * length * cfg.d_model * cfg.d_ff
    return {"hidden": product, "output": product}


def logits_flops(cfg: TransformerConfig, tgt_len: int) -> int:
    """The same of the output projection on one target."""
    return 2 * tgt_len * cfg.d_model * cfg.tgt_vocab


def training_bytes(cfg: TransformerConfig, batch: int, src_len: int, tgt_len: int) -> int:
    """Bytes that training in float32 takes: weights, gradients and Adam's two moments, and the tensors that the forward pass
    keeps for the backward pass, counted by running the model on "meta", without any memory. (Fused attention keeps less.)

    All layers keep the same amount, so one additional layer is measured and multiplied.
    """
    (one, one_row), (two, two_row) = (_kept_bytes(replace(cfg, n_layers=n), src_len, tgt_len) for n in (1, 2))
    one, two = one + batch * one_row, two + batch * two_row
    return 4 * 4 * count_by_formula(cfg) + one + (cfg.n_layers - 1) * (two - one)


@lru_cache(maxsize=256)
def _kept_bytes(cfg: TransformerConfig, src_len: int, tgt_len: int) -> tuple[int, int]:
    """Bytes that the forward pass keeps for the backward pass, without the weights: for any batch, and more for each row."""
    model = shapes_only(cfg).train()
    lengths = src_len if cfg.has_encoder else 0, tgt_len
    src, tgt = (torch.zeros(_ROWS, length, dtype=torch.long, device="meta") for length in lengths)
    weights = {parameter.untyped_storage()._cdata for parameter in model.parameters()}
    kept: dict[int, Tensor] = {}  # one tensor per storage; while it is held, no other can get its address

    def keep(tensor: Tensor) -> Tensor:
        kept[tensor.untyped_storage()._cdata] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        F.cross_entropy(model(src, tgt).mT, tgt)
    sizes = [kept[storage].untyped_storage().nbytes() for storage in kept.keys() - weights]
    return sum(size for size in sizes if size % _ROWS), sum(size // _ROWS for size in sizes if size % _ROWS == 0)
