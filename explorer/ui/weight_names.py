"""The names of a model's matrices, and of their weights, on screen."""

import re

from explorer.i18n import N_, _
from transformer_core.analysis.weight_edit import WeightEdit, value_text

_LAYER = re.compile(r"^(encoder|decoder)\.(\d+)\.")
_WHERE = {"encoder": N_("encoder"), "decoder": N_("decoder"), "cross_attn": N_("cross")}
_WHAT = {  # the end of a parameter's name -> what it is called
    "w_q": "W_Q",
    "w_k": "W_K",
    "w_v": "W_V",
    "w_o": "W_O",
    "w_1": "W_1",
    "w_2": "W_2",
    "self_attn_residual.norm": N_("norm at self-attention"),
    "cross_attn_residual.norm": N_("norm at cross-attention"),
    "feed_forward_residual.norm": N_("norm at feed-forward"),
}
_ALONE = {
    "src_embedding.table": N_("words of the source"),
    "tgt_embedding.table": N_("words of the target"),
    "src_embedding.positions": N_("positions of the source"),
    "tgt_embedding.positions": N_("positions of the target"),
    "encoder_norm": N_("encoder · last norm"),
    "decoder_norm": N_("decoder · last norm"),
    "output": N_("output"),
}


def kind_of(parameter: str) -> str:
    """Returns what a parameter is, whatever its layer: `encoder.self_attn.w_q`."""
    return _LAYER.sub(r"\1.", parameter).removesuffix(".weight")


def layer_of(parameter: str) -> int | None:
    """Returns the layer of a parameter, from 0; None if it is of no layer."""
    found = _LAYER.match(parameter)
    return None if found is None else int(found[2])


def kind_title(kind: str) -> str:
    """Names a matrix without its layer: `cross · W_V`; one without a name is called as in the code."""
    if kind in _ALONE:
        return _(_ALONE[kind])
    stack, _dot, rest = kind.partition(".")
    part, _dot, last = rest.rpartition(".")
    what = _WHAT.get(rest) or _WHAT.get(last)
    if stack not in _WHERE or what is None:
        return kind
    where = "cross_attn" if part == "cross_attn" else stack
    return _("{where} · {what}").format(where=_(_WHERE[where]), what=_(what) if " " in what else what)


def edit_title(edit: WeightEdit) -> str:
    """Names a changed weight and its value: `cross · W_V · layer 1 [3, 5] = 8`."""
    return f"{weight_title(edit)} = {value_text(edit.value).replace('-', '−')}"


def weight_title(edit: WeightEdit) -> str:
    """Names the weight alone."""
    name, layer = kind_title(kind_of(edit.parameter)), layer_of(edit.parameter)
    if layer is not None:
        name = _("{matrix} · layer {layer}").format(matrix=name, layer=layer)
    return f"{name} [{', '.join(map(str, edit.index))}]"
