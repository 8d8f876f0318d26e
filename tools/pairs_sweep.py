"""Trains a model on small sets of pairs, as *Your own sentences* does, and asks it for combinations that are in no pair.

    python -m tools.pairs_sweep --plans before usual [--sizes 12 30 60 200] [--seeds 5] [--sets NAME ...]

Each set has a rule: a language, a code, numbers. Its pairs are drawn from all that the rule can make; the judge are up to 200
others, of the same words. Whoever changes `pairs_plan` runs this first: its table stands in docs/performance.md.
"""

import argparse
import itertools
import os
import random
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace

import torch

from transformer_core.data.batch import Batch
from transformer_core.data.draws import Example
from transformer_core.data.pairs import Pair, tokens
from transformer_core.data.tasks import PairsTask
from transformer_core.model.config import Position
from transformer_core.model.transformer import Transformer
from transformer_core.training.evaluation import rows_decoded_right
from transformer_core.training.learning_plan import LearningPlan, pairs_plan
from transformer_core.training.trainer import Trainer, averaged

FRESH = 200  # combinations in no pair that are asked for

# --- The sets. -------------------------------------------------------------------------------------------------------------


def spanish() -> Iterator[Pair]:
    """Adjectives stand behind the noun, and agree with it in gender and number."""
    nouns = {"house": "casa", "table": "mesa", "flower": "flor", "book": "libro", "dog": "perro", "car": "coche"}
    adjectives = {"red": "roj", "white": "blanc", "old": "viej", "small": "pequeñ", "new": "nuev", "black": "negr"}
    feminine = {"casa", "mesa", "flor"}
    for (noun, nombre), (adjective, stem), many in itertools.product(nouns.items(), adjectives.items(), (False, True)):
        is_feminine, plural = nombre in feminine, ("es" if nombre == "flor" else "s") if many else ""
        article = ("las" if is_feminine else "los") if many else ("la" if is_feminine else "el")
        ending = ("a" if is_feminine else "o") + ("s" if many else "")
        yield f"the {adjective} {noun}{'s' if many else ''}", f"{article} {nombre}{plural} {stem}{ending}"


def verbs() -> Iterator[Pair]:
    """The verb agrees with the person."""
    people = {"i": ("yo", "o"), "you": ("tú", "es"), "she": ("ella", "e"), "we": ("nosotros", "emos"), "they": ("ellos", "en")}
    actions = {"eat": "com", "drink": "beb", "sell": "vend", "understand": "comprend"}
    objects = {"bread": "pan", "water": "agua", "milk": "leche", "wine": "vino", "fruit": "fruta"}
    for (person, (pronoun, ending)), (verb, stem), (thing, cosa) in itertools.product(
        people.items(), actions.items(), objects.items()
    ):
        yield f"{person} {verb}{'s' if person == 'she' else ''} {thing}", f"{pronoun} {stem}{ending} {cosa}"


def chinese() -> Iterator[Pair]:
    """One word for each, in another place; the source has no blanks."""
    people = {"我": "i", "你": "you", "他们": "they", "我们": "we"}
    places = {"在家": "at home", "在学校": "at school", "在公园": "in the park"}
    actions = {"看书": "read", "吃饭": "eat", "唱歌": "sing", "跑步": "run"}
    times = {"今天": "today", "明天": "tomorrow", "每天": "every day"}
    for (when, time), (who, person), (where, place), (do, verb) in itertools.product(
        times.items(), people.items(), places.items(), actions.items()
    ):
        yield f"{who}{when}{where}{do}", f"{person} {verb} {place} {time}"


