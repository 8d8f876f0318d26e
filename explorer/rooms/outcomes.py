"""What happens in the cases that a room is asked about: read off the models, never written beforehand, and what is drawn of it.

Pictures are plain values for `explorer/components/outcome/pictures.js`. One that is shown while a vote is open holds nothing
that decides it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np

from explorer.i18n import N_, _, speaking
from explorer.learning.run_history import RunHistory
from explorer.learning.shipped_recordings import LayerShares, contents
from explorer.model_on_screen import cuts
from explorer.model_on_screen.decoding import token_texts
from explorer.model_on_screen.given_rows import given_row, goes_on
from explorer.model_on_screen.repeat_course import CLIFF, LOOKS, cliff
from explorer.model_on_screen.settings import ModelSettings, first_task, of_task
from explorer.model_on_screen.shown_model import ShownModel, show_model
from explorer.model_on_screen.written_answer import (
    FAINTEST,
    WrittenAnswer,
    answer_without_link,
    gloss_of,
    glosses_of,
    written_answer,
)
from explorer.rooms import experiments
from explorer.rooms.experiments import Learned
from explorer.rooms.script import ELSE, Case
from transformer_core.analysis.cutting import Cut, LinkCut
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.analysis.pronoun import IT
from transformer_core.data.corpora import CORPORA
from transformer_core.errors import InputError

Picture = dict[str, Any]
_NEVER = 10**9  # steps
_HALF = 0.5  # of the attention: a look that gets less is spread out
_MOST, _FEW = 0.75, 0.25  # shares of rows: from the one on "most", below the other "few"
_PRONOUNS = {
    "fr": "pronoun-en",
    "zh": "pronoun-zh",
}  # the model that answers, by the language that the room's translator writes


@dataclass(frozen=True)
class Outcome:
    """What happened.

    Attributes:
        found: the meaning of the choice that is right.
        said: sentences, each a template and its values; they are put into the language of whoever reads them.
        values: what stands in {braces} of a script.
        picture: of what happened; curves: of the models that learned, drawn in it.
        day: when it was recorded, if it was; "" for what this server has computed.
    """

    found: str
    said: list[tuple[str, dict[str, Any]]]
    values: dict[str, Any] = field(default_factory=dict)
    picture: Picture = field(default_factory=dict)
    curves: list[experiments.Curve] | None = None
    day: str = ""

    def words(self, language: str) -> list[str]:
        """Returns the sentences."""
        with speaking(language):
            recorded = [_("Recorded on {day}, not computed now.").format(day=self.day)] if self.day else []
            return recorded + [_(template).format(**values) for template, values in self.said]

    def as_values(self) -> dict[str, Any]:
        """Returns it as plain values, to be kept in a file: `Outcome(**values)` reads them."""
        return asdict(self)


def choice_of(case: Case, found: str) -> int | None:
    """Returns which choice means what was found; None if none does. Of steps, the first with room for the number."""
    for at, choice in enumerate(case.choices):
        is_bound = case.answer == "steps" and not case.vary and choice.means != ELSE
        fits = int(found) <= int(choice.means) if is_bound else choice.means == found
        if fits:
            return at
    return next((at for at, choice in enumerate(case.choices) if choice.means == ELSE), None)


# --- Sentences and their translations ---


def sentence(text: str, language: str) -> Picture:
    """Draws a sentence, its translation and the lines between them. Raises InputError for one that the model cannot read."""
    shown = _translator(text, language)
    return _drawn(shown, written_answer(shown), language)


def before_looking(case: Case, language: str) -> Picture:
    """Draws a sentence and its translation up to the word that is asked about: no line, and no word's meaning."""
    shown = _translator(case.sentence, language)
    answer = written_answer(shown)
    query = _place(answer, case.word)
    return _drawn(shown, answer, language) | {
        "words": answer.words[: query + 1],
        "weights": None,
        "glosses": None,
        "asked": query,
    }


