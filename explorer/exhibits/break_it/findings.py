"""Sentences about two models that differ in one part: plans, histories and attention in, words out."""

from collections.abc import Sequence

import numpy as np

from explorer.i18n import _
from explorer.learning.ablations import ABLATIONS, OUTCOMES, TARGET, AblationPair, outcome, starts_alike
from explorer.learning.comparison import differences
from explorer.learning.plan import TrainingPlan
from explorer.learning.run_history import RunHistory
from explorer.learning.snapshots import Snapshot
from explorer.ui.format import share_words
from explorer.ui.setting_names import setting_name, setting_value
from transformer_core.analysis.attention_map import AttentionMap
from transformer_core.analysis.attention_metrics import attention_ahead, attention_to_next
from transformer_core.analysis.schedule import least_loss
from transformer_core.training.evaluation import FinalEvaluation

Histories = tuple[RunHistory, RunHistory]


def difference(baseline: TrainingPlan, ablated: TrainingPlan) -> str:
    """Says in what the two differ, and in what they do not."""
    words = _("Only {changes} differs; the task, its data and their order, and the seed, {seed}, are the same.")
    if not starts_alike(baseline, ablated):
        words = _(
            "{changes} differs, and with it the initial weights, of which the ablated model has fewer; the task, its data and "
            "their order, and the seed, {seed}, are the same."
        )
    return words.format(changes=changes(baseline, ablated), seed=baseline.recipe.seed)


def changes(baseline: TrainingPlan, ablated: TrainingPlan) -> str:
    """`**causal mask: on → off**`"""
    before, after = differences(ablated, baseline), differences(baseline, ablated)
    each_change = (
        f"{setting_name(name)}: {setting_value(name, before[name])} → {setting_value(name, after[name])}" for name in after
    )
    return _(", ").join(f"**{each}**" for each in each_change)


def looks(name: str, both: Sequence[TrainingPlan], maps: Sequence[AttentionMap]) -> str:
    """Says where the attention of the two lies. `maps`: of the baseline, and of the ablated model if it has this attention."""
    if len(maps) < len(both):
        return _("The ablated model has no cross-attention: there is nothing to draw.")
    if ABLATIONS[name].attention == "decoder":
        one, other = (float(attention_ahead(each.weights).mean()) for each in maps)
        return _(
            "On the row drawn here, {other:.0%} of the ablated model's attention lies on numbers that come later, and "
            "{one:.0%} of the baseline's."
        ).format(one=one, other=other)
    one, other = (attention_to_next(each.weights) for each in maps)
    even = 1 / len(maps[0].key_tokens)
    words = _(
        "On the row drawn here, the place that is to be copied next gets {one:.0%} of the baseline's attention, and "
        "{other:.0%} of the ablated model's; spread evenly it would be {even:.0%}."
    )
    return words.format(one=one, other=other, even=even)


def happened(pair: AblationPair, histories: Histories) -> list[str]:
    """Says how both ended."""
    baseline, ablated = (
        {"exact": share_words(right.exact_match, right.rows), "rows": right.rows, "n": history.step, "loss": history.loss[-1]}
        for history, right in zip(histories, _right(histories), strict=True)
    )
    without = _(ABLATIONS[pair.name].without)
    words = _("**Ablated** ({without}): exact match {exact} of {rows:,} sequences after {n:,} steps, loss {loss:.3f}.")
    return [
        _("**Baseline**: exact match {exact} of {rows:,} sequences after {n:,} steps, loss {loss:.3f}.").format(**baseline),
        words.format(without=without, **ablated),
    ]


def _right(histories: Histories) -> list[FinalEvaluation]:
    """Says how much each gets right: nothing, if it failed before its first evaluation."""
    return [history.evaluation or FinalEvaluation(0.0, history.plan.evaluated_on) for history in histories]


