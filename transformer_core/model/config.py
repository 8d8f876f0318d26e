"""The one description of a model: every size and every option, checked before anything is built."""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args, get_origin, get_type_hints

from transformer_core.errors import InputError

Norm = Literal["post", "pre"]
TiedEmbeddings = Literal["none", "output", "all"]
LayerNormName = Literal["standard", "unbiased_std"]
Position = Literal["sinusoidal", "learned", "none", "rotary", "alibi"]
ScoreName = Literal["scaled_dot", "dot", "additive", "concat_linear"]
Activation = Literal["relu", "gelu"]
Stacks = Literal["both", "decoder"]


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes and options of a Transformer; the defaults are the paper's base model (section 3, table 3).

    Frozen and hashable, so it can be a cache key.

    Attributes:
        src_vocab, tgt_vocab: number of token ids on the encoder's and on the decoder's side.
        d_model: width of a token's vector between all sublayers (section 3.1).
        n_heads: attention heads; each works on d_k = d_v = d_model / n_heads dimensions (section 3.2.2).
        d_ff: inner width of the feed-forward network (section 3.3).
        n_layers: layers in the encoder, and as many in the decoder (N in figure 1).
        dropout: probability of setting a value to zero in training (section 5.4).
        max_len: longest sequence, in tokens: there are no positions beyond it.
        tgt_max_len: the same for the decoder; None means max_len.
        norm: "post" normalises after each residual connection (the paper), "pre" before each sublayer.
        final_norm: one more norm at the end of each stack; None means yes for "pre", no for "post".
        attention_bias: whether the four projections of attention add a bias.
        tie_embeddings: "none"; "output": target embedding and output projection share one matrix; "all": the source embedding
            shares it as well (section 3.4). An untied output projection has a bias, a tied one has none.
        causal: whether a target position is prevented from attending to later ones (section 3.2.3).
        pad_id: the id of the padding token.
        norm_eps: the small number that prevents layer norm from dividing by 0.
        layer_norm: "standard", (x-mean)/√(variance + eps); "unbiased_std", (x-mean)/(std + eps) with the standard deviation
            over n-1, as some textbooks have it.
        position: "sinusoidal" (section 3.5); "learned", a matrix of max_len rows, like the token embedding; "none". With
            the others nothing is added: "rotary" turns queries and keys, "alibi" lowers scores with the distance.
        embedding_scale: whether token embeddings are multiplied by √d_model before the positions are added (section 3.4).
        score: how a query is compared with a key (section 3.2.1): "scaled_dot" (q·k)/√d_k, "dot" q·k, "additive" the sum of
            tanh(W[q;k]), "concat_linear" w·[q;k] + b.
        residual: whether each sublayer's input is added to its output (section 3.1).
        cross_attention: whether the decoder attends to the encoder's output; without it, it only continues its own sequence.
        activation: the non-linearity of the feed-forward network: "relu" (section 3.3) or "gelu".
        stacks: "both" (figure 1), or "decoder": the decoder alone, as in GPT. Such a model has no encoder, no source embedding
            and no `cross_attention`, whatever is given: there is nothing to attend to. Its sources have no tokens.
        cross_position: whether "rotary" or "alibi" count in cross-attention, too: there between the position of a target token
            and that of a source token, each from 0. Off for all other positions, whatever is given.

    Raises:
        InputError: for what cannot be built; names the values and the nearest ones that can.
    """

    src_vocab: int
    tgt_vocab: int
    d_model: int = 512
    n_heads: int = 8
    d_ff: int = 2048
    n_layers: int = 6
    dropout: float = 0.1
    max_len: int = 256
    tgt_max_len: int | None = None
    norm: Norm = "post"
    final_norm: bool | None = None
    attention_bias: bool = True
    tie_embeddings: TiedEmbeddings = "none"
    causal: bool = True
    pad_id: int = 0
    norm_eps: float = 1e-5
    layer_norm: LayerNormName = "standard"
    position: Position = "sinusoidal"
    embedding_scale: bool = True
    score: ScoreName = "scaled_dot"
    residual: bool = True
    cross_attention: bool = True
    activation: Activation = "relu"
    stacks: Stacks = "both"
    cross_position: bool = False

    def __post_init__(self) -> None:
        for name in ("src_vocab", "tgt_vocab", "d_model", "n_heads", "d_ff", "n_layers", "max_len", "tgt_max_len"):
            value = getattr(self, name)
            if name == "tgt_max_len" and value is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool) or value < 1:
                raise InputError("{name} must be a whole number of at least 1, not {value}", name=name, value=repr(value))
        if self.d_model % self.n_heads:
            raise _indivisible(self.d_model, self.n_heads)
        if not isinstance(self.dropout, (int, float)) or not 0 <= self.dropout < 1:
            raise InputError("dropout must be at least 0 and below 1, not {value}", value=repr(self.dropout))
        if not isinstance(self.norm_eps, (int, float)) or not 0 < self.norm_eps < 1:
            raise InputError("norm_eps must lie between 0 and 1, not {value}", value=repr(self.norm_eps))
        for name, choices in CHOICES.items():
            value = getattr(self, name)
            if not any(type(value) is type(choice) and value == choice for choice in choices):
                known = ", ".join(map(repr, choices))
                raise InputError(
                    "{name} must be one of {choices}, not {value}",
                    name=name,
                    choices=known,
                    value=repr(value),
                    nearest={name: choices},
                )
        if not self.has_encoder:
            object.__setattr__(self, "cross_attention", False)
        if not self.has_position_in_attention or not self.cross_attention:
            object.__setattr__(self, "cross_position", False)
        if self.position == "rotary" and self.d_k % 2:
            raise _unpaired(self.d_model, self.n_heads)
        if self.tie_embeddings == "all" and not self.has_encoder:
            raise InputError(
                'tie_embeddings "all" needs a source embedding, which a decoder alone has not; try "output"',
                nearest={"tie_embeddings": ("output", "none")},
            )
        if self.tie_embeddings == "all" and self.src_vocab != self.tgt_vocab:
            raise InputError(
                'tie_embeddings "all" needs vocabularies of the same size, not {src_vocab} and {tgt_vocab}; try "output"',
                src_vocab=self.src_vocab,
                tgt_vocab=self.tgt_vocab,
                nearest={"tie_embeddings": ("output", "none")},
            )
        if self.layer_norm == "unbiased_std" and self.d_model < 2:
            raise InputError(
                'layer_norm "unbiased_std" divides by d_model - 1, which is 0 here; try d_model 2',
                nearest={"d_model": (2,), "layer_norm": ("standard",)},
            )
        smaller = min(self.src_vocab, self.tgt_vocab) if self.has_encoder else self.tgt_vocab
        if not isinstance(self.pad_id, int) or not 0 <= self.pad_id < smaller:
            raise InputError(
                "pad_id {value} is not in a vocabulary of {vocab} ids; try 0",
                value=repr(self.pad_id),
                vocab=smaller,
                nearest={"pad_id": (0,)},
            )

    @property
    def has_encoder(self) -> bool:
        """True if there is a source to read."""
        return self.stacks == "both"

    @property
    def has_position_in_attention(self) -> bool:
        """True if positions are not added to embeddings, but attention itself knows them."""
        return self.position in ("rotary", "alibi")

    @property
    def d_k(self) -> int:
        """Width of one head's queries and keys."""
        return self.d_model // self.n_heads

    @property
    def d_v(self) -> int:
        """Width of one head's values; the paper sets it equal to d_k."""
        return self.d_k

    @property
    def longest_tgt(self) -> int:
        """Longest target sequence, in tokens."""
        return self.max_len if self.tgt_max_len is None else self.tgt_max_len

    @property
    def longest_read(self) -> int:
        """Longest sequence that is read first, in tokens: a source, or the text of a decoder alone."""
        return self.max_len if self.has_encoder else self.longest_tgt

    @property
    def read_vocab(self) -> int:
        """Number of tokens that can be read first."""
        return self.src_vocab if self.has_encoder else self.tgt_vocab

    @property
    def has_final_norm(self) -> bool:
        """True if each stack ends in a norm."""
        return self.norm == "pre" if self.final_norm is None else self.final_norm

    @property
    def has_score_weights(self) -> bool:
        """Whether the score has weights of its own; how many depends on the number of heads."""
        return self.score in ("additive", "concat_linear")

    @property
    def has_output_bias(self) -> bool:
        """Whether the output projection has a bias, and so a matrix of its own."""
        return self.tie_embeddings == "none"

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "TransformerConfig":
        """The configuration that `dataclasses.asdict` produced; unknown or missing names raise InputError."""
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise InputError("unknown setting {name}", name=repr(unknown[0]))
        try:
            return cls(**values)
        except TypeError as error:
            raise InputError("incomplete settings: {error}", error=str(error)) from error