def looks(case: Case, language: str) -> Outcome:
    """Finds the word of the source that gets the largest share where the case's word is written."""
    shown = _translator(case.sentence, language)
    answer = written_answer(shown)
    query, key = _strongest(case, answer)
    source, share = _source(shown)[key], f"{float(answer.weights[query, key]):.0%}"
    told = N_("Where it is about to write “{word}”, {share} of its attention is on “{source}” (last layer, mean of the heads).")
    values = {"word": case.word, "share": share, "source": source}
    seen = ELSE if answer.weights[query, key] < _HALF and _has_else(case) else source  # nowhere in particular
    return Outcome(seen, [(told, values)], values, _drawn(shown, answer, language) | {"strong": [query, key], "share": share})


def before_cutting(case: Case, language: str) -> Picture:
    """Draws a sentence, its translation and all lines, with scissors over the one that will be cut."""
    shown = _translator(case.sentence, language)
    answer = written_answer(shown)
    return _drawn(shown, answer, language) | {"scissors": list(_strongest(case, answer))}


def cut(case: Case, language: str) -> Outcome:
    """Finds the word that stands in the place of the case's word when its strongest line is cut."""
    shown = _translator(case.sentence, language)
    whole = written_answer(shown)
    query, key = _strongest(case, whole)
    changed = answer_without_link(shown, query, key)
    found = changed.words[query] if query < len(changed.words) else ""
    before, after = (_joined(each.words, language) for each in (whole, changed))
    told = N_("It writes “{after}” instead of “{before}”.") if before != after else N_("The answer stays “{before}”.")
    values = {"before": before, "after": after}
    picture = _drawn(shown, changed, language) | {"before": whole.words, "cut": [query, key]}
    return Outcome(found, [(told, values)], values, picture)


def without_line(text: str, language: str, query: int, key: int) -> Picture:
    """Draws what is written after one line of a sentence's picture is cut. Raises InputError for a line that is not drawn."""
    shown = _translator(text, language)
    whole = written_answer(shown)
    if not (0 <= query < len(whole.words) and 0 <= key < whole.weights.shape[1]) or whole.weights[query, key] < FAINTEST:
        raise InputError("There is no such line.")
    changed = answer_without_link(shown, query, key)
    drawn = _drawn(shown, changed, language) | {"before": whole.words, "cut": [query, key]}
    return drawn | {"thick": round(float(whole.weights[query, key]), 3), "stays": changed.words == whole.words}


def given(case: Case, language: str) -> Outcome:
    """Finds what stands in the place of the case's word when all heads look at one word of the source as it is written, in the
    last layer; "" where the answer ends there. Raises InputError for a word that the sentence lacks."""
    shown = _translator(case.sentence, language)
    whole, source = written_answer(shown), _source(shown)
    query = _place(whole, case.word)
    if case.look not in source:
        raise InputError("“{word}” is not in “{answer}”, what the model reads.", word=case.look, answer=" ".join(source))
    weights = [float(key == source.index(case.look)) for key in range(len(source))]
    written = int(given_row(shown, "cross", query, weights).argmax())
    rest = [] if written == shown.vocabulary.end else token_texts(shown, [written, *goes_on(shown, query, written)])
    words = [*whole.words[:query], *rest]
    before, after = (_joined(each, language) for each in (whole.words, words))
    told = N_("It writes “{after}” instead of “{before}”.") if before != after else N_("The answer stays “{before}”.")
    values = {"before": before, "after": after, "source": case.look}
    rows = [row if at != query else weights for at, row in enumerate(whole.weights.round(3).tolist()[: query + 1])]
    picture = _drawn(shown, whole, language) | {"words": words, "weights": rows, "glosses": None, "before": whole.words}
    return Outcome(rest[0] if rest else "", [(told, values)], values, picture | {"strong": [query, source.index(case.look)]})


def row_written(text: str, language: str, query: int, weights: tuple[float, ...]) -> dict[str, Any]:
    """Finds what is written in a row of the last layer's cross-attention that has these weights in all heads."""
    shown = _translator(text, language)
    (word,) = token_texts(shown, [int(given_row(shown, "cross", query, weights).argmax())])
    return {"word": word, "gloss": gloss_of(shown, word, weights, language), "weights": list(weights)}


def _translator(text: str, language: str) -> ShownModel:
    return show_model(replace(of_task(first_task(language)), src=text))


def _source(shown: ShownModel) -> list[str]:
    return [*shown.vocabulary.decode(shown.src)][: written_answer(shown).weights.shape[1]]


