"""The imports of a program: the module of each name that it may use."""

import ast
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping

from transformer_core.analysis.answer_distribution import answer_log_probabilities, sampled_truth, word_probabilities
from transformer_core.analysis.attention_map import AttentionMap, token_labels
from transformer_core.analysis.attention_metrics import entropy, even_weights, mean_attention_to, mean_distance, relations
from transformer_core.analysis.beam_tree import pruned
from transformer_core.analysis.cutting import cut_out, mean_outputs, parse
from transformer_core.analysis.damage import erasures
from transformer_core.analysis.embedding_metrics import binary_digits, embedded, encoding, similarity
from transformer_core.analysis.head_split import head_choices, head_cost, head_splits, origins
from transformer_core.analysis.initial_weights import weight_spread
from transformer_core.analysis.length_cost import layer_costs
from transformer_core.analysis.logit_lens import logit_lens
from transformer_core.analysis.mask_examples import ways_to_block
from transformer_core.analysis.mask_tiles import mask_tiles
from transformer_core.analysis.printed_numbers import printed_numbers
from transformer_core.analysis.rollout import judge, rollout
from transformer_core.analysis.rotation import angles, rotate
from transformer_core.analysis.score_functions import scorings
from transformer_core.analysis.score_scaling import head_scale, scaling
from transformer_core.analysis.shape_map import shape_map
from transformer_core.analysis.teacher_forcing import teacher_forced, top_tokens
from transformer_core.analysis.word_order import permute_source, position_tables, without_positions
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.data.tasks import task_of
from transformer_core.data.vocabulary import numbers, through_end
from transformer_core.model.accounting import parameter_parts
from transformer_core.model.beam_search import beam_search
from transformer_core.model.decoding import Sampling, decode_steps, draw_answers
from transformer_core.training.learned import initial, parameters_of, with_parameters
from transformer_core.training.learning_plan import plan_for
from transformer_core.training.trainer import averaged

_DEFINED: tuple[Callable[..., object] | type, ...] = (
    AttentionMap, Sampling, angles, answer_log_probabilities, averaged, beam_search, binary_digits,
    cut_out, decode_steps, draw_answers, embedded, encoding, entropy, erasures, even_weights, everyday_vocabulary,
    head_choices, head_cost, head_scale, head_splits, initial, judge, layer_costs, logit_lens, mask_tiles,
    mean_attention_to, mean_distance, mean_outputs, numbers, origins, parameter_parts, parameters_of, parse,
    permute_source, plan_for, position_tables, pruned, relations, rollout, rotate, sampled_truth, scaling, scorings,
    shape_map, similarity, task_of, teacher_forced, through_end, token_labels, top_tokens,
    with_parameters, without_positions, word_probabilities,
    printed_numbers, ways_to_block, weight_spread,
)  # fmt: skip
_OF_THE_PACKAGE = ("SHIPPED_MODELS", "TASKS", "Trace", "Trainer", "Transformer", "TransformerConfig", "checkpoint")
_FROM = {  # name -> the module that it is imported from
    **{each.__name__: each.__module__ for each in _DEFINED},
    **dict.fromkeys(_OF_THE_PACKAGE, "transformer_core"),
    "learned": "transformer_core.training",
    "TRANSLATIONS": "everyday.translation",
    "Counter": "collections",
    "replace": "dataclasses",
    "Path": "pathlib",
    "make_subplots": "plotly.subplots",
}
_WHOLE = {  # name -> the line that imports a module by it
    "base64": "import base64", "zlib": "import zlib", "np": "import numpy as np", "go": "import plotly.graph_objects as go",
    "torch": "import torch",
}  # fmt: skip
_STANDARD = sys.stdlib_module_names


def used(code: str) -> set[str]:
    """Returns the names that a program reads or writes."""
    return {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}


def imports_of(code: str, own: Collection[str] = (), origin: Mapping[str, tuple[str | None, str]] | None = None) -> list[str]:
    """Returns the lines that import what a program uses: the standard library first, then the rest.

    Args:
        own: names that the program defines.
        origin: those whose origin is known, as `derived.Source` has them.
    """
    origin = origin or {}
    names, by_module = used(code) - {*own, *origin}, defaultdict(list)
    for name in sorted(names & _FROM.keys()):
        by_module[_FROM[name]].append(name)
    lines = {line.split()[1]: line for name, line in _WHOLE.items() if name in names}
    for name, (module, whole) in sorted(origin.items()):
        if module is None:
            lines[whole] = f"import {whole}" + (f" as {name}" if name != whole else "")
        else:
            by_module[module].append(name if name == whole else f"{whole} as {name}")
    lines |= {module: f"from {module} import {', '.join(sorted(found))}" for module, found in by_module.items()}
    standard = [lines[module] for module in sorted(lines) if module.partition(".")[0] in _STANDARD]
    others = [lines[module] for module in sorted(lines) if module.partition(".")[0] not in _STANDARD]
    return [*standard, *([""] if standard else []), *others]