def choices_of(hint: Any) -> tuple[Any, ...]:
    """The values of a setting with this type, if it has only a few; empty for a number or a text."""
    if hint is bool:
        return (True, False)
    if hint == bool | None:
        return (None, True, False)
    return get_args(hint) if get_origin(hint) is Literal else ()


# By name, the values of each setting that has only a few.
CHOICES = {name: values for name, hint in get_type_hints(TransformerConfig).items() if (values := choices_of(hint))}


def _indivisible(d_model: int, n_heads: int) -> InputError:
    """Two remedies: another number of heads for this width, or another (sensible) width for these heads."""
    heads = [h for h in range(1, min(d_model, 1024) + 1) if d_model % h == 0]
    widths = [d for d in range(8, 513) if d % n_heads == 0]
    nearest = {
        "n_heads": tuple(sorted(heads, key=lambda h: abs(h - n_heads))),
        "d_model": tuple(sorted(widths, key=lambda d: abs(d - d_model))),
    }
    below, above = max(h for h in heads if h < n_heads), min((h for h in heads if h > n_heads), default=None)
    if above is None:
        return InputError(
            "d_model {d_model} cannot be split over {n_heads} heads; try {below}",
            d_model=d_model,
            n_heads=n_heads,
            below=below,
            nearest=nearest,
        )
    return InputError(
        "d_model {d_model} cannot be split over {n_heads} heads; try {below} or {above}",
        d_model=d_model,
        n_heads=n_heads,
        below=below,
        above=above,
        nearest=nearest,
    )


