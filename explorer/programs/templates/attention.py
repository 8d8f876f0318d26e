"""Templates of the pictures of an attention that are no exhibit's numbers: one head, lines, masks, and the worth of a word."""

from typing import Any

import numpy as np

from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.choices import AttentionChoices, HeadChoices, PaddedAttentionChoices, attention, head, padding_of
from explorer.pictures.rollouts import RolloutChoices, shares_of
from explorer.programs.template import Code, ProgramTemplate, written
from transformer_core.model.stages import penalises

_SHOWN = "shown = AttentionMap.from_stages(stages, $kind, $layer, src_tokens, tgt_tokens, next_tokens)\n"
_CLOSE = 1e-6  # of the largest number: a line that computes is no further from what the model did


def _of_attention(shown: ShownModel, choices: AttentionChoices) -> dict[str, Any]:
    """Fills in the kind and the layer of an attention."""
    shown_attention = attention(shown, choices)
    return {"kind": shown_attention.kind, "layer": shown_attention.layer}


def _of_head(shown: ShownModel, choices: HeadChoices) -> dict[str, Any]:
    """Fills in the same, the head, and the lines of equation 1."""
    own, shown_attention = head(shown, choices), attention(shown, choices)
    weighted = _made(shown_attention, "context", own, "weights @ v", "(query, d_v)")
    lines = [*_softmax(shown_attention, own, "q, k, v", "k.T"), f"context = {weighted}"]
    return vars(choices) | _of_attention(shown, choices) | {"head": own, "equation": Code("\n".join(lines))}


def _of_all_heads(shown: ShownModel, choices: PaddedAttentionChoices) -> dict[str, Any]:
    lines = _softmax(attention(shown, choices, padding_of(shown, choices)), slice(None), "q, k", "k.swapaxes(1, 2)")
    return _of_attention(shown, choices) | {"equation": Code("\n".join(lines))}


def _softmax(shown: ShownAttention, heads: int | slice, vectors: str, transposed: str) -> list[str]:
    """The lines of softmax(Q Kᵀ / √d_k), section 3.2.1 of the paper, for one head or all."""
    stages, letters, of_all = written(shown.path.stage("{name}")), vectors.replace(", ", ""), isinstance(heads, slice)
    shapes = ("(head, word, d_k)", "(head, query, key)") if of_all else ("(word, d_k)", "(query, key)")
    products = _made(shown, "scores", heads, f"q @ {transposed} / np.sqrt(cfg.d_k)", shapes[1])
    masked = _made(shown, "masked_scores", heads, "np.where(shown.allowed, scores, -np.inf)", "−∞ is hidden by the mask")
    return [
        f'{vectors} = (stages[f{stages}]{_of(heads)} for name in "{letters}")  # each {shapes[0]}',
        f"scores = {products}",
        f"masked = {masked}",
        "powers = np.exp(masked - masked.max(axis=-1, keepdims=True, initial=-1e30))  # at most 1: none is too large",
        "weights = powers / powers.sum(axis=-1, keepdims=True).clip(1e-30)  # softmax: each row adds up to 1",
    ]


def _made(shown: ShownAttention, stage: str, heads: int | slice, formula: str, remark: str) -> str:
    """The formula of a stage with its remark, where it finds what the model did from the stages before it; otherwise the stage
    itself: a cut, or another scoring function, stands in place of the formula."""
    before = {name: shown.stage(name)[heads] for name in ("q", "k", "v", "scores", "weights")}
    match stage:
        case "scores":
            made = before["q"] @ before["k"].swapaxes(-1, -2) / np.sqrt(shown.choice.cfg.d_k)
            if penalises(shown.choice.cfg, shown.path.part):
                made = made + shown.stage("penalties")[heads]
                formula += f" + stages[{written(shown.path.stage('penalties'))}]{_of(heads)}"
        case "masked_scores":
            made = np.where(shown.map.allowed, before["scores"], -np.inf)
        case _:
            made = before["weights"] @ before["v"]
    recorded = shown.stage(stage)[heads]
    most = np.abs(recorded[np.isfinite(recorded)]).max(initial=0)
    if np.allclose(made, recorded, rtol=0, atol=_CLOSE * most):
        return f"{formula}  # {remark}"
    return f"stages[{written(shown.path.stage(stage))}]{_of(heads)}  # not the formula: a cut, or another score"


def _of(heads: int | slice) -> str:
    return "" if isinstance(heads, slice) else f"[{heads}]"