def cheated(pair: AblationPair, histories: Histories) -> list[str]:
    """Says that the ablated model read in training what it should predict, if it did; else nothing."""
    baseline, ablated = histories
    if pair.name != "causal" or outcome(baseline, ablated) != "never" or ablated.loss[-1] >= baseline.loss[0] / 20:
        return []
    words = _(
        "**It cheated**: in training the decoder can read the next token from its own input, and the loss fell to {loss:.3f}. "
        "When it generates, that token is not there yet, and of {rows:,} sequences, {exact} come out right."
    )
    right = _right(histories)[1]
    exact = share_words(right.exact_match, right.rows)
    return [words.format(loss=float(ablated.loss[-1]), rows=right.rows, exact=exact)]


def telling_row(newest: Sequence[Snapshot]) -> int:
    """Returns the row to show at the end: the first, of those that are looked at, that the ablated model gets wrong, or the
    baseline, where there is one.
    """
    for snapshot in reversed(newest):
        if not snapshot.right.all():
            return int(snapshot.right.argmin())
    return 0


def right_rows(histories: Histories) -> list[str]:
    """Says that the rows on screen tell too little: of a model that gets others wrong they are all right."""
    ablated = histories[1]
    if (ablated.exact_match or 0) >= TARGET or not ablated.snapshots or not ablated.snapshots[-1].right.all():
        return []
    words = _("The {n} rows that are looked at here come out right; of all that were tried, the others do not.")
    return [words.format(n=len(ablated.snapshots[-1].right))]


def sureness(snapshot: Snapshot) -> float:
    """Returns the probability of the right token, on average over the rows of a snapshot."""
    right = np.take_along_axis(snapshot.probabilities, snapshot.probe.labels.numpy()[:, :, None], axis=-1)  # (row, tgt, 1)
    return float(right.astype(np.float32).mean())


def unreached(histories: Histories) -> list[str]:
    """Says that the baseline has not learned, if it has not: then there is little to compare with."""
    if (histories[0].exact_match or 0) >= TARGET:
        return []
    words = _("The baseline has not reached {target:.0%} either. Try another seed.")
    if outcome(*histories) == "faster":
        words = _("Only the ablated model has reached {target:.0%}. Try another seed.")
    return [words.format(target=TARGET)]


def compared(pair: AblationPair, both: Sequence[TrainingPlan], histories: Histories, maps: Sequence[AttentionMap]) -> list[str]:
    """Says in what the two differ. This is no cause yet: runs whose weights differ by a millionth also end at other steps."""
    baseline, ablated = histories
    result, lines = outcome(baseline, ablated), []
    if len(maps) < len(both):
        words = _(
            "Nothing of the source reaches the ablated model. Its loss is {loss:.3f}; that of guessing evenly among the "
            "numbers is {even:.3f}."
        )
        lines.append(words.format(loss=float(ablated.loss[-1]), even=both[1].guessing_loss))
    elif pair.name == "smoothing":
        words = _(
            "The two losses are not of one kind: a smoothed target has a loss of at least {least:.3f}, whatever the model "
            "predicts."
        )
        lines.append(words.format(least=least_loss(both[0].task.vocab, both[0].recipe.label_smoothing)))
    else:
        lines.append(looks(pair.name, both, maps))
    if (baseline.exact_match or 0) < TARGET:
        return lines
    if result == "same":
        lines.append(_("**In these two runs** both learn, about as fast. With another seed it may end otherwise."))
    else:
        words = _(
            "**In these two runs** {changes} alone differs. Whether it ends like this every time, two runs do not show: try "
            "several seeds."
        )
        if not starts_alike(*both):
            words = _(
                "**In these two runs** {changes} differs, and with it the initial weights. Whether it ends like this every "
                "time, two runs do not show: try several seeds."
            )
        lines.append(words.format(changes=changes(*both)))
    return lines


def expected(pair: AblationPair, histories: Histories) -> list[str]:
    """Says whether the visitor guessed it."""
    result = outcome(*histories)
    if pair.guess == result:
        return [_("As you expected: {found}.").format(found=_(OUTCOMES[result]))]
    words = _("You expected “{guess}”; what happened was “{found}”.")
    return [words.format(guess=_(OUTCOMES[pair.guess]), found=_(OUTCOMES[result]))]
