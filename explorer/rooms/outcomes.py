"""The outcome of a question that a room has voted on: read off the model when it is shown, never written beforehand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from everyday.glosses import glosses
from explorer import resources
from explorer.i18n import _
from explorer.inference import cuts
from explorer.inference.settings import first_task, of_task
from explorer.inference.shown_model import ShownModel, show_model
from explorer.inference.written_answer import WrittenAnswer, answer_without_link, written_answer
from explorer.rooms.script import ELSE, Step
from explorer.training.ablations import recorded_plans
from explorer.training.recordings import Recording
from transformer_core.analysis.cutting import LinkCut
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.analysis.pronoun import IT
from transformer_core.data.corpora import CORPORA

_NEVER = 10**9  # steps
_PRONOUN = "pronoun-en"  # the sentence of the question is English in every language


@dataclass(frozen=True)
class Outcome:
    """The outcome. `found`: the meaning of the choice that is right; words: one sentence with the numbers."""

    found: str
    words: str


def choice_of(step: Step, found: str) -> int | None:
    """Returns which choice of a step means what was found; None if none does. Of steps, the first with room for the number."""
    for at, choice in enumerate(step.choices):
        is_bound = step.answer == "steps" and not step.vary and choice.means != ELSE
        fits = int(found) <= int(choice.means) if is_bound else choice.means == found
        if fits:
            return at
    return next((at for at, choice in enumerate(step.choices) if choice.means == ELSE), None)


def sentence_picture(step: Step, language: str, *, lines: bool, cut: bool) -> dict[str, Any]:
    """Returns the words of the sentence and of its translation, with the weights between them if `lines`; after the cut of the
    step's line if `cut`."""
    shown = _asked(step, language)
    whole = written_answer(shown)
    drawn, link = whole, None
    if cut:
        link = _strongest(step, whole)
        drawn = answer_without_link(shown, *link)
    known = {} if shown.translation is None else glosses(shown.translation.language)
    return {
        "source": step.sentence.split(), "words": drawn.words, "before": whole.words if cut else None, "cut": link,
        "weights": drawn.weights.round(3).tolist() if lines else None,
        "glosses": [known.get(word, "") for word in drawn.words],
    }  # fmt: skip


def looks(step: Step, language: str) -> Outcome:
    """Finds the word of the source that gets the largest share where the step's word is written."""
    answer = written_answer(_asked(step, language))
    query, key = _strongest(step, answer)
    source = step.sentence.split()[key]
    words = _(
        "Where it is about to write “{word}”, {share:.0%} of its attention is on “{source}” (last layer, mean of the heads)."
    )
    return Outcome(source, words.format(word=step.word, share=float(answer.weights[query, key]), source=source))


def cut(step: Step, language: str) -> Outcome:
    """Finds the word that stands in the place of the step's word when its strongest line is cut."""
    shown = _asked(step, language)
    whole = written_answer(shown)
    query, key = _strongest(step, whole)
    after = answer_without_link(shown, query, key).words
    found = after[query] if query < len(after) else ""
    before, now = " ".join(whole.words), " ".join(after)
    if whole.words == after:
        return Outcome(found, _("The answer stays “{before}”.").format(before=before))
    return Outcome(found, _("It writes “{after}” instead of “{before}”.").format(after=now, before=before))


def pronoun() -> Outcome:
    """Finds whether an answer about “it” changes when the look that gets the largest share is cut."""
    settings = replace(of_task(_PRONOUN), src=CORPORA[_PRONOUN]().example)
    whole = show_model(settings)
    weights = whole.attention("encoder", whole.cfg.n_layers - 1).map.weights.mean(axis=0)  # (query, key)
    words = whole.vocabulary.decode(whole.src)
    it = words.index(IT[_PRONOUN])
    place = int(weights[it].argmax())
    link = cuts.written([LinkCut("encoder", None, None, it, place)])
    before, after = (_said(each) for each in (whole, show_model(replace(settings, cut=link))))
    said = _("“it” looks most, with {share:.0%}, at “{noun}”. The answer was “{before}”; without that look it is “{after}”.")
    told = said.format(share=float(weights[it, place]), noun=words[place], before=before, after=after)
    return Outcome("stays" if before == after else "changes", told)


