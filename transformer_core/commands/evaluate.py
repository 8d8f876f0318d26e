"""`evaluate`: what a translator of everyday sentences, or a teller of stories, can do with what it never saw, in numbers."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch

from everyday.holdout import HoldOut
from everyday.stories import KINDS
from everyday.translation import Translation
from transformer_core.analysis.ngram import TrigramModel
from transformer_core.analysis.story_metrics import known_by_counting, known_to_model, least_losses
from transformer_core.analysis.translation_metrics import (
    CONTENT_WORDS,
    Share,
    Words,
    aligned_attention,
    decoded_answers,
    divergences,
    held_out_examples,
    share_right,
)
from transformer_core.commands.options import SEED, THREADS, of_a_model, opened, teller_of, translator_of, whole
from transformer_core.commands.translate import Language, answers_of, understood
from transformer_core.data.corpora import everyday, everyday_vocabulary
from transformer_core.data.stories import HELD_OUT, StoryCorpus
from transformer_core.data.tasks import SentenceTask
from transformer_core.model.transformer import Transformer

_BEAM = 4
_TITLES: dict[HoldOut, str] = {
    "source": "source never seen",
    "adjective-noun": "new adjective + noun",
    "verb-object": "new verb + object",
    "construction": "new construction",
}


def add_to(commands: Any) -> None:
    command = commands.add_parser(
        "evaluate", parents=[of_a_model()], help="measure a translator, or a story teller, on what it never saw"
    )
    command.add_argument(
        "--count",
        type=whole(1, 100_000),
        default=600,
        metavar="N",
        help="sources of each kind that is held out, or so many stories (default: %(default)s)",
    )
    command.add_argument("--seed", type=SEED, default=0, help="seed of the sources or stories (default: %(default)s)")
    command.add_argument("--typed", metavar="FILE", help="sentences as people type them, one a line, to be evaluated as well")
    command.add_argument(
        "--threads", type=THREADS, default=1, metavar="N", help="CPU threads that torch may use (default: %(default)s)"
    )
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    loaded = opened(args.model)
    if args.typed is None and (teller := teller_of(loaded)) is not None:
        told = {"model": args.model, **measured_stories(*teller, args.count, args.seed)}
        print(json.dumps(told) if args.json else "\n".join(story_report(told)))
        return 0
    model, translation = translator_of(loaded, args.model)
    lines = Path(args.typed).read_text(encoding="utf-8").splitlines() if args.typed else None
    found = {"model": args.model, **measured_translation(model, translation, args.count, args.seed)}
    if lines is not None:
        found["typed"] = measured_as_typed(model, translation, lines)
    print(json.dumps(found, ensure_ascii=False) if args.json else "\n".join(report(found)))
    return 0


def measured_translation(model: Transformer, translation: Translation, count: int, seed: int) -> dict[str, Any]:
    """Measures a language pair: shares of right answers and divergence from the grammar for each kind of hold-out, and
    attention on the aligned word."""
    held_out = {kind: of_kind for kind, of_kind in held_out_examples(translation, count, seed).items() if of_kind}
    examples = [example for of_kind in held_out.values() for example in of_kind]
    vocabulary = everyday_vocabulary(translation)
    attention = {
        "all words": aligned_attention(model, vocabulary, examples),
        "content words": aligned_attention(model, vocabulary, examples, CONTENT_WORDS.__contains__),
    }
    return {
        "task": translation.name,
        "seed": seed,
        "held_out": {
            kind: _of_sources(model, translation, [each.src for each in of_kind]) for kind, of_kind in held_out.items()
        },
        "aligned_attention": {words: shares.tolist() for words, shares in attention.items()},
    }


def measured_stories(model: Transformer, task: SentenceTask, count: int, seed: int) -> dict[str, Any]:
    """Measures a decoder alone on held-out mini stories: what it knows of each kind of word, beside a counter of word triples
    and the least loss that is possible."""
    corpus = task.corpus
    assert isinstance(corpus, StoryCorpus)
    rows = task.batch(min(count, HELD_OUT), torch.Generator().manual_seed(seed), held_out=True).trimmed(task.pad_id)
    counter = TrigramModel.fit(corpus.trained, task.vocab, task.pad_id)
    known = {"model": known_to_model(model, corpus, rows), "triples": known_by_counting(counter, corpus, rows)}
    least = least_losses(corpus, rows)
    return {
        "task": task.name,
        "seed": seed,
        "stories": len(rows.labels),
        "words": {
            kind: {"least_loss": least[kind], **{who: asdict(of_kinds[kind]) for who, of_kinds in known.items()}}
            for kind in KINDS
        },
    }


def _of_sources(model: Transformer, translation: Translation, sources: Sequence[Words]) -> dict[str, Any]:
    greedy, beam = (decoded_answers(model, everyday_vocabulary(translation), sources, width) for width in (1, _BEAM))
    kl = divergences(model, translation, sources)
    return {
        "greedy": _share(share_right(translation, sources, greedy)),
        "beam": _share(share_right(translation, sources, beam)),
        "ambiguous": len(kl),
        "kl_mean": float(np.mean(kl)) if len(kl) else None,
        "kl_median": float(np.median(kl)) if len(kl) else None,
    }


def measured_as_typed(model: Transformer, translation: Translation, lines: Sequence[str]) -> dict[str, Any]:
    """Measures sentences as people type them: how many are understood, how many greedy answers are right, and the others."""
    language = Language(everyday(translation.name), translation, model.cfg.max_len)
    sentences = [understood(language, line) for line in map(str.strip, lines) if line]
    results: dict[str, Any] = {"sentences": len(sentences), "taught": 0, "right": 0, "wrong": [], "untaught": [], "unknown": []}
    for sentence, answers in zip(sentences, answers_of(model, language, sentences, 1), strict=True):
        answer = answers[0].words if answers else ()
        translated = {"source": sentence.text, "answer": language.text(answer)}
        if not sentence.readable:
            results["unknown"].append({"source": sentence.text, "words": list(sentence.unknown)})
        elif not sentence.right:
            results["untaught"].append(translated)
        elif answer in sentence.right:
            results["right"] += 1
        else:
            best = next(iter(sentence.right))
            results["wrong"].append(translated | {"right": language.text(best)})
    results["taught"] = results["right"] + len(results["wrong"])
    return results


def _share(share: Share) -> dict[str, Any]:
    return {"right": share.right, "n": share.n, "share": share.share, "interval": share.interval}


def story_report(results: dict[str, Any]) -> Iterator[str]:
    """The lines that show what was measured of stories."""
    yield f"{results['model']} ({results['task']}), seed {results['seed']}: {results['stories']:,} held-out stories"
    yield ""
    yield f"{'words':10} {'n':>7}  {'model: likeliest':>16}  loss   {'word triples: likeliest':>23}  loss   least loss"
    for kind, each in results["words"].items():
        model, triples = each["model"], each["triples"]
        yield (
            f"{kind:10} {model['n']:7,}  {model['right'] / model['n']:16.1%}  {model['loss']:.3f}  "
            f"{triples['right'] / triples['n']:23.1%}  {triples['loss']:.3f}  {each['least_loss']:.3f}"
        )
    yield "likeliest: how often the right word was, behind the right ones before it; mean losses in nats; the end is “other”"


def report(results: dict[str, Any]) -> Iterator[str]:
    """The lines that show what was measured."""
    yield f"{results['model']} ({results['task']}), seed {results['seed']}"
    yield ""
    yield f"{'held out':22} {'sources':>7}  {'greedy':24}  {f'beam {_BEAM}':24}  KL mean  median ambiguous"
    for kind, each in results["held_out"].items():
        kl = "".join(f"{each[name]:8.3f}" if each["ambiguous"] else f"{'-':>8}" for name in ("kl_mean", "kl_median"))
        yield (
            f"{_TITLES[kind]:22} {each['greedy']['n']:7,}  {_written(each['greedy']):24}  {_written(each['beam']):24} {kl}"
            f" {each['ambiguous']:9,}"
        )
    yield "right: one of the right answers, 95 % interval; KL from the grammar to the model, over whole answers, in nats"
    for words, layers in results["aligned_attention"].items():
        yield ""
        yield f"cross-attention on the aligned word, {words}"
        yield from (f"  layer {layer}: {'  '.join(f'{share:.3f}' for share in heads)}" for layer, heads in enumerate(layers))
    if "typed" in results:
        yield ""
        yield from _typed_report(results["typed"])


def _typed_report(results: dict[str, Any]) -> Iterator[str]:
    yield (
        f"as people type: {results['sentences']} sentences, {results['sentences'] - len(results['unknown'])} of known words, "
        f"{results['taught']} of a form that was taught"
    )
    if results["taught"]:
        yield f"right (greedy) of those taught: {_written(_share(Share(results['right'], results['taught'])))}"
    for each in results["wrong"]:
        yield f"  wrong: {each['source']} > {each['answer']} | right: {each['right']}"
    for each in results["untaught"]:
        yield f"  not taught, a guess: {each['source']} > {each['answer']}"
    for each in results["unknown"]:
        yield f"  unknown: {each['source']} ({', '.join(each['words'])})"


def _written(share: dict[str, Any]) -> str:
    low, high = share["interval"]
    return f"{share['share']:6.1%} ({low:.1%} to {high:.1%})"