def _drawn(shown: ShownModel, answer: WrittenAnswer, language: str) -> Picture:
    return {
        "kind": "sentence",
        "source": shown.sentences[0].split(),
        "words": list(answer.words),
        "weights": answer.weights.round(3).tolist(),
        "glosses": list(glosses_of(shown, answer, language)),
    }


def _place(answer: WrittenAnswer, word: str) -> int:
    """Returns where the answer has a word. Raises InputError if it does not."""
    if word not in answer.words:
        raise InputError("“{word}” is not in “{answer}”, what the model writes.", word=word, answer=" ".join(answer.words))
    return answer.words.index(word)


def _strongest(case: Case, answer: WrittenAnswer) -> tuple[int, int]:
    """Returns the line of the case's word to the word that it takes most from."""
    query = _place(answer, case.word)
    return query, int(np.argmax(answer.weights[query]))


def _has_else(case: Case) -> bool:
    return any(choice.means == ELSE for choice in case.choices)


def _joined(words: Sequence[str], language: str) -> str:
    return ("" if first_task(language).endswith("zh") else " ").join(words)


# --- What "it" is ---


def before_pronoun(case: Case, language: str) -> Picture:
    """Draws where “it” looks, and what the model answers: the cut that is asked about has not been made."""
    drawn = _arcs(case, language)
    return drawn.picture | ({"hides": drawn.hidden} if case.cut else {"scissors": drawn.key})


def pronoun(case: Case, language: str) -> Outcome:
    """Finds whether an answer about “it” changes when its largest look is cut; if the case names a word, all looks at that."""
    drawn = _arcs(case, language)
    after = _said(show_model(replace(drawn.settings, cut=cuts.written(drawn.made)))).strip()
    words = {
        "word": drawn.it,
        "share": drawn.share,
        "noun": drawn.noun,
        "before": drawn.before,
        "after": after,
        "cut": case.cut,
    }
    told = N_("“{word}” looks most, with {share}, at “{noun}”. The answer was “{before}”; without that look it is “{after}”.")
    if case.cut:
        told = N_("No word may look at “{cut}”: the answer was “{before}”; now it is “{after}”.")
    picture = drawn.picture | {"after": after} | ({"hidden": drawn.hidden} if case.cut else {"cut": drawn.key})
    return Outcome("stays" if drawn.before == after else "changes", [(told, words)], words, picture)


@dataclass(frozen=True)
class _Arcs:
    settings: ModelSettings
    it: str
    noun: str
    share: str
    before: str
    key: int
    hidden: int | None
    made: list[Cut]
    picture: Picture


def _arcs(case: Case, language: str) -> _Arcs:
    task = _PRONOUNS[first_task(language).rpartition("-")[2]]
    settings = replace(of_task(task), src=case.sentence or CORPORA[task]().example)
    whole = show_model(settings)
    words = list(whole.vocabulary.decode(whole.src))
    it = words.index(IT[task])
    row = whole.attention("encoder", whole.cfg.n_layers - 1).map.weights.mean(axis=0)[it]  # (key,)
    key, before = int(row.argmax()), _said(whole).strip()
    if case.cut and case.cut not in words:
        raise InputError("“{word}” is not in “{answer}”, what the model reads.", word=case.cut, answer=" ".join(words))
    hidden = words.index(case.cut) if case.cut else None
    made: list[Cut] = [LinkCut("encoder", None, None, it, key)]
    if hidden is not None:
        made = [LinkCut("encoder", None, None, query, hidden) for query in range(len(words)) if query != hidden]
    picture = {
        "kind": "arcs",
        "words": words,
        "it": it,
        "row": row.round(3).tolist(),
        "key": key,
        "share": f"{row[key]:.0%}",
        "before": before,
    }
    return _Arcs(settings, words[it], words[key], f"{row[key]:.0%}", before, key, hidden, made, picture)


def _said(shown: ShownModel) -> str:
    return " ".join(shown.vocabulary.decode(shown.answer)[1:])


# --- Models that learn ---


def before_learning(task: str = experiments.LETTERS) -> Picture:
    """Draws rows of a task, and what a model writes for them that has learned nothing."""
    asked, wrote = experiments.before_learning(task=task)
    return {"kind": "runs", "rows": asked, "film": [[0, wrote]], "task": task}