def _unpaired(d_model: int, n_heads: int) -> InputError:
    """Three remedies: the two above, with an even number of dimensions in each head, or other positions."""
    heads = [h for h in range(1, d_model // 2 + 1) if d_model % (2 * h) == 0]
    widths = [d for d in range(8, 513) if d % (2 * n_heads) == 0]
    return InputError(
        'position "rotary" turns pairs of dimensions, and a head has {d_k} here; make d_model a multiple of {multiple}',
        d_k=d_model // n_heads,
        multiple=2 * n_heads,
        nearest={
            "n_heads": tuple(sorted(heads, key=lambda h: abs(h - n_heads))),
            "d_model": tuple(sorted(widths, key=lambda d: abs(d - d_model))),
            "position": ("sinusoidal",),
        },
    )


PRESETS: dict[str, TransformerConfig] = {
    # Learns to copy ten numbers in a second or two on one CPU thread: for a room of people who all train at once.
    "tiny": TransformerConfig(src_vocab=11, tgt_vocab=11, d_model=64, n_heads=4, d_ff=128, n_layers=1, dropout=0.0, norm="pre"),
    # The same width, twice as deep: learns to translate small sentences in seconds.
    "small": TransformerConfig(
        src_vocab=11, tgt_vocab=11, d_model=64, n_heads=4, d_ff=128, n_layers=2, dropout=0.0, norm="pre"
    ),
    # The model of many lecture notes: a norm before each sublayer and after each stack, in their version.
    "lesson": TransformerConfig(src_vocab=11, tgt_vocab=11, norm="pre", layer_norm="unbiased_std", norm_eps=1e-6, max_len=5000),
    # The paper's arrangement, made compact: norm after the sum, in the version of the notes, none after the stacks, projections
    # without bias, and fewer places for the target than for the source.
    "post_norm_notes": TransformerConfig(
        src_vocab=5000,
        tgt_vocab=5000,
        norm="post",
        final_norm=False,
        attention_bias=False,
        layer_norm="unbiased_std",
        norm_eps=1e-6,
        max_len=100,
        tgt_max_len=80,
    ),
    # Table 3, "base": 37,000 shared word pieces (section 5.1), one matrix for both embeddings and the output (section 3.4).
    # These are 63.08 million parameters; the table says 65.
    "paper_base": TransformerConfig(src_vocab=37_000, tgt_vocab=37_000, tie_embeddings="all"),
}
