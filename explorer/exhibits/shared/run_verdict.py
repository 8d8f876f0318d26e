"""The verdict on a run, in one or two sentences."""

from dataclasses import dataclass

from explorer.exhibits.shared import pairs_learned, text_learned
from explorer.i18n import _
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.learning.run_history import RunHistory, Status
from explorer.ui.format import right_words
from transformer_core.data.tasks import PairsTask, TextTask, has_source


@dataclass(frozen=True)
class Verdict:
    """The sentences, and whether the run has reached what it was for."""

    words: str
    reached: bool


def of(run: TrainingRun, history: RunHistory) -> Verdict | None:
    """Returns the verdict on a run that is over; None on one that is under way, has failed, or was stopped before anything
    could be said."""
    target, seen, final = run.plan.target, history.exact_match, history.final
    if history.status == Status.FAILED:
        return None
    if run.over and history.step and isinstance(run.plan.task, PairsTask):
        return Verdict(*pairs_learned.told(run))
    if run.over and history.step and isinstance(run.plan.task, TextTask):
        return Verdict(*text_learned.told(run))
    if history.status != Status.DONE or final is None or seen is None:
        return None
    words = _ending(run.plan, seen >= target).format(
        steps=history.step,
        s=history.seconds,
        target=target,
        seen=seen,
        rows=run.plan.evaluated_on,
        exact=right_words(final.exact_match, final.rows, run.plan.task),
        n=final.rows,
    )
    return Verdict(words, seen >= target)


def _ending(plan: TrainingPlan, reached: bool) -> str:
    """Returns the sentence about a run that ended by itself, as a template. `rows`: those of its evaluations; `n`: those of the
    final test."""
    if not has_source(plan.task):
        return _of_tokens(reached)
    if plan.has_other_rows and reached:
        return _(
            "After {steps:,} steps and {s:.1f} seconds of compute, {seen:.1%} of {rows} held-out sequences were decoded "
            "exactly, so training stopped. Such a first success is often a lucky one. Tested again, on {n:,} different "
            "held-out ones, the model decodes {exact} exactly (in brackets: the 95% confidence interval)."
        )
    if plan.has_other_rows:
        return _(
            "All {steps:,} steps are done and the target of {target:.0%} was not reached: {exact} of {n:,} different "
            "held-out sequences are decoded exactly (in brackets: the 95% confidence interval). Try more steps, another "
            "learning rate, or a larger model."
        )
    if plan.has_held_out and reached:
        return _(
            "After {steps:,} steps and {s:.1f} seconds of compute, {seen:.1%} of the {rows} held-out sequences were decoded "
            "exactly, so training stopped. There are no others to test the model on, so this share may be a lucky one."
        )
    if reached:
        return _(
            "After {steps:,} steps and {s:.1f} seconds of compute, {seen:.1%} of the {rows} sequences that it learns from were "
            "decoded exactly, so training stopped. There are too few to hold any out."
        )
    if plan.has_held_out:
        return _(
            "All {steps:,} steps are done and the target of {target:.0%} was not reached: {seen:.1%} of the {rows} held-out "
            "sequences were decoded exactly. Try more steps, another learning rate, or a larger model."
        )
    return _(
        "All {steps:,} steps are done and the target of {target:.0%} was not reached: {seen:.1%} of the {rows} sequences that "
        "it learns from were decoded exactly. Try more steps, another learning rate, or a larger model."
    )


def _of_tokens(reached: bool) -> str:
    """Returns the sentence about a decoder alone, which is judged by single tokens of texts."""
    if reached:
        return _(
            "After {steps:,} steps and {s:.1f} seconds of compute, {seen:.1%} of the tokens that {rows} held-out texts decide "
            "were right, so training stopped. Such a first success is often a lucky one. Tested again, on {n:,} other held-out "
            "texts, the model is right in {exact} of those tokens."
        )
    return _(
        "All {steps:,} steps are done and the target of {target:.0%} was not reached: {exact} of the tokens that {n:,} other "
        "held-out texts decide are right. Try more steps, another learning rate, or a larger model."
    )
