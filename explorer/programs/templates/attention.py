"""Recipes of the pictures of an attention that are no exhibit's numbers: one head, lines, masks, and the worth of a word."""

from typing import Any

import numpy as np

from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.choices import AttentionChoices, HeadChoices, attention, head
from explorer.pictures.rollouts import RolloutChoices, shares_of
from explorer.programs.template import Code, ProgramTemplate
from transformer_core.model.stages import ATTENTION_STAGES

_SHOWN = "shown = AttentionMap.from_stages(stages, $kind, $layer, src_tokens, tgt_tokens, next_tokens)\n"


def _of_attention(shown: ShownModel, choices: AttentionChoices) -> dict[str, Any]:
    """Fills in the kind and the layer of an attention, and the names of its stages."""
    found = attention(shown, choices)
    return {"kind": found.kind, "layer": found.layer} | {name: found.path.stage(name) for name in ATTENTION_STAGES}


def _of_head(shown: ShownModel, choices: HeadChoices) -> dict[str, Any]:
    """Fills in the same, and the head; what a picture has chosen itself is named as its field."""
    return vars(choices) | _of_attention(shown, choices) | {"head": head(shown, choices)}


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


_WORDS = "token_labels(next_tokens)", "token_labels(src_tokens)"

RECIPES = {
    "head": ProgramTemplate(
        "one head: its scores, the same after the mask, its weights, and what comes of them",
        _SHOWN
        + """
scores, masked = stages[$scores][$head], stages[$masked_scores][$head]  # (query, key)
weights, context = stages[$weights][$head], stages[$context][$head]  # (…, d_v)
values = [scores, masked, weights, context]
""",
        _of_head,
        seen=_in_arithmetic,
        draw=_ONE_HEAD,
    ),
    "lines": ProgramTemplate(
        "the weights of all heads: softmax(QKᵀ / √d_k), section 3.2.1 of the paper",
        _SHOWN + "values = shown.weights  # (head, query, key); each row adds up to 1",
        _of_attention,
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
        "values = erasures(model, *(torch.tensor([ids]) for ids in (src, tgt, labels)))[0]  # (target, source)",
        labels=_WORDS,
    ),
}
