"""The imports of a program: the module of each name that it may use."""

import ast
import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping

from everyday.dictionary import dictionary
from transformer_core.analysis.accounting import parameter_parts
from transformer_core.analysis.answer_distribution import answer_log_probabilities, sampled_truth, word_probabilities
from transformer_core.analysis.attention_map import AttentionMap, token_labels
from transformer_core.analysis.beam_tree import pruned
from transformer_core.analysis.cutting import cut_out, mean_outputs, parse
from transformer_core.analysis.damage import erasures
from transformer_core.analysis.initial_weights import weight_spread
from transformer_core.analysis.logit_lens import logit_lens
from transformer_core.analysis.one_step import beside, one_step, output_gradient, row_of
from transformer_core.analysis.rollout import judge, rollout
from transformer_core.analysis.shape_map import shape_map
from transformer_core.analysis.teacher_forcing import top_tokens
from transformer_core.data.corpora import everyday_vocabulary
from transformer_core.data.tasks import PairsTask, TextTask, task_of
from transformer_core.data.vocabulary import numbers, through_end
from transformer_core.model.beam_search import beam_search
from transformer_core.model.decoding import Sampling, decode_steps, draw_answers
from transformer_core.training.learned import initial, parameters_of, with_parameters
from transformer_core.training.learning import Learning
from transformer_core.training.learning_plan import plan_for
from transformer_core.training.trainer import averaged

_DEFINED: tuple[Callable[..., object] | type, ...] = (
    answer_log_probabilities, AttentionMap, averaged, beam_search, beside, cut_out, decode_steps, dictionary, draw_answers,
    erasures, everyday_vocabulary, initial, judge, Learning, logit_lens, mean_outputs, numbers, one_step,
    output_gradient, PairsTask, parameter_parts, parameters_of,
    parse, plan_for, pruned, rollout, row_of, sampled_truth, Sampling, shape_map, task_of, TextTask, through_end,
    token_labels, top_tokens, weight_spread, with_parameters, word_probabilities,
)  # fmt: skip
_OF_THE_PACKAGE = ("Recipe", "SHIPPED_MODELS", "TASKS", "Trace", "Trainer", "Transformer", "TransformerConfig", "checkpoint")
_FROM = {  # name -> the module that it is imported from
    **{each.__name__: each.__module__ for each in _DEFINED},
    **dict.fromkeys(_OF_THE_PACKAGE, "transformer_core"),
    **dict.fromkeys(("learned", "race"), "transformer_core.training"),
    **dict.fromkeys(("race_results", "word_map"), "transformer_core.analysis"),
    "TRANSLATIONS": "everyday.translation",
    "Counter": "collections",
    "deepcopy": "copy",
    "replace": "dataclasses",
    "Path": "pathlib",
    "make_subplots": "plotly.subplots",
}
_WHOLE = {  # name -> the line that imports a module by it
    "base64": "import base64",
    "zlib": "import zlib",
    "np": "import numpy as np",
    "go": "import plotly.graph_objects as go",
    "torch": "import torch",
}
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
    lines = [(line.split()[1], line) for name, line in _WHOLE.items() if name in names]
    for name, (module, whole) in origin.items():
        if module is None:
            lines.append((whole, f"import {whole}" + (f" as {name}" if name != whole else "")))
        else:
            by_module[module].append(name if name == whole else f"{whole} as {name}")
    lines += [(module, f"from {module} import {', '.join(sorted(imported))}") for module, imported in by_module.items()]
    standard = [line for module, line in sorted(lines) if module.partition(".")[0] in _STANDARD]
    others = [line for module, line in sorted(lines) if module.partition(".")[0] not in _STANDARD]
    return [*standard, *([""] if standard else []), *others]
