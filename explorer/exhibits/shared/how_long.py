"""The estimated time of a run: that of a step here, times the steps that it may need, and longer on a busy computer."""

from dataclasses import replace

from explorer import limits, resources
from explorer.exhibits.shared.run_status import busy_words
from explorer.i18n import _, n_
from explorer.learning.plan import TrainingPlan
from explorer.learning.slow_motion import seconds_at
from explorer.learning.task_titles import TASK_TITLES
from explorer.model_on_screen.before_training import step_seconds
from explorer.model_on_screen.settings import of_task

_CHANCE = 2.0  # the factor by which the steps that a run needs may differ from those of another seed
_MACHINE = 1.5  # the factor by which a step's time may differ from when it was measured


def words(plan: TrainingPlan, watched: bool) -> tuple[str, str]:
    """Returns sentences with the estimated time, and with the reasons, or "". `watched`: the run is in slow motion."""
    if plan.recipe.device != "cpu":
        return _("How long this takes on {device} is not known beforehand.").format(device=plan.recipe.device), ""
    usual, most, each = _usual_steps(plan), plan.recipe.steps, step_seconds(plan)
    sentence = _("This takes between {low} and {high} on this server.")
    if plan.beyond is None:
        few, many = most, most
        sentence, why = _("It takes about {high} on this server."), _("It takes all of its {most:,} steps.")
    elif usual is None:
        few, many = 1, most
        sentence = _("All steps take about {high} on this server; it may need fewer.")
        why = _("It ends after {most:,} steps at the latest; how many it needs is not known beforehand.")
    elif usual > most:
        few, many = most, most
        why = _(
            "It will probably take all of its {most:,} steps and not reach {target:.0%}: the usual model of this task, which "
            "the app has, did so at step {usual:,}."
        )
    else:
        few, many = round(usual / _CHANCE), min(round(usual * _CHANCE), most)
        why = _(
            "The usual model of this task, which the app has, reached {target:.0%} at step {usual:,}; another run may need "
            "half as many steps, or twice as many."
        )
    low, high = few * each / _MACHINE, many * each * _MACHINE * resources.training_scheduler().slowness.now()
    reasons = [why.format(most=most, target=plan.target, usual=usual), _a_step(each), *_crowd()]
    if watched:
        if seconds_at(many) > high:
            reasons.append(_("Most of the time is slow motion, which can be switched off."))
        low, high = max(low, seconds_at(few)), max(high, seconds_at(many))
    sentences = [sentence.format(low=_duration(low), high=_duration(high)), busy_words()]
    return " ".join(filter(None, sentences)), " ".join(reasons)


def _usual_steps(plan: TrainingPlan) -> int | None:
    """Returns the step at which the task's usual model reached this plan's target; None if that is unknown, or if the plan
    differs from that model's in more than its seed, steps and target. Of one that learned beforehand, by another recipe, it
    says only that even it took more steps than the plan has."""
    if plan.task.name not in TASK_TITLES:
        return None
    plans = of_task(plan.task.name).plans()
    usual, model = plans[-1], resources.model_store().learned_by(plans)
    is_usual = (plan.cfg, plan.task) == (usual.cfg, usual.task)
    if model is None or not is_usual or replace(plan.recipe, seed=usual.recipe.seed, steps=usual.recipe.steps) != usual.recipe:
        return None
    reached = model.curve[model.curve[:, 1] >= plan.target, 0]
    if not len(reached) or (model.id != usual.key and reached[0] <= plan.recipe.steps):
        return None
    return int(reached[0])


def _a_step(seconds: float) -> str:
    return _("A step takes about {ms:,.0f} ms here.").format(ms=1000 * seconds)


def _crowd() -> list[str]:
    others = resources.training_scheduler().crowd
    if others < max(limits.WORKERS, 1):
        return []
    sentences = n_(
        "{n} other model learns on this server now: it may take longer.",
        "{n} other models learn on this server now: it may take longer.",
        others,
    )
    return [sentences.format(n=others)]


def _duration(seconds: float) -> str:
    if seconds < 90:
        return n_("{n} second", "{n} seconds", n := max(1, round(seconds))).format(n=n)
    return n_("{n} minute", "{n} minutes", n := round(seconds / 60)).format(n=n)
