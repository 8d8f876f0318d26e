"""Names the models that come with the package by the plans that they learned by, and lists them in their README.

    python -m tools.shipped_models

A model's name is the key of its plan. Where the key comes to hold more than before, the names change and the weights do not. A
file that says it learned otherwise than its plan does today is not renamed: it has to be learned anew, by the commands in the
README.
"""

import argparse
import re
import sys

from transformer_core import SHIPPED_MODELS
from transformer_core.training.folder import SUFFIX, ModelFolder
from transformer_core.training.learned import Learned
from transformer_core.training.learning_plan import LearningPlan, default_config, plans_for

_TABLE = re.compile(r"(?<=\|---\|---\|---\|---\|---\|---\|---\|\n)(?:\|.*\n)+")
_SIZES = ("d_model", "n_heads", "n_layers", "norm")


def plan_of(model: Learned) -> LearningPlan | None:
    """The plan of today by which a model learned; None if there is none."""
    plans = plans_for(model.task.name, model.cfg, model.recipe.seed)
    return next((plan for plan in plans if (plan.task, plan.recipe) == (model.task, model.recipe)), None)


def setting(model: Learned) -> str:
    """The setting that differs from the usual model of the task: `d_model 16`."""
    usual = default_config(model.task.name)
    turned = [f"{name} {getattr(model.cfg, name)}" for name in _SIZES if getattr(model.cfg, name) != getattr(usual, name)]
    return ", ".join(turned).replace("n_", "") or "usual"


def row(model: Learned, size: int) -> str:
    """A line of the README's table."""
    cells = (
        f"`{model.key}`",
        model.task.name,
        setting(model),
        f"{model.last:,}",
        f"{len(model.states)}",
        f"{model.right:.1%} of {model.rows}",
        f"{size:,}",
    )
    return f"| {' | '.join(cells)} |\n"


def shipped() -> list[Learned]:
    """The models of the package, in the order of the README's table."""
    folder = ModelFolder(SHIPPED_MODELS)
    found = [model for path in SHIPPED_MODELS.glob(f"*{SUFFIX}") if (model := folder.get(path.stem)) is not None]
    return sorted(found, key=lambda each: (each.task.name, setting(each) != "usual", *map(str, _sizes(each))))


def _sizes(model: Learned) -> tuple[object, ...]:
    usual = default_config(model.task.name)
    turned = next((i for i, name in enumerate(_SIZES) if getattr(model.cfg, name) != getattr(usual, name)), -1)
    return turned, *(f"{getattr(model.cfg, name):>5}" for name in _SIZES)


def table() -> str:
    """The README's table of all models, without its head."""
    return "".join(row(model, (SHIPPED_MODELS / f"{model.key}{SUFFIX}").stat().st_size) for model in shipped())


def main() -> int:
    """Returns 1 if a model has to be learned anew."""
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    stale = 0
    for model in shipped():
        plan = plan_of(model)
        if plan is None:
            print(f"{model.key} ({model.task.name}, {setting(model)}) learned otherwise than such models do today")
            stale += 1
        elif plan.key != model.key:
            print(f"{model.key} -> {plan.key}")
            (SHIPPED_MODELS / f"{model.key}{SUFFIX}").rename(SHIPPED_MODELS / f"{plan.key}{SUFFIX}")
    readme = SHIPPED_MODELS / "README.md"
    readme.write_text(_TABLE.sub(lambda _found: table(), readme.read_text(encoding="utf-8")), encoding="utf-8")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