# --- Weights, and what they are made of. --------------------------------------------------------------------------------


_ARITHMETIC = ("scores", "masked", "weights", "context")  # the stages that the view of the arithmetic shows


def _in_arithmetic(_shown: ShownModel, _choices: Any, drawing: dict[str, Any]) -> list[np.ndarray]:
    return [drawing["stages"][name] for name in _ARITHMETIC]


def _in_lines(_shown: ShownModel, _choices: Any, drawing: dict[str, Any]) -> list[np.ndarray]:
    return [drawing["weights"]]


_PANELS_OF_HEADS = """
names = [f"head {i}" for i in range(cfg.n_heads)]
figure = make_subplots(rows=1, cols=cfg.n_heads, subplot_titles=names, shared_yaxes=True)
for i, weights in enumerate(values):
    figure.add_trace(go.Heatmap(z=weights, coloraxis="coloraxis"), row=1, col=i + 1)
figure.update_xaxes(tickvals=list(range(len(shown.key_labels))), ticktext=shown.key_labels)
figure.update_yaxes(tickvals=list(range(len(shown.query_labels))), ticktext=shown.query_labels, autorange="reversed")
figure.update_layout(coloraxis={"colorscale": "Blues", "cmin": 0, "cmax": 1}, title="rows: query, columns: key")
figure.show()
"""
_ONE_HEAD = """
figure = go.Figure(go.Heatmap(z=np.where(shown.allowed, weights, np.nan), colorscale="Blues", zmin=0, zmax=1))
figure.update_xaxes(tickvals=list(range(len(shown.key_labels))), ticktext=shown.key_labels, title="key")
figure.update_yaxes(tickvals=list(range(len(shown.query_labels))), ticktext=shown.query_labels, autorange="reversed")
figure.update_layout(title="weights of head $head")
figure.show()
"""

# --- The worth of a word. -----------------------------------------------------------------------------------------------


def _rollout(shown: ShownModel, choices: RolloutChoices) -> dict[str, Any]:
    layers, _shares = shares_of(shown, choices)
    own = "found.counts[0] | np.eye(len(shares), dtype=bool)"
    drawn = Code("found.counts[0]" if choices.kind == "cross" else own)
    return {"kind": choices.kind, "layers": layers, "drawn": drawn}


def _erasure(shown: ShownModel, _choices: None) -> dict[str, Any]:
    given = "model, *(torch.tensor([ids]) for ids in (src, tgt, labels))"
    if shown.cfg.has_encoder:
        return {"worth": Code(f"values = erasures({given})[0]  # (target, source)")}
    hidden = "values = np.where(found.counts[0], found.cost[0], np.nan)  # (word to be written, word that is hidden)"
    return {"worth": Code(f'found = judge({given}, "decoder")\n{hidden}')}


_WORDS = "token_labels(next_tokens)", "token_labels(src_tokens or tgt_tokens)"

TEMPLATES = {
    "head": ProgramTemplate(
        "one head: its scores, the same after the mask, its weights, and what comes of them",
        _SHOWN
        + """
$equation
values = [scores, masked, weights, context]
""",
        _of_head,
        seen=_in_arithmetic,
        draw=_ONE_HEAD,
    ),
    "lines": ProgramTemplate(
        "the weights of all heads: softmax(QKᵀ / √d_k), section 3.2.1 of the paper",
        _SHOWN
        + """
$equation
values = weights
""",
        _of_all_heads,
        padding=padding_of,
        seen=_in_lines,
        draw=_PANELS_OF_HEADS,
    ),
    "rollout": ProgramTemplate(
        "rollout: attention and residual connections, half and half, followed down to the words",
        """
shares = rollout(stages, cfg).of($kind)[$layers]  # (query, key)
found = judge(model, *(torch.tensor([ids]) for ids in (src, tgt, labels)), $kind)
values = np.where($drawn, shares, np.nan)
""",
        _rollout,
    ),
    "rollout-truth": ProgramTemplate(
        "what it costs to hide a word: nats of log-probability, or how far the encoder's output moves",
        """
found = judge(model, *(torch.tensor([ids]) for ids in (src, tgt, labels)), $kind)
values = np.where(found.counts[0], found.cost[0], np.nan)  # (query, key)
""",
        _rollout,
    ),
    "erasure": ProgramTemplate(
        "by how many nats the log-probability of a word falls when nothing may attend to a word of the source",
        "$worth",
        _erasure,
        labels=_WORDS,
    ),
}
