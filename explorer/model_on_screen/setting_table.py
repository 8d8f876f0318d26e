"""Every setting of a model and of a training run: its name on screen, its help, its range, and where the sidebar shows it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from explorer import limits
from explorer.i18n import N_

Group = Literal["common", "more", "variant"]  # always there · folded · folded, where textbooks differ
Range = tuple[float, float, float]  # lowest, highest, step


@dataclass(frozen=True)
class Setting:
    """How one setting is shown.

    Attributes:
        label: its name on screen; one that is not a word is called as in the code.
        help: a sentence or two beside its control.
        range: of a number.
        group: its place in the sidebar; None for one that has a place of its own, or is no setting of the model.
    """

    label: str
    help: str = ""
    range: Range | None = None
    group: Group | None = None


MODEL: Mapping[str, Setting] = {  # by the fields of `settings.ModelSettings`, in the order of the sidebar
    "task": Setting(
        N_("task"),
        N_(
            "What the model learns. With every setting it is shown as it is after learning, and at earlier steps. Models of "
            "different settings may have learned for a different time, and from different data."
        ),
    ),
    "step": Setting("step", range=(0, 10**9, 1)),
    "src_len": Setting(N_("source length"), N_("Random words for the encoder."), (1, limits.MAX_LENGTH, 1)),
    "tgt_len": Setting(
        N_("target length"), N_("Random words for the decoder, after the start token."), (1, limits.MAX_LENGTH - 1, 1)
    ),
    "d_model": Setting(
        "d_model", N_("Width: how many numbers stand for one token between all sublayers."), (8, 512, 8), "common"
    ),
    "n_heads": Setting(
        N_("heads"),
        N_("How many attentions run side by side: each reads the whole vector, and puts out its share of the width."),
        (1, 16, 1),
        "common",
    ),
    "n_layers": Setting(N_("layers"), N_("Layers in the encoder, and as many in the decoder."), (1, 6, 1), "common"),
    "norm": Setting(
        N_("norm"),
        N_("Layer norm after each residual connection (post, the paper) or before each sublayer (pre)."),
        group="common",
    ),
    "input": Setting(N_("input"), N_("Type a sentence, or only say how long it is."), group="more"),
    "tgt": Setting(
        N_("decoder input"),
        N_(
            "What the decoder is given, after the start token. Empty: the answer that the model gives when it has "
            "learned, at every step of its learning."
        ),
        group="more",
    ),
    "seed": Setting(
        N_("seed"),
        N_("Decides the first weights and the training data: the same seed gives the same model."),
        (0, 2**31 - 1, 1),
        "more",
    ),
    "d_ff": Setting("d_ff", N_("Inner width of the feed-forward network."), (16, 2048, 16), "more"),
    "dropout": Setting("dropout", N_("Share of values set to zero, in training only."), (0.0, 0.5, 0.05), "more"),
    "position": Setting(
        N_("positions"),
        N_(
            "How the model knows where a word stands. Added to each word: sinusoids (the paper), or a learned table. Known to "
            "attention: rotary turns queries and keys, ALiBi lowers the scores of words far apart. Or not at all."
        ),
        group="variant",
    ),
    "cross_position": Setting(
        N_("positions in cross-attention"),
        N_("On: rotary or ALiBi also compare the place of a target word with that of a source word."),
        group="variant",
    ),
    "score": Setting(
        N_("score"), N_("How a query is compared with a key: q·k ÷ √d_k (the paper), q·k, or a small network."), group="variant"
    ),
    "causal": Setting(N_("causal mask"), N_("Off: the decoder sees the tokens that it is to predict."), group="variant"),
    "cross_attention": Setting(N_("cross-attention"), N_("Off: the decoder knows nothing of the source."), group="variant"),
    "residual": Setting(N_("residual connections"), N_("Off: a sublayer's input is not added to its output."), group="variant"),
    "layer_norm": Setting(
        N_("layer norm"),
        N_("“unbiased_std” divides by the standard deviation over d_model − 1, plus eps, as some notes do."),
        group="variant",
    ),
    "final_norm": Setting(N_("final norms"), N_("One more norm after each stack; auto: for “pre” only."), group="variant"),
    "activation": Setting(N_("activation"), N_("The non-linearity inside the feed-forward network."), group="variant"),
    "embedding_scale": Setting(N_("embeddings × √d_model"), N_("Off: token embeddings enter as they are."), group="variant"),
    "attention_bias": Setting(N_("bias in attention"), N_("Whether the four projections add a bias."), group="variant"),
    "tie_embeddings": Setting(
        N_("tied embeddings"), N_("Which embeddings share one matrix with the output projection."), group="variant"
    ),
    "norm_eps": Setting(
        N_("ε of layer norm"),
        N_("The small number of layer norm, which prevents a division by 0: 10⁻⁵ in torch, 10⁻⁶ in some notes."),
        (1e-12, 0.9, 1e-12),
        "more",
    ),
    "max_len": Setting(  # the longest sequences of the tasks fit
        N_("longest source (max_len)"),
        N_("Positions that the model has, in tokens; learned ones have a row each."),
        (64, 5000, 1),
        "more",
    ),
    "tgt_max_len": Setting(
        N_("longest target"),
        N_("Positions of the decoder, where it has another number of them. 0: as many."),
        (0, 5000, 1),
        "more",
    ),
}
DECODER_ALONE: Mapping[str, Setting] = {  # what is said otherwise of a decoder alone
    "tgt_len": Setting(N_("text length"), N_("Random words, after the start token.")),
    "n_layers": Setting(N_("layers"), N_("Layers of the decoder, which is the whole model.")),
    "causal": Setting(N_("causal mask"), N_("Off: the model sees the tokens that it is to predict.")),
    "final_norm": Setting(N_("final norm"), N_("One more norm after the last layer; auto: for “pre” only.")),
    "tie_embeddings": Setting(N_("tied embeddings"), N_("Whether the embedding and the output projection share one matrix.")),
    "target": Setting(
        N_("target, tokens right"),
        N_(
            "Training stops at the first evaluation at which this share of the tokens that held-out texts decide is predicted "
            "right, each behind the right ones before it."
        ),
    ),
    "max_len": Setting(
        N_("longest text (max_len)"), N_("Positions that the model has, in tokens; learned ones have a row each.")
    ),
}
RUN: Mapping[str, Setting] = {  # by the fields of a recipe, a task and an evaluation
    "symbols": Setting(N_("different symbols"), N_("The numbers from 1 to this one."), (2, 50, 1)),
    "length": Setting(N_("sequence length"), N_("Numbers in a sequence; the first is always 1."), (2, 32, 1)),
    "target": Setting(
        N_("target exact match"),
        N_(
            "Training stops at the first evaluation at which this share of the held-out sequences is answered without an "
            "error; where several answers are right, each of them counts."
        ),
    ),
    "batch_size": Setting(N_("batch size"), N_("Sequences in each training step."), (4, 256, 4)),
    "steps": Setting(N_("maximum steps"), N_("Training stops here at the latest."), (50, 5000, 50)),
    "rate": Setting(
        N_("peak learning rate"),
        N_("How large the updates are when they are largest. If it is too high, little or nothing may be learned."),
    ),
    "warmup": Setting(
        N_("warm-up steps"),
        N_("The learning rate rises to its peak over this many steps, and then falls; 4,000 in the paper."),
        (1, 4000, 1),
    ),
    "clip": Setting(N_("gradient clipping"), N_("A gradient with a larger norm is scaled down to this norm.")),
    "label_smoothing": Setting(
        N_("label smoothing"),
        N_("The share of the target probability that is spread over all tokens; 0.1 in the paper."),
        (0.0, 0.3, 0.05),
    ),
    "optimiser": Setting(N_("optimizer"), N_("Adam adapts the size of the update for each parameter; SGD does not.")),
    "betas": Setting(N_("Adam's β₁ and β₂")),
    "eps": Setting(N_("Adam's ε"), N_("Keeps the updates from being divided by 0; 10⁻⁹ in the paper.")),
    "device": Setting(
        N_("device"),
        N_(
            "The CPU is enough for models this small. cuda needs an NVIDIA graphics card and a build of PyTorch with CUDA; it "
            "multiplies wide models (512) in half precision. mps needs a Mac with an Apple chip. A device that this server "
            "lacks is not offered."
        ),
    ),
    "evaluate_every": Setting(N_("steps between evaluations")),
    "evaluate_on": Setting(N_("sequences of an evaluation")),
    "precision": Setting(N_("precision")),
    "linear_warmup": Setting(N_("linear warm-up")),
    "schedule": Setting(N_("schedule")),
    "average": Setting(N_("share of the newest weights in the average")),
}
SETTINGS: Mapping[str, Setting] = {**MODEL, **RUN}


def in_group(group: Group) -> tuple[str, ...]:
    """Returns the names of the settings of a group, in the order of the sidebar."""
    return tuple(name for name, setting in MODEL.items() if setting.group == group)
