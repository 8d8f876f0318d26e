"""The parameters by five short formulas of a textbook model, and what a model as built has more or fewer, and why."""

from dataclasses import dataclass

from transformer_core.model.accounting import parameter_parts
from transformer_core.model.config import TransformerConfig

# The model the five formulas describe: six layers, d_ff = 4·d_model, biases everywhere, a final norm behind each stack, and one
# table for both sides and the output, whose projection has no bias.


@dataclass(frozen=True)
class Term:
    """One reason for which the model differs from the formula, and by how many parameters."""

    reason: str
    amount: int


@dataclass(frozen=True)
class Line:
    """One of the formulas beside the model as built. `numbers` is the formula with this model's d and V."""

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
        """What the reasons leave unexplained; 0 when all is accounted for."""
        return self.difference - sum(term.amount for term in self.terms)


def total_by_formula(d: int, vocab: int) -> int:
    """All parameters of the textbook model: 168d² + 196d + V·d."""
    return 168 * d * d + 196 * d + vocab * d


def reconcile(cfg: TransformerConfig) -> list[Line]:
    """The five formulas, line by line, against the count of the model as built (sections 3.1 to 3.4)."""
    d, f, n, v = cfg.d_model, cfg.d_ff, cfg.n_layers, cfg.tgt_vocab
    attentions = (3 if cfg.cross_attention else 2) * n
    sublayers = attentions + 2 * n
    whole = 4 * (d * d + d)
    counted = dict.fromkeys(("attention", "feed-forward", "norms", "embedding"), 0)
    for part in parameter_parts(cfg):
        counted[_line_of(part.name)] += part.by_count
    formulas = {
        "attention": ("18·4(d² + d)", f"18·4·({d}² + {d})", 18 * whole),
        "feed-forward": ("12·(8d² + 5d)", f"12·(8·{d}² + 5·{d})", 12 * (8 * d * d + 5 * d)),
        "norms": ("32·2d", f"32·2·{d}", 32 * 2 * d),
        "embedding": ("V·d", f"{v}·{d}", v * d),
    }
    reasons = {
        "attention": (
            (f"N = {n}, not 6: {3 * n} attentions instead of 18", (3 * n - 18) * whole),
            ("no cross-attention", (attentions - 3 * n) * whole),
            ("projections without bias", 0 if cfg.attention_bias else -attentions * 4 * d),
            ("weights that compare a query with a key", _score_weights(cfg) * attentions),
        ),
        "feed-forward": (
            (f"N = {n}, not 6: {2 * n} of them instead of 12", (2 * n - 12) * (8 * d * d + 5 * d)),
            (f"d_ff is {f}, not 4·{d} = {4 * d}", 2 * n * ((2 * d * f + f + d) - (8 * d * d + 5 * d))),
        ),
        "norms": (
            (f"N = {n}, not 6: {5 * n} norms in the layers instead of 30", (5 * n - 30) * 2 * d),
            ("no cross-attention", (sublayers - 5 * n) * 2 * d),
            ("no final norms behind the stacks", 0 if cfg.has_final_norm else -2 * 2 * d),
        ),
        "embedding": (
            ("a source table of its own", 0 if cfg.tie_embeddings == "all" else cfg.src_vocab * d),
            ("an output matrix of its own", v * d if cfg.tie_embeddings == "none" else 0),
            ("a bias of the output", v if cfg.has_output_bias else 0),
            ("learned positions", (cfg.max_len + cfg.longest_tgt) * d if cfg.position == "learned" else 0),
        ),
    }
    return [
        Line(name, *formulas[name], counted[name], tuple(Term(reason, amount) for reason, amount in reasons[name] if amount))
        for name in formulas
    ]


def _line_of(part: str) -> str:
    """Which of the lines a part of the parameter table belongs to; what is no part of a layer, to the embedding."""
    return next((line for line in ("attention", "feed-forward", "norms") if line in part), "embedding")


def _score_weights(cfg: TransformerConfig) -> int:
    """Weights of one attention's scoring function, where it has any of its own."""
    return {"additive": 2 * cfg.d_k**2 + cfg.d_k, "concat_linear": 2 * cfg.d_k + 1}.get(cfg.score, 0)