def steps(case: Case, learned: Learned) -> Outcome:
    """Finds the median of the steps that models needed, or with which value of a setting they needed the fewest."""
    curves = experiments.curves([*learned.made.values()])
    needed = experiments.steps_needed(curves, case.task)
    found, said, values = _spread(case, needed) if case.vary else _steps(needed)
    first = next(iter(learned.made.values()))
    batch, of = learned.plans[next(iter(learned.plans))].recipe.batch_size, _evaluated_on(learned)
    values |= {"rows": f"{values['median'] * batch:,}"} if isinstance(values.get("median"), int) else {}
    picture = _film(first) | {"needed": needed, "of": of, "vary": case.vary, "values": list(case.values)}
    if case.task == experiments.REPEAT and not case.vary:
        heads, picture["heads"] = _two_heads(experiments.head_shares(learned.made))
        said += [*_cliffs(curves), heads]
        values |= {name: value for _template, told in said for name, value in told.items()}
    return Outcome(found, said, values, picture, curves, _day(learned))


def _cliffs(curves: Sequence[experiments.Curve]) -> list[tuple[str, dict[str, Any]]]:
    """Says within how many steps the curves rise steeply; nothing if none does."""
    found = [(curve, cliff(np.array([share for _step, share in curve]))) for curve in curves]
    widths = [curve[at[1]][0] - curve[at[0]][0] for curve, at in found if at is not None]
    low, high = (f"{share:.0%}" for share in CLIFF)
    told = N_("From {low} to {high} right it took {shortest} to {longest} steps.")
    words = {"low": low, "high": high, "shortest": min(widths, default=0), "longest": max(widths, default=0)}
    return [(told, words)] if widths else []


def _two_heads(shares: Sequence[LayerShares]) -> tuple[tuple[str, dict[str, Any]], dict[str, list[float]]]:
    """Counts the models whose first layer has a head that looks at the letter before, and whose last has one that looks at what
    came after. Returns the sentence, and the share of each of these heads in each model."""
    before, after = [each.before[0] for each in shares], [each.after[-1] for each in shares]
    both = sum(min(pair) >= LOOKS for pair in zip(before, after, strict=True))
    told = N_(
        "In {both} of {n} models the same two heads have come about: one in the first layer gives {share} or more of its "
        "attention to the letter before, one in the second as much to what came after the same letter the last time."
    )
    words = {"both": both, "n": len(shares), "share": f"{LOOKS:.0%}"}
    return (told, words), {"before": before, "after": after}


def next_model(earlier: Outcome, learned: Learned) -> Outcome:
    """Finds where one more model comes in among those of an earlier outcome."""
    history = next(iter(learned.made.values()))
    (curve,) = experiments.curves([history])
    (steps,) = experiments.steps_needed([curve], history.plan.task.name)
    there = [each for each in earlier.picture["needed"] if each is not None]
    needed = _NEVER if steps is None else steps
    among = "before" if needed < min(there) else "after" if needed > max(there) else "among"
    told = N_("It needed {steps} steps; the others {least} to {most}.")
    if steps is None:
        told = N_("It did not get there in {taken} steps: at most {best} came out right. The others needed {least} to {most}.")
    best = max((share for _step, share in curve), default=0.0)
    values = {"steps": steps, "least": min(there), "most": max(there), "taken": history.step, "best": f"{best:.0%}"}
    picture = earlier.picture | _film(history) | {"next": curve, "next_steps": steps}
    return Outcome(among, [(told, values)], values, picture, earlier.curves, _day(learned))


def growing(learned: Learned, case: Case) -> Picture:
    """Draws models that are still learning; their curves are sent beside it."""
    begun = next((each for each in learned.under_way if each is not None and each.snapshots), None)
    film = _film(begun) if begun is not None else before_learning(case.task)
    return film | {"vary": case.vary, "values": list(case.values), "of": _evaluated_on(learned)}


def _film(history: RunHistory) -> Picture:
    """Draws what a model writes for some rows, after each step that was evaluated."""
    task = history.plan.task
    film = [[each.step, experiments.written(task, each)] for each in history.snapshots]
    return {"kind": "runs", "rows": experiments.rows(task, history.snapshots[0]), "film": film, "task": task.name}


def _evaluated_on(learned: Learned) -> int:
    return next(iter(learned.plans.values())).recipe.evaluate_on


