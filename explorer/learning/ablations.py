"""Ablations: two runs with the same data and seed, one of the whole model and one of a model with a part removed."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

import torch

from explorer.i18n import N_
from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory
from explorer.learning.snapshots import Snapshot, snapshot
from transformer_core import PRESETS, CopyTask, Recipe
from transformer_core.model.stages import AttentionKind
from transformer_core.training.learned import initial
from transformer_core.training.learning import Learning

STEPS = 600  # the most steps of each of the two models
TARGET = 0.99  # exact match
_SLOWER = 1.25  # a model that needs this many times the other's steps counts as slower


@dataclass(frozen=True)
class Ablation:
    """A part to remove, and its name; words are shown as _(ablation.title).

    Attributes:
        without: the ablated model's name in a sentence.
        change, recipe: settings of the ablated model's configuration and recipe.
        sizes, both: settings of the configuration and the recipe of both models, where the usual ones would not tell them
            apart.
        attention: which attention shows what is missing, "decoder" or "cross".
        measured: what several seeds have given, in words; `python -m tools.ablation_seeds` measures it.
    """

    title: str
    without: str
    question: str
    change: Mapping[str, Any] = field(default_factory=dict)
    recipe: Mapping[str, Any] = field(default_factory=dict)
    sizes: Mapping[str, Any] = field(default_factory=dict)
    both: Mapping[str, Any] = field(default_factory=dict)
    attention: AttentionKind = "cross"
    measured: str = ""


@dataclass(frozen=True)
class AblationPair:
    """The two runs of an ablation, by their ids, and what was expected of them before they began: a key of OUTCOMES."""

    name: str
    guess: str
    baseline: str
    ablated: str


ABLATIONS = {
    "causal": Ablation(
        N_("the causal mask"), N_("without the causal mask"),
        N_("In training the decoder may then attend to the token that it has to predict."), {"causal": False},
        attention="decoder",
    ),
    "positions": Ablation(
        N_("the positional encoding"), N_("without positional encoding"),
        N_("Nothing tells the encoder which token is where; the decoder has only its causal mask to go by."),
        {"position": "none"},
    ),
    "cross": Ablation(
        N_("cross-attention"), N_("without cross-attention"),
        N_("Nothing that the encoder computes reaches the decoder."), {"cross_attention": False},
    ),
    "residual": Ablation(
        N_("the residual connections"), N_("without residual connections"),
        N_("Each sublayer's output then replaces its input; nothing is added to it."), {"residual": False},
    ),
    "norm": Ablation(
        N_("the place of layer norm: after each sublayer, not before"), N_("with layer norm after each residual connection"),
        N_(
            "Both have two layers, with a norm at the end of each stack, and learn fast: the rate rises to 0.005 within 10 "
            "steps. One is pre-norm, the other post-norm, as in the paper."
        ),
        {"norm": "post"}, sizes={"n_layers": 2, "final_norm": True}, both={"rate": 0.005, "warmup": 10},
    ),
    "warmup": Ablation(
        N_("the warm-up"), N_("without warm-up"),
        N_(
            "The learning rate then starts at its peak, 0.003. From the end of the warm-up on, both have the same schedule. "
            "Both are post-norm, as in the paper, with two layers."
        ),
        recipe={"linear_warmup": False}, sizes={"norm": "post", "n_layers": 2},
        measured=N_(
            "Measured with the seeds 0 to 4: the baseline reached the target in 5 of 5, without warm-up in 2 of 5."
        ),
    ),
    "smoothing": Ablation(
        N_("the label smoothing"), N_("without label smoothing"),
        N_(
            "The baseline learns as in the paper: its target gives the right token 90% of the probability, and spreads the "
            "rest over all tokens. Without it, the right token gets all of it."
        ),
        recipe={"label_smoothing": 0.0}, both={"label_smoothing": 0.1},
        measured=N_(
            "Measured with the seeds 0 to 4: both reached the target in 5 of 5, and in 5 of 5 the right token got about 90% of "
            "the probability with label smoothing, and 99% or more without."
        ),
    ),
    "heads": Ablation(
        N_("all heads but one"), N_("with one head"), N_("One head of the full width instead of four."), {"n_heads": 1},
    ),
    "width": Ablation(
        N_("most of the width"), N_("with d_model 8"), N_("Each token is a vector of 8 numbers instead of 64."),
        {"d_model": 8},
    ),
    "scale": Ablation(
        N_("the ÷ √d_k"), N_("without ÷ √d_k"), N_("The scores are the plain dot products of query and key."), {"score": "dot"},
    ),
}  # fmt: skip

OUTCOMES = {
    "faster": N_("it learns faster"),
    "same": N_("it learns just as well"),
    "slower": N_("it learns more slowly"),
    "never": N_("it does not reach the target"),
}


def plans(name: str, seed: int) -> tuple[TrainingPlan, TrainingPlan]:
    """The plans of the baseline and the ablated model, which differ only in what the ablation changes."""
    ablation = ABLATIONS[name]
    recipe = replace(Recipe(steps=STEPS, seed=seed, device="cpu"), **ablation.both)
    baseline = TrainingPlan(replace(PRESETS["tiny"], **ablation.sizes), CopyTask(), recipe, TARGET)
    cfg, changed = replace(baseline.cfg, **ablation.change), replace(recipe, **ablation.recipe)
    return baseline, replace(baseline, cfg=cfg, recipe=changed)


def recorded_plans() -> dict[str, TrainingPlan]:
    """The plans of two runs that are trained once for a server and played back: with the causal mask, and without. The model
    without a mask, slow to evaluate, is evaluated less often."""
    baseline, ablated = plans("causal", seed=0)
    return {"baseline": baseline, "ablated": replace(ablated, recipe=replace(ablated.recipe, evaluate_every=100))}


@lru_cache(maxsize=32)
def starts_alike(baseline: TrainingPlan, ablated: TrainingPlan) -> bool:
    """Returns whether the ablated model begins with weights of the baseline.

    Matrices are drawn one after another: without one of them, or with smaller ones, those after it begin with other numbers.
    """
    before, after = (initial(plan.cfg, plan.recipe.seed).state_dict() for plan in (baseline, ablated))
    return all(torch.equal(before[name], weights) for name, weights in after.items())


@lru_cache(maxsize=32)
def untrained(plan: TrainingPlan) -> Snapshot:
    """The snapshot of a model before its first step: the first one of its run."""
    return snapshot(Learning(plan, plan.keep).trainer, None)


def outcome(baseline: RunHistory, ablated: RunHistory) -> str:
    """Compares the ablated model with the baseline: a key of OUTCOMES."""
    if not _reached(ablated):
        return "never"
    if not _reached(baseline) or baseline.step > _SLOWER * ablated.step:
        return "faster"
    return "slower" if ablated.step > _SLOWER * baseline.step else "same"


def _reached(history: RunHistory) -> bool:
    return history.exact_match is not None and history.exact_match >= TARGET
