"""The names of settings and of their values on screen."""

from typing import Any

from explorer.i18n import N_, _
from explorer.ui.format import small

SETTING_NAMES = {  # the others keep their own names: d_model, d_ff, dropout
    "n_heads": N_("heads"), "n_layers": N_("layers"), "seed": N_("seed"), "norm": N_("norm"),
    "max_len": N_("longest source (max_len)"), "tgt_max_len": N_("longest target"), "final_norm": N_("final norms"),
    "attention_bias": N_("bias in attention"),
    "tie_embeddings": N_("tied embeddings"), "causal": N_("causal mask"), "norm_eps": N_("ε of layer norm"),
    "layer_norm": N_("layer norm"), "position": N_("positions"), "embedding_scale": N_("embeddings × √d_model"),
    "score": N_("score"), "residual": N_("residual connections"), "cross_attention": N_("cross-attention"),
    "activation": N_("activation"), "task": N_("task"), "symbols": N_("different symbols"),
    "length": N_("sequence length"), "steps": N_("maximum steps"),
    "batch_size": N_("batch size"), "rate": N_("peak learning rate"), "warmup": N_("warm-up steps"),
    "optimiser": N_("optimizer"), "betas": N_("Adam's β₁ and β₂"), "eps": N_("Adam's ε"),
    "label_smoothing": N_("label smoothing"), "clip": N_("gradient clipping"), "device": N_("device"),
    "evaluate_every": N_("steps between evaluations"), "evaluate_on": N_("sequences of an evaluation"),
    "precision": N_("precision"), "linear_warmup": N_("linear warm-up"), "schedule": N_("schedule"),
    "average": N_("share of the newest weights in the average"), "target": N_("target exact match"),
}  # fmt: skip
VALUE_NAMES: dict[Any, str] = {  # values that are words; the others are named as in the code
    True: N_("on"), False: N_("off"), "on": N_("on"), "off": N_("off"), "auto": N_("auto"),
    "words": N_("sentences"), "lengths": N_("lengths"), "post": N_("post"), "pre": N_("pre"),
}  # fmt: skip


def setting_name(name: str) -> str:
    return _(SETTING_NAMES[name]) if name in SETTING_NAMES else name


def value_name(value: Any) -> str:
    """Names a value of a setting; numbers are no words, though to Python 1 == True."""
    return _(VALUE_NAMES[value]) if isinstance(value, bool | str) and value in VALUE_NAMES else str(value)


def setting_words(name: str, value: Any) -> str:
    """Names a setting with its value: `heads 2`, `causal mask off`."""
    return f"{setting_name(name)} {setting_value(name, value)}"


def setting_value(name: str, value: Any) -> str:
    """Names the value alone."""
    if value is None:
        return _("the paper's") if name == "rate" else _("auto")
    if isinstance(value, float):
        return small(value, 6)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else value_name(value)