def _day(learned: Learned) -> str:
    return next((each.day for each in learned.made.values() if each.day), "")


def _steps(needed: Sequence[int | None]) -> tuple[str, list[tuple[str, dict[str, Any]]], dict[str, Any]]:
    there, median = sorted(each for each in needed if each is not None), _median(needed)
    if not there:
        return str(median), [(N_("None of {n} models got there."), {"n": len(needed)})], {}
    told = N_("Of {n} models, half needed {median} steps or fewer; the quickest {least}, the slowest {most}.")
    if len(there) < len(needed):
        told = N_("Of {n} models, {k} got there, the quickest after {least} steps, the slowest after {most}.")
    values = {"n": len(needed), "k": len(there), "median": median, "least": there[0], "most": there[-1]}
    return str(median), [(told, values)], values


def _spread(case: Case, needed: Sequence[int | None]) -> tuple[str, list[tuple[str, dict[str, Any]]], dict[str, Any]]:
    """Finds the value with which every model was quicker than any model of another value; "" where there is none. The models of
    the values took turns."""
    by_value = {value: needed[at :: len(case.values)] for at, value in enumerate(case.values)}
    told: list[tuple[str, dict[str, Any]]] = []
    for value, those in by_value.items():
        there = sorted(each for each in those if each is not None)
        words = N_("{setting} {value}: median {median} steps, from {least} to {most} ({n} models).")
        if not there:
            words = N_("{setting} {value}: none of {n} models got there.")
        elif len(there) < len(those):
            words = N_("{setting} {value}: {k} of {n} models got there, from {least} to {most} steps.")
        values = {"setting": case.vary, "value": value, "k": len(there), "n": len(those)}
        told.append((words, values | ({"median": _median(those), "least": there[0], "most": there[-1]} if there else {})))
    ranges = {value: sorted(_NEVER if each is None else each for each in those) for value, those in by_value.items()}
    first, *others = sorted(case.values, key=lambda value: (ranges[value][-1], value))
    is_clear = all(ranges[first][-1] < ranges[other][0] for other in others)
    words = N_(
        "The ranges overlap: {n} seeds for each value do not tell which is quickest. It does not show that they are equal."
    )
    if is_clear:
        words = N_("With {setting} {value} each model was quicker than any of the others: on this task, with these {n} seeds.")
    told.append((words, {"setting": case.vary, "value": first, "n": len(by_value[first])}))
    return str(first) if is_clear else "", told, {}


