"""Recipes of the pictures of an attention: weights and scores, heads, other scoring functions, and why scores are scaled."""

from typing import Any

import numpy as np

from explorer.code.recipe import Code, Recipe, listed, written
from explorer.inference.shown_model import ShownModel
from explorer.pictures import head_numbers, other_scores, split, why_scale
from explorer.pictures.attention import MADE_OF, WordChoices
from explorer.pictures.choices import AttentionChoices, HeadChoices, attention, head, index, padding_space
from explorer.pictures.rollouts import RolloutChoices, shares_of
from explorer.pictures.split import DRAWN, OWN, SplitChoices, sizes_of
from explorer.pictures.word_importance import ALL_LAYERS, ErasureChoices
from transformer_core.analysis.head_split import input_stages
from transformer_core.model.stages import ATTENTION_STAGES, attention_path

_LABELS = "shown.query_labels", "shown.key_labels"
_SHOWN = "shown = AttentionMap.from_stages(stages, $kind, $layer, src_tokens, tgt_tokens, next_tokens)\n"
_ALLOWED = "values = np.where(shown.allowed, values, np.nan)  # what the mask hides is left out\n"


def _of_attention(shown: ShownModel, choices: AttentionChoices) -> dict[str, Any]:
    """Fills in the kind and the layer of an attention, the names of its stages, and what it reads."""
    found = attention(shown, choices)
    given, memory = input_stages(shown.cfg.norm == "pre", found.path.stack, found.path.layer, found.path.part)
    stages = {name: found.path.stage(name) for name in ATTENTION_STAGES}
    return {"kind": found.kind, "layer": found.layer, "module": found.path.module, "given": given, "memory": memory, **stages}


def _of_head(shown: ShownModel, choices: HeadChoices) -> dict[str, Any]:
    """Fills in the same, and the head; what a picture has chosen itself is named as its field."""
    own = {"made_of": MADE_OF, "drawn": DRAWN}
    return vars(choices) | _of_attention(shown, choices) | own | {"head": head(shown, choices)}


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

# --- One word, and kinds of words. --------------------------------------------------------------------------------------


def _one_word(shown: ShownModel, choices: WordChoices) -> dict[str, Any]:
    map, of_query = attention(shown, choices).map, choices.side == "query"
    place = index(choices.place, len(map.query_tokens if of_query else map.key_tokens))
    cells = f"shown.weights[:, {place}]" if of_query else f"shown.weights[:, :, {place}]"
    return _of_attention(shown, choices) | {"weights_of": Code(cells)}


def _pattern_padding(shown: ShownModel, choices: head_numbers.PatternChoices) -> tuple[int, int]:
    both = min(choices.patterns_padding, padding_space(len(shown.src), len(shown.tgt)))
    return both, both


def _of_patterns(shown: ShownModel, choices: head_numbers.PatternChoices) -> dict[str, Any]:
    _weights, _allowed, shares = head_numbers.shares_of(shown, choices)
    drawn = head_numbers.drawn_of(shares)
    names = [name for name, is_drawn in zip(head_numbers.PATTERNS, drawn, strict=True) if is_drawn]
    queries, keys = "src" if choices.kind == "encoder" else "tgt", "tgt" if choices.kind == "decoder" else "src"
    n = len(shown.src if choices.kind == "encoder" else shown.tgt)
    own = {"queries": Code(queries), "keys": Code(keys), "n": n, "same": choices.kind != "cross", "names": listed(names)}
    return _of_attention(shown, choices) | own


_PATTERNS = (
    _SHOWN
    + """
weights, allowed = shown.weights[:, :$n], shown.allowed[:$n]  # queries of padding are left out
heads = np.concatenate([weights, even_weights(allowed)])  # and a head that attends uniformly
related = relations($queries[:$n], $keys, vocabulary.tokens, vocabulary.pad, same_sequence=$same)
names = $names
seen = [np.ones_like(allowed) if name == "padding" else allowed for name in names]  # padding is masked, and counted
values = np.stack([mean_attention_to(heads, related[name], pairs) for name, pairs in zip(names, seen)], axis=1)
"""
)

# --- Other scoring functions, and the split. ----------------------------------------------------------------------------


def _scorings(shown: ShownModel, choices: other_scores.ScoreChoices) -> dict[str, Any]:
    found = attention(shown, choices)
    score = f"{{{written(found.score_name)}: model.get_submodule({written(found.path.module)}).score}}"
    return _of_head(shown, choices) | {"own": Code("{}" if found.score is None else score)}


