"""The caption of the model on screen: as attributes for machines, and as one line of words."""

from explorer.i18n import _, n_
from explorer.learning.task_titles import task_title
from explorer.model_on_screen.forward import ModelChoice
from explorer.model_on_screen.learning_state import LearningState
from explorer.model_on_screen.model_at_step import ModelAtStep
from explorer.model_on_screen.shown_model import ShownModel
from transformer_core.data.tasks import has_source, is_tested_on_training


def facts(model: ModelAtStep) -> dict[str, str]:
    """Returns the caption's facts for tests and embedding pages, as attributes `data-...` of these names."""
    cfg, learning = model.cfg, model.learning
    by_name = {
        "task": model.task,
        "state": learning.state,
        "step": learning.step,
        "steps": learning.last,
        "right": "" if learning.right is None else f"{learning.right:.4g}",
        "d-model": cfg.d_model,
        "heads": cfg.n_heads,
        "layers": cfg.n_layers,
        "seed": "" if learning.seed is None else learning.seed,
    }
    return {name: str(value) for name, value in by_name.items()}


def words(shown: ShownModel) -> dict[str, str]:
    """Returns the phrases of the caption by topic: task, sizes, learned, edited if a weight is, and right if it is known.
    Joined they make a line:
    `English → French · 88 wide, 4 heads, 2 layers · learned for 26,000 steps · 97.0% of 200 held-out sequences right`
    """
    cfg, learning = shown.cfg, shown.learning
    heads = n_("{n} head", "{n} heads", cfg.n_heads).format(n=cfg.n_heads)
    layers = n_("{n} layer", "{n} layers", cfg.n_layers).format(n=cfg.n_layers)
    sizes = _("{width} wide, {heads}, {layers}").format(width=cfg.d_model, heads=heads, layers=layers)
    task = task_title(shown.task) or _("a file that does not name its task")
    by_name = {"task": task, "sizes": sizes, "learned": _learned(learning)}
    if n := len(shown.choice.edits):
        by_name["edited"] = n_("{n} weight changed by hand", "{n} weights changed by hand", n).format(n=n)
    if shown.taught is not None and not has_source(shown.taught):
        if learning.step and learning.right is not None:
            by_name["right"] = _of_tokens(shown.choice, learning, is_tested_on_training(shown.taught))
    elif is_tested_on_training(shown.taught) and learning.step and learning.right is not None:
        words = _("{share:.1%} right of the {n} sequences from which it has learned")
        by_name["right"] = words.format(share=learning.right, n=learning.rows)
    elif shown.choice.is_changed and learning.step and learning.right is not None and learning.rows:
        by_name["right"] = _("{share:.1%} of {n} held-out sequences right (before the changes)").format(
            share=learning.right, n=learning.rows
        )
    elif learning.step and learning.right is not None and learning.rows:
        by_name["right"] = _("{share:.1%} of {n} held-out sequences right").format(share=learning.right, n=learning.rows)
    elif learning.step and learning.right is not None:
        by_name["right"] = _("{share:.1%} of held-out sequences right").format(share=learning.right)
    return by_name


def _of_tokens(choice: ModelChoice, learning: LearningState, on_training: bool) -> str:
    words = _("{share:.1%} right of the tokens that count, in {n} held-out texts")
    if choice.is_changed:
        words = _("{share:.1%} right of the tokens that count, in {n} held-out texts (before the changes)")
    if on_training:
        words = _("{share:.1%} right of the tokens of the {n} lines from which it has learned")
    elif not learning.rows:
        words = _("{share:.1%} right of the tokens that count in held-out texts")
    return words.format(share=learning.right, n=learning.rows)


def _learned(learning: LearningState) -> str:
    n = learning.step
    if n == 0:
        return _("as initialised: nothing has been learned yet, so a pattern here means nothing")
    if learning.state == "learning":
        return n_("still learning: {n:,} step so far", "still learning: {n:,} steps so far", n).format(n=n)
    if not learning.says_steps:
        return _("learned for an unknown number of steps")
    if n < learning.last:
        return _("learned for {n:,} of {all:,} steps").format(n=n, all=learning.last)
    if learning.diverged:
        return _("stopped after {n:,} steps: its loss or its gradient was no longer finite").format(n=n)
    if learning.state == "cannot-learn":
        return _("stopped after {n:,} steps: it was no longer getting better").format(n=n)
    return n_("learned for {n:,} step", "learned for {n:,} steps", n).format(n=n)