def german() -> Iterator[Pair]:
    """The units come before the tens."""
    units = ["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
    tens = ["zwanzig", "dreißig", "vierzig", "fünfzig", "sechzig", "siebzig", "achtzig", "neunzig"]
    for (i, ten), (j, unit) in itertools.product(enumerate(tens, 2), enumerate(units, 1)):
        yield f"{i} {j}", f"{unit} und {ten}"


def code() -> Iterator[Pair]:
    """Each word has a number, and the message is written backwards."""
    words = {"cat": "4", "dog": "8", "sun": "2", "tree": "1", "moon": "7", "fish": "5", "star": "3", "bird": "6"}
    for message in itertools.permutations(words, 3):
        yield " ".join(message), " ".join(words[word] for word in reversed(message))


def agreement() -> Iterator[Pair]:
    """A made-up language: a mark on both words says which kind the noun is."""
    nouns = {"cat": ("miru", "a"), "dog": ("kelu", "a"), "house": ("tavo", "o"), "stone": ("bero", "o"), "river": ("sula", "a")}
    adjectives = {"big": "gran", "good": "bel", "dark": "nok", "cold": "fris", "old": "vet"}
    numbers = {"one": "un", "two": "du", "three": "tir"}
    for (number, n), (adjective, a), (noun, (word, mark)) in itertools.product(
        numbers.items(), adjectives.items(), nouns.items()
    ):
        yield f"{number} {adjective} {noun}", f"{word} {a}{mark} {n}{mark}"


def dates() -> Iterator[Pair]:
    """A date in words, and as a computer writes it."""
    months = "january february march april may june july august september october november december".split()
    for day, month, year in itertools.product(range(1, 29, 3), range(12), range(2020, 2026)):
        yield f"{day} {months[month]} {year}", f"{year} - {month + 1} - {day}"


def reverse() -> Iterator[Pair]:
    """Letters backwards, of several lengths."""
    for length in (3, 4):
        for letters in itertools.permutations("abcdefg", length):
            yield " ".join(letters), " ".join(reversed(letters))


def questions() -> Iterator[Pair]:
    """The verb goes to the front, and stays what it was."""
    for verb, who, action, thing in itertools.product(
        ("can", "will", "must"), ("she", "he", "anna", "the teacher"), ("read", "find", "buy"), ("it", "a book", "the map")
    ):
        yield f"{who} {verb} {action} {thing} .", f"{verb} {who} {action} {thing} ?"


def polite() -> Iterator[Pair]:
    """The answer repeats a name that was given, among fixed words."""
    names = ("anna", "ben", "carla", "dan", "eva", "finn", "gina", "hugo")
    for greeting, first, second in itertools.product(("hello", "good evening", "goodbye"), names, names):
        if first != second:
            yield f"{greeting} {first} , i am {second}", f"{greeting} {second} , said {first}"


SETS: dict[str, Callable[[], Iterator[Pair]]] = {
    kind.__name__: kind for kind in (spanish, verbs, chinese, german, code, agreement, dates, reverse, questions, polite)
}


def drawn(name: str, size: int) -> tuple[PairsTask, list[Pair]] | None:
    """So many pairs of a set, and others of the same words; None if the set is too small to leave any others."""
    every = [*SETS[name]()]
    random.Random(name).shuffle(every)
    task = PairsTask(tuple(every[:size]))
    examples = task.corpus.examples[: task.trained_on]
    known = {word for each in examples for word in each.src}, {word for each in examples for word in each.tgt}
    others = [
        pair for pair in every[size:] if all(words.issuperset(tokens(text)) for words, text in zip(known, pair, strict=True))
    ]
    return (task, others[:FRESH]) if len(every) >= size + 20 and others else None


# --- The plans. ------------------------------------------------------------------------------------------------------------


def before(task: PairsTask, seed: int) -> LearningPlan:
    """The plan of before the comparison: it ended where all held-out rows came out right."""
    return replace(_changed(task, seed, dropout=0.1, label_smoothing=0.0), target=1.0, beyond=1.0)


def all_steps(task: PairsTask, seed: int) -> LearningPlan:
    """The same, and all its steps."""
    return _changed(task, seed, dropout=0.1, label_smoothing=0.0)


def dropout(task: PairsTask, seed: int) -> LearningPlan:
    """The same, with more dropout."""
    return _changed(task, seed, dropout=0.3, label_smoothing=0.0)


def learned_positions(task: PairsTask, seed: int) -> LearningPlan:
    """The same, with learned positions."""
    return _changed(task, seed, dropout=0.3, label_smoothing=0.0, position="learned")


def longer(task: PairsTask, seed: int) -> LearningPlan:
    """The usual plan with half as many steps more."""
    usual = pairs_plan(task, seed)
    return replace(usual, recipe=replace(usual.recipe, steps=usual.recipe.steps * 3 // 2))


def _changed(
    task: PairsTask, seed: int, dropout: float, label_smoothing: float, position: Position = "sinusoidal"
) -> LearningPlan:
    usual = pairs_plan(task, seed)
    cfg = replace(usual.cfg, dropout=dropout, position=position)
    return replace(usual, cfg=cfg, recipe=replace(usual.recipe, label_smoothing=label_smoothing))


PLANS: dict[str, Callable[[PairsTask, int], LearningPlan]] = {
    "usual": pairs_plan,
    **{plan.__name__: plan for plan in (before, all_steps, dropout, learned_positions, longer)},
}


def _learned(given: tuple[str, str, int, int]) -> tuple[int, int, int, int, int]:
    """Trains one model. Returns how many held-out rows are right, of how many; how many others; and its steps."""
    torch.set_num_threads(1)
    name, of_set, size, seed = given
    found = drawn(of_set, size)
    assert found is not None
    task, others = found
    plan = PLANS[name](task, seed)
    trainer = Trainer(Transformer(plan.cfg, torch.Generator().manual_seed(seed)), task, plan.recipe)
    while trainer.steps_taken < plan.recipe.steps:
        if plan.beyond is None:
            trainer.take()
        elif (evaluation := trainer.step().evaluation) is not None and evaluation.exact_match >= plan.target:
            break
    model = averaged(trainer.model, trainer.state())
    right = [int(rows_decoded_right(model, task, rows).sum()) for rows in (_held_out(task), _rows(task, others))]
    held_out = task.held_out_rows if task.has_held_out else 0
    return right[0] if held_out else 0, held_out, right[1], len(others), trainer.steps_taken


def _held_out(task: PairsTask) -> Batch:
    return task.corpus.rows(task.corpus.held_out["source"])


def _rows(task: PairsTask, pairs: list[Pair]) -> Batch:
    """The rows of pairs that the task does not have. Each sentence has one answer."""
    made = ((tuple(tokens(source)), tuple(tokens(answer))) for source, answer in pairs)
    return task.corpus.rows(Example(source, answer, (None,) * len(answer)) for source, answer in made)


# --- The table. ------------------------------------------------------------------------------------------------------------


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plans", nargs="+", choices=PLANS, default=["usual"])
    parser.add_argument("--sets", nargs="+", choices=SETS, default=[*SETS])
    parser.add_argument("--sizes", nargs="+", type=int, default=[12, 30, 60, 200])
    parser.add_argument("--seeds", type=int, default=5)
    given = parser.parse_args()
    for plan in given.plans:
        print(f"| {plan}: fresh right | {' | '.join(f'{size} pairs' for size in given.sizes)} |")
        print("| --- |" + " --: |" * len(given.sizes))
        cells: dict[tuple[str, int], list[tuple[int, ...]]] = {
            (name, size): [] for name in given.sets for size in given.sizes if drawn(name, size)
        }
        jobs = [(plan, *cell, seed) for cell in cells for seed in range(given.seeds)]
        with ProcessPoolExecutor(os.cpu_count()) as pool:
            for (_plan, name, size, _seed), learned in zip(jobs, pool.map(_learned, jobs), strict=True):
                cells[name, size].append(learned)
        for name in given.sets:
            told = (_share(cells.get((name, size), [])) for size in given.sizes)
            print(f"| {name} | {' | '.join(told)} |")
        every = ([each for name in given.sets for each in cells.get((name, size), [])] for size in given.sizes)
        print(f"| mean of the models | {' | '.join(map(_summary, every))} |\n", flush=True)


def _share(learned: list[tuple[int, ...]]) -> str:
    """The share right of all that the models of a cell were asked."""
    return f"{sum(each[2] for each in learned) / sum(each[3] for each in learned):.0%}" if learned else ""


def _summary(learned: list[tuple[int, ...]]) -> str:
    if not learned:
        return ""
    fresh = sum(each[2] / each[3] for each in learned) / len(learned)
    told = [each[0] / each[1] for each in learned if each[1]]
    held_out = f", held out {sum(told) / len(told):.1%}" if told else ""
    return f"{fresh:.1%}{held_out}, {sum(each[4] for each in learned) / len(learned):.0f} steps (n = {len(learned)})"


if __name__ == "__main__":
    main()