_SCORINGS = (
    _SHOWN
    + """
q, k = stages[$q][$head], stages[$k][$head]  # (query, d_k), (key, d_k)
own = $own  # the matrices that the model has; others are drawn at random
found = scorings(q, k, shown.allowed, $score_seed, own)
"""
)
_SPLITS = (
    _SHOWN
    + """
module, query, memory = model.get_submodule($module), stages[$given], stages[$memory]
found = head_splits(module, query, memory, shown.allowed)  # split rightly, and wrongly
"""
)


def _origin(shown: ShownModel, choices: SplitChoices) -> dict[str, Any]:
    found, drawn = split.origins_of(shown, choices)
    (d_model, n_heads), length = sizes_of(shown, choices), found["right"].token.shape[1]
    return {"d_model": d_model, "n_heads": n_heads, "length": length, "drawn": drawn, "own": choices.split_size == OWN}


def _origins(way: str) -> Recipe:
    return Recipe(
        f"the token that each number of the heads comes from, under the {way} split",
        f"""
found = origins($length, $d_model, $n_heads)["{way}"]
values = found.token[:$drawn].reshape(-1, $d_model // $n_heads)  # the heads, one below the other
""",
        _origin,
    )


# --- Why scores are divided by √d_k. ------------------------------------------------------------------------------------


def _scaling(shown: ShownModel, choices: why_scale.ScalingChoices) -> dict[str, Any]:
    widths = tuple(why_scale.measured(shown, choices).widths.tolist())
    return _of_head(shown, choices) | {"widths": widths, "queries": why_scale.queries_of(choices)}


_SCALING = "found = scaling($widths, $scale_keys, $queries, $scale_seed)  # random q and k, of each width\n"


def _by_divisor(readings: str) -> str:
    return _SCALING + f"values = list(found.{readings}.values())  # by what the scores are divided by"


# --- The worth of a word. -----------------------------------------------------------------------------------------------


def _cross_layers(shown: ShownModel, choices: ErasureChoices) -> dict[str, Any]:
    n = shown.cfg.n_layers
    layers = range(n) if choices.erasure_layer == ALL_LAYERS else [index(choices.erasure_layer, n)]
    return {"names": listed([attention_path("cross", each).stage("weights") for each in layers])}


def _rollout(shown: ShownModel, choices: RolloutChoices) -> dict[str, Any]:
    layers, _shares = shares_of(shown, choices)
    own = "found.counts[0] | np.eye(len(shares), dtype=bool)"
    drawn = Code("found.counts[0]" if choices.kind == "cross" else own)
    return {"kind": choices.kind, "layers": layers, "drawn": drawn}


_WORDS = "token_labels(next_tokens)", "token_labels(src_tokens)"

