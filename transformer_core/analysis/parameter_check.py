"""The parameters of a textbook model by five short formulas, and where and why a model as built differs."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from transformer_core.analysis.accounting import parameter_parts
from transformer_core.model.config import TransformerConfig
from transformer_core.model.stages import attention_kinds, stacks_of
from transformer_core.training.cost import score_parameters

# The model the five formulas describe: six layers, d_ff = 4·d_model, biases everywhere, a final norm after each stack, and one
# matrix for both embeddings and the output projection, which has no bias.


@dataclass(frozen=True)
class Term:
    """One reason, by its id, why the model differs from the formula, and by how many parameters.

    Attributes:
        values: the numbers in the reason's sentence, by name.
    """

    reason: str
    amount: int
    values: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Line:
    """One of the formulas, compared with the model as built. `numbers` is the formula with this model's d and V."""

    name: str
    formula: str
    numbers: str
    by_formula: int
    built: int
    terms: tuple[Term, ...]

    @property
    def difference(self) -> int:
        return self.built - self.by_formula

    @property
    def rest(self) -> int:
        """The parameters that the reasons leave unexplained; 0 when everything is accounted for."""
        return self.difference - sum(term.amount for term in self.terms)


def total_by_formula(d: int, vocab: int) -> int:
    """All parameters of the textbook model: 168d² + 196d + V·d."""
    return 168 * d * d + 196 * d + vocab * d


def reconcile(cfg: TransformerConfig) -> list[Line]:
    """The five formulas, line by line, against the count of the model as built (sections 3.1 to 3.4)."""
    d, f, n, v = cfg.d_model, cfg.d_ff, cfg.n_layers, cfg.tgt_vocab
    stacks, attentions = len(stacks_of(cfg)), len(attention_kinds(cfg)) * n
    whole, feed_forward = 4 * (d * d + d), 8 * d * d + 5 * d
    no_cross = 0 if cfg.cross_attention else -n  # attentions, each with a norm
    no_encoder = 0 if cfg.has_encoder else -n  # layers
    counted = dict.fromkeys(("attention", "feed-forward", "norms", "embedding"), 0)
    for part in parameter_parts(cfg):
        counted[_line_of(part.name)] += part.by_count
    formulas = {
        "attention": ("18·4(d² + d)", f"18·4·({d}² + {d})", 18 * whole),
        "feed-forward": ("12·(8d² + 5d)", f"12·(8·{d}² + 5·{d})", 12 * feed_forward),
        "norms": ("32·2d", f"32·2·{d}", 32 * 2 * d),
        "embedding": ("V·d", f"{v}·{d}", v * d),
    }
    layers, positions = {"n": n}, cfg.longest_tgt + (cfg.max_len if cfg.has_encoder else 0)
    reasons: dict[str, tuple[Term, ...]] = {
        "attention": (
            Term("attentions", (3 * n - 18) * whole, layers | {"built": 3 * n}),
            Term("no_encoder", no_encoder * whole),
            Term("no_cross_attention", no_cross * whole),
            Term("no_attention_bias", 0 if cfg.attention_bias else -attentions * 4 * d),
            Term("score_weights", score_parameters(cfg) * attentions),
        ),
        "feed-forward": (
            Term("feed_forwards", (2 * n - 12) * feed_forward, layers | {"built": 2 * n}),
            Term("no_encoder", no_encoder * feed_forward),
            Term("d_ff", stacks * n * ((2 * d * f + f + d) - feed_forward), {"built": f, "d": d, "expected": 4 * d}),
        ),
        "norms": (
            Term("norms", (5 * n - 30) * 2 * d, layers | {"built": 5 * n}),
            Term("no_encoder", (2 * no_encoder - (cfg.has_final_norm and not cfg.has_encoder)) * 2 * d),
            Term("no_cross_attention", no_cross * 2 * d),
            Term("no_final_norms", 0 if cfg.has_final_norm else -2 * 2 * d),
        ),
        "embedding": (
            Term("source_embedding", cfg.src_vocab * d if cfg.has_encoder and cfg.tie_embeddings != "all" else 0),
            Term("output_matrix", v * d if cfg.tie_embeddings == "none" else 0),
            Term("output_bias", v if cfg.has_output_bias else 0),
            Term("learned_positions", positions * d if cfg.position == "learned" else 0),
        ),
    }
    return [
        Line(name, *formulas[name], counted[name], tuple(term for term in reasons[name] if term.amount)) for name in formulas
    ]


def _line_of(part: str) -> str:
    """The line that a part of the parameter table belongs to; whatever is not part of a layer belongs to the embedding."""
    return next((line for line in ("attention", "feed-forward", "norms") if line in part), "embedding")
