"""The link to `torch.nn.Transformer`, against which the model is checked: the same weights give the same output.

A decoder alone is torch's `nn.TransformerEncoder` with a causal mask: a layer without cross-attention is an encoder layer.
"""

from collections.abc import Callable
from typing import Any

from torch import Tensor, nn

from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import DECODER

# Ours -> torch's, within one layer.
_ENCODER_LAYER = {
    "self_attn": "self_attn",
    "feed_forward.w_1": "linear1",
    "feed_forward.w_2": "linear2",
    "self_attn_residual.norm": "norm1",
    "feed_forward_residual.norm": "norm2",
}
_DECODER_LAYER = {
    "self_attn": "self_attn",
    "cross_attn": "multihead_attn",
    "feed_forward.w_1": "linear1",
    "feed_forward.w_2": "linear2",
    "self_attn_residual.norm": "norm1",
    "cross_attn_residual.norm": "norm2",
    "feed_forward_residual.norm": "norm3",
}

# What torch has no option for, and what it always is there; of positions, those that are added before its layers begin.
ALWAYS_IN_TORCH: dict[str, tuple[Any, ...]] = {
    "layer_norm": ("standard",),
    "score": ("scaled_dot",),
    "residual": (True,),
    "cross_attention": (True,),
    "position": ("sinusoidal", "learned", "none"),
}


def without_counterpart(cfg: TransformerConfig) -> tuple[str, ...]:
    """The names of the settings that are as torch's layers cannot be; empty where they can be built alike."""
    always = ALWAYS_IN_TORCH | {"cross_attention": (cfg.has_encoder,)}
    return tuple(name for name, values in always.items() if getattr(cfg, name) not in values)


def torch_layers(cfg: TransformerConfig) -> nn.Module:
    """An `nn.Transformer` of the configuration's shape, in train mode without dropout: in eval mode it would take a path that
    zeroes padded rows. It is built from its parts, since by itself it ends both stacks in a norm. For a decoder alone, a module
    with an `nn.TransformerEncoder` as its `decoder`."""
    options: dict[str, Any] = {"dim_feedforward": cfg.d_ff, "dropout": 0.0, "batch_first": True}
    options |= {"norm_first": cfg.norm == "pre", "layer_norm_eps": cfg.norm_eps, "activation": cfg.activation}

    def norm() -> nn.LayerNorm | None:
        return nn.LayerNorm(cfg.d_model, cfg.norm_eps) if cfg.has_final_norm else None

    encoder_layer = nn.TransformerEncoderLayer(cfg.d_model, cfg.n_heads, **options)
    decoder_layer = nn.TransformerDecoderLayer(cfg.d_model, cfg.n_heads, **options)
    encoder = nn.TransformerEncoder(encoder_layer, cfg.n_layers, norm(), enable_nested_tensor=False)
    if not cfg.has_encoder:
        return nn.ModuleDict({DECODER: encoder})
    decoder = nn.TransformerDecoder(decoder_layer, cfg.n_layers, norm())
    return nn.Transformer(cfg.d_model, cfg.n_heads, custom_encoder=encoder, custom_decoder=decoder, batch_first=True)


def _as_it_is(parameter: Tensor) -> Tensor:
    return parameter


def layers_as_ours(reference: nn.Module, of: Callable[[Tensor], Tensor] = _as_it_is) -> dict[str, Tensor]:
    """All parameters of its layers and final norms by our names, or what `of` makes of them, such as gradients. torch keeps
    Q, K and V in one matrix: they are parts of it."""
    by_name: dict[str, Tensor] = {}
    for stack, theirs in reference.named_children():
        table = _ENCODER_LAYER if isinstance(theirs, nn.TransformerEncoder) else _DECODER_LAYER
        for i in range(len(reference.get_submodule(f"{stack}.layers"))):  # type: ignore[arg-type]
            for ours, origin in table.items():
                module = theirs.get_submodule(f"layers.{i}.{origin}")
                named = {name: of(parameter) for name, parameter in module.named_parameters()}
                if isinstance(module, nn.MultiheadAttention):
                    named = _attention_as_ours(named)
                by_name |= {f"{stack}.{i}.{ours}.{name}": value for name, value in named.items()}
        if theirs.norm is not None:
            norm = theirs.get_submodule("norm").named_parameters()
            by_name |= {f"{stack}_norm.{name}": of(parameter) for name, parameter in norm}
    return by_name


def _attention_as_ours(named: dict[str, Tensor]) -> dict[str, Tensor]:
    by_name: dict[str, Tensor] = {}
    for kind in ("weight", "bias"):
        parts = [*named[f"in_proj_{kind}"].chunk(3), named[f"out_proj.{kind}"]]
        by_name |= {f"{name}.{kind}": part for name, part in zip(("w_q", "w_k", "w_v", "w_o"), parts, strict=True)}
    return by_name