RECIPES = {
    "heads": Recipe(
        "the weights of all heads: softmax(QKᵀ / √d_k), section 3.2.1 of the paper",
        _SHOWN + "values = shown.weights  # (head, query, key); each row adds up to 1\n" + _ALLOWED, _of_attention,
        labels=_LABELS,
    ),
    "vectors": Recipe(
        "the vectors of one head, a row for each token", "values = stages[$stage][$head]  # (token, d_k)",
        lambda shown, choices: _of_head(shown, choices) | {"stage": attention(shown, choices).path.stage(choices.name)},
    ),
    "query-input": Recipe(
        "the first numbers of the vectors x that the queries are made of: q = x · W_Q",
        "values = stages[$given][:, :$made_of]  # (query, d_model)", _of_head,
    ),
    "query-matrix": Recipe(
        "the first rows of one head's part of W_Q: q = x · W_Q",
        """
w_q = model.get_submodule($module).w_q.weight.detach()  # (d_model, d_model): torch keeps it transposed
w_q = w_q.unflatten(0, (cfg.n_heads, -1))[$head].numpy().T  # (d_model, d_k), the head's own part
values = w_q[:$made_of]
""",
        _of_head,
    ),
    "head": Recipe(
        "one head: its scores, the same after the mask, its weights, and what comes of them",
        _SHOWN + """
scores, masked = stages[$scores][$head], stages[$masked_scores][$head]  # (query, key)
weights, context = stages[$weights][$head], stages[$context][$head]  # (…, d_v)
values = [scores, masked, weights, context]
""",
        _of_head, seen=_in_arithmetic, draw=_ONE_HEAD,
    ),
    "lines": Recipe(
        "the weights of all heads: softmax(QKᵀ / √d_k), section 3.2.1 of the paper",
        _SHOWN + "values = shown.weights  # (head, query, key); each row adds up to 1", _of_attention, seen=_in_lines,
        draw=_PANELS_OF_HEADS,
    ),
    "entropy": Recipe(
        "the entropy of each head's weights, in bits", _SHOWN + "values = [entropy(shown.weights)]  # (head,)", _of_attention,
    ),
    "distance": Recipe(
        "the mean distance from queries to keys, in positions",
        _SHOWN + "values = [mean_distance(shown.weights)]  # (head,)", _of_attention,
    ),
    "selected-word": Recipe(
        "the weights of one word, head by head", _SHOWN + "values = $weights_of  # (head, word)", _one_word,
    ),
    "patterns": Recipe(
        "the share of its attention that each head gives to each kind of word; the last row attends uniformly", _PATTERNS,
        _of_patterns, padding=_pattern_padding, model=head_numbers.model_of_patterns,
    ),
    "cost": Recipe(
        "the operations of all heads together, by their number, compared with those of a single head",
        """
costs = [head_cost(cfg.d_model, h, $cost_length, cfg.attention_bias) for h in head_choices(cfg.d_model)]
one = costs[0].flops
values = [[each.flops / one for each in costs], [each.full_width_flops / one for each in costs]]
""",
        lambda _shown, choices: vars(choices),
    ),
    "score-weights": Recipe(
        "the weights of one head under four scoring functions",
        _SCORINGS + "values = np.stack([each.weights for each in found.values()])\n" + _ALLOWED, _scorings, labels=_LABELS,
    ),
    "scores": Recipe(
        "the scores of one head under another scoring function", _SCORINGS + "values = found[$score].scores\n" + _ALLOWED,
        _scorings, labels=_LABELS,
    ),
    "origin-right": _origins("right"),
    "origin-wrong": _origins("wrong"),
    "projected": Recipe("the queries of all heads in one matrix", _SPLITS + "values = found.projected", _of_head),
    "head-matrix": Recipe(
        "the first rows of one head's part of W_Q", _SPLITS + "values = found.w_q[$head][:$drawn]  # (d_model, d_k)", _of_head
    ),
    "head-q": Recipe("the queries of one head", _SPLITS + "values = found.right[$head]  # (query, d_k)", _of_head),
    "split-weights": Recipe(
        "the weights of one head under the right split and under the wrong one",
        _SPLITS + "values = np.stack([found.right_weights[$head], found.wrong_weights[$head]])\n" + _ALLOWED, _of_head,
        labels=_LABELS,
    ),
    "concat": Recipe("the outputs of all heads side by side: Concat(head_1, …, head_h)", "values = stages[$concat]", _of_head),
    "mixed": Recipe("the outputs of all heads, mixed by W_O", "values = stages[$output]", _of_head),
    "scale-variance": Recipe(
        "the variance of q · k by the width of a head",
        _SCALING + _SHOWN + """
q, k = stages[$q][$head], stages[$k][$head]
own = head_scale(q, k, shown.allowed)  # the same of this model's head
values = [found.widths, found.variance, np.where(found.widths == cfg.d_k, own.products, np.nan)]
""",
        _scaling,
    ),
    "scale-entropy": Recipe("the entropy of the softmax, by the width of a head", _by_divisor("entropy"), _scaling),
    "scale-gradient": Recipe("the size of the gradient at q, by the width of a head", _by_divisor("gradient"), _scaling),
    "rollout": Recipe(
        "rollout: attention and residual connections, half and half, followed down to the words",
        """
shares = rollout(stages, cfg).of($kind)[$layers]  # (query, key)
found = judge(model, *(torch.tensor([ids]) for ids in (src, tgt, labels)), $kind)
values = np.where($drawn, shares, np.nan)
""",
        _rollout,
    ),
    "rollout-truth": Recipe(
        "what it costs to hide a word: nats of log-probability, or how far the encoder's output moves",
        """
found = judge(model, *(torch.tensor([ids]) for ids in (src, tgt, labels)), $kind)
values = np.where(found.counts[0], found.cost[0], np.nan)  # (query, key)
""",
        _rollout,
    ),
    "erasure": Recipe(
        "by how many nats the log-probability of a word falls when nothing may attend to a word of the source",
        "values = erasures(model, *(torch.tensor([ids]) for ids in (src, tgt, labels)))[0]  # (target, source)", labels=_WORDS,
    ),
    "erasure-attention": Recipe(
        "cross-attention, averaged over the heads",
        "names = $names\nvalues = np.mean([stages[name].mean(axis=0) for name in names], axis=0)  # (target, source)",
        _cross_layers, labels=_WORDS,
    ),
}  # fmt: skip