def _median(needed: Sequence[int | None]) -> int:
    """Returns the middle one, the lower of two; models that never got there count as slowest."""
    ordered = sorted(_NEVER if each is None else each for each in needed)
    return ordered[(len(ordered) - 1) // 2] if ordered else _NEVER


# --- Models that peek ---


def before_peeking() -> Picture:
    """Draws a row of the task, for one model with the letters to come covered."""
    asked, _wrote = experiments.before_learning()
    return {"kind": "cards", "row": asked[0], "covered": False}


def before_covering(earlier: Outcome) -> Picture:
    """Draws the same row, covered for the second model, too, and how it did before."""
    drawn = earlier.picture
    return {
        "kind": "cards",
        "row": drawn["row"],
        "covered": True,
        "right": drawn["right"][1],
        "of": drawn["of"],
        "steps": experiments.COVERED_STEPS,
    }


def peek(learned: Learned) -> Outcome:
    """Compares models that learned with the causal mask and without, each on its own in the end."""
    masked, open_ = (learned.made[name] for name in (experiments.MASKED, experiments.OPEN))
    at = _telling_row(masked, open_)
    row, first, second = (
        experiments.rows(masked.plan.task, masked.snapshots[0])[at],
        *(experiments.written(each.plan.task, each.snapshots[-1])[at] for each in (masked, open_)),
    )
    right, of = [round(each.right * each.rows) for each in (masked, open_)], masked.rows
    sure = [f"{each.likely:.1%}" for each in (masked, open_)]
    told = N_(
        "On its own, the one that could peek gets {b:,} of {n:,} new rows right, the other one {a:,}. (While they learned, "
        "they gave the right letter {sure} and {less}.)"
    )
    words = {"a": right[0], "b": right[1], "n": of, "sure": sure[1], "less": sure[0]}
    values = {
        "sure": sure[0],
        "sure_peek": sure[1],
        "source": row,
        "first": first,
        "second": second,
        "right": f"{right[0]:,}",
        "right_peek": f"{right[1]:,}",
        "rows": f"{of:,}",
    }
    loss = [round(-float(np.log(each.likely)), 3) for each in (masked, open_)]
    picture = {
        "kind": "peek",
        "row": row,
        "first": first,
        "second": second,
        "sure": sure,
        "loss": loss,
        "right": right,
        "of": of,
        "shares": [masked.likely, open_.likely],
        "at": at,
    }
    return Outcome(_compared(masked, open_), [(told, words)], values, picture, day=_day(learned))


def after_covering(earlier: Outcome, learned: Learned) -> Outcome:
    """Finds how many rows the model that peeked gets right after some steps with the mask."""
    made = learned.made[experiments.COVERED]
    right, of = round(made.right * made.rows), made.rows
    before = earlier.picture["right"][1]
    found = "most" if made.right >= _MOST else "few" if made.right < _FEW or right <= before else "half"
    told = N_("After {steps} steps with its eyes covered it gets {right:,} of {n:,} new rows right; before, {before:,}.")
    words = {"steps": len(made.loss), "right": right, "n": of, "before": before}
    wrote = experiments.written(made.plan.task, made.snapshots[-1])[earlier.picture["at"]]
    pairs = [[round(one, 3), round(other, 3)] for one, other in contents().pairs]
    picture = earlier.picture | {"covered": wrote, "right_after": right, "pairs": pairs}
    values = {"right_after": f"{right:,}", "rows": f"{of:,}", "steps": words["steps"]}
    return Outcome(found, [(told, words)], values, picture, day=_day(learned))


def _telling_row(masked: RunHistory, open_: RunHistory) -> int:
    """Returns a row that the first model writes rightly and the second not, where there is one."""
    right, wrong = masked.snapshots[-1].right, ~open_.snapshots[-1].right
    return int(np.argmax(right & wrong))


def _compared(masked: RunHistory, open_: RunHistory) -> str:
    (low, high), (other_low, other_high) = (share_interval(each.right, each.rows) for each in (masked, open_))
    return "worse" if other_high < low else "better" if other_low > high else "same"


# --- All of them ---

_BEFORE: Mapping[str, Callable[[Case, str], Picture]] = {
    "looks": before_looking,
    "cut": before_cutting,
    "given": before_looking,
    "pronoun": before_pronoun,
    "new pronoun": before_pronoun,
    "steps": lambda case, _language: before_learning(case.task),
    "peek": lambda _case, _language: before_peeking(),
}
_AT_ONCE: Mapping[str, Callable[[Case, str], Outcome]] = {
    "looks": looks,
    "cut": cut,
    "given": given,
    "pronoun": pronoun,
    "new pronoun": pronoun,
}


def before(case: Case, language: str, earlier: Outcome | None = None) -> Picture:
    """Draws what is shown while a vote is open. `earlier`: the outcome of its step, of a new case."""
    if case.answer == "new steps":
        assert earlier is not None
        return earlier.picture | {"next": [], "next_steps": None}
    if case.answer == "new peek":
        assert earlier is not None
        return before_covering(earlier)
    return _BEFORE[case.answer](case, language)


def is_known_at_once(case: Case) -> bool:
    """Returns whether no model has to learn for it."""
    return case.answer in _AT_ONCE


def at_once(case: Case, language: str) -> Outcome:
    """Returns what happens in such a case."""
    return _AT_ONCE[case.answer](case, language)


def problems(case: Case, language: str) -> list[InputError]:
    """Returns what is wrong with a case before anybody is asked: a sentence that the model cannot read, a word that it does not
    write, an outcome that no choice means."""
    if not is_known_at_once(case):
        return []
    try:
        found = at_once(case, language).found
    except InputError as error:
        return [error]
    at = choice_of(case, found)
    if at is None:
        return [InputError("What happens is “{found}”, and no choice means it.", found=found)]
    return []


def unreadable(text: str, language: str) -> list[InputError]:
    """Returns why the model cannot read a sentence; nothing if it can."""
    try:
        sentence(text, language)
    except InputError as error:
        return [error]
    return []