def steps(needed: Sequence[int | None]) -> Outcome:
    """Finds the median of the steps that models needed; None for one that did not get there."""
    there, median = sorted(each for each in needed if each is not None), _median(needed)
    if not there:
        return Outcome(str(median), _("None of {n} models got there.").format(n=len(needed)))
    words = _("Of {n} models, half needed {median} steps or fewer; the quickest {least}, the slowest {most}.")
    if len(there) < len(needed):
        words = _("Of {n} models, {k} got there, the quickest after {least} steps, the slowest after {most}.")
    return Outcome(str(median), words.format(n=len(needed), k=len(there), median=median, least=there[0], most=there[-1]))


def spread(step: Step, needed: Sequence[int | None]) -> Outcome:
    """Finds the value of a setting with which every model was quicker than any model of another value; "" where there is none.
    The models of the values took turns."""
    by_value = {value: needed[at :: len(step.values)] for at, value in enumerate(step.values)}
    told = []
    for value, those in by_value.items():
        there = sorted(each for each in those if each is not None)
        if not there:
            words = _("{setting} {value}: none of {n} models got there.")
            told.append(words.format(setting=step.vary, value=value, n=len(those)))
            continue
        words = _("{setting} {value}: median {median} steps, from {least} to {most} ({n} models).")
        if len(there) < len(those):
            words = _("{setting} {value}: {k} of {n} models got there, from {least} to {most} steps.")
        values = {"median": _median(those), "least": there[0], "most": there[-1], "k": len(there), "n": len(those)}
        told.append(words.format(setting=step.vary, value=value, **values))
    ranges = {value: sorted(_NEVER if each is None else each for each in those) for value, those in by_value.items()}
    first, *others = sorted(step.values, key=lambda value: (ranges[value][-1], value))
    is_clear = all(ranges[first][-1] < ranges[other][0] for other in others)
    if is_clear:
        words = _("With {setting} {value} each model was quicker than any of the others: on this task, with these {n} seeds.")
    else:
        words = _(
            "The ranges overlap: {n} seeds for each value do not tell which is quickest. It does not show that they are equal."
        )
    told.append(words.format(setting=step.vary, value=first, n=len(by_value[first])))
    return Outcome(str(first) if is_clear else "", "\n".join(told))


def peek(viewer: str) -> Outcome | None:
    """Compares models that learned with the causal mask and without; None while they still learn, once for the whole server."""
    made = [resources.recordings().get(name, plan, viewer) for name, plan in recorded_plans().items()]
    found = [each for each in made if each is not None]
    if len(found) < len(made):
        return None
    masked, peeking = found
    words = _(
        "On its own, the one that could peek gets {b:.0%} of {n:,} new rows right, the other one {a:.0%}. (While they learned, "
        "they gave the right number {sure:.1%} and {less:.1%}.)"
    )
    told = words.format(a=masked.right, b=peeking.right, n=peeking.rows, sure=peeking.likely, less=masked.likely)
    return Outcome(_compared(masked, peeking), told)


def _median(needed: Sequence[int | None]) -> int:
    """Returns the middle one, the lower of two; models that never got there count as slowest."""
    ordered = sorted(_NEVER if each is None else each for each in needed)
    return ordered[(len(ordered) - 1) // 2] if ordered else _NEVER


def _compared(masked: Recording, peeking: Recording) -> str:
    (low, high), (other_low, other_high) = (share_interval(each.right, each.rows) for each in (masked, peeking))
    return "worse" if other_high < low else "better" if other_low > high else "same"


def _asked(step: Step, language: str) -> ShownModel:
    return show_model(replace(of_task(first_task(language)), src=step.sentence))


def _strongest(step: Step, answer: WrittenAnswer) -> tuple[int, int]:
    """Returns the line of the step's word to the word that it takes most from. Raises ValueError if it does not write it."""
    query = answer.words.index(step.word)
    return query, int(np.argmax(answer.weights[query]))


def _said(shown: ShownModel) -> str:
    return " ".join(shown.vocabulary.decode(shown.answer)[1:])
