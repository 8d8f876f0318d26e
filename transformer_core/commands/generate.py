"""`generate`: a decoder alone goes on with a beginning, token by token."""

import argparse
import json
from typing import Any

import torch

from transformer_core.commands.options import SEED, TOKENS, of_a_model, opened, whole
from transformer_core.data.tasks import SentenceTask, Task, has_source, task_of
from transformer_core.data.vocabulary import before_end
from transformer_core.errors import InputError
from transformer_core.model.decoding import Sampling, decode_steps
from transformer_core.model.transformer import Transformer


def add_to(commands: Any) -> None:
    command = commands.add_parser("generate", parents=[of_a_model()], help="have a decoder alone go on with a beginning")
    command.add_argument("beginning", nargs="?", default="", help="default: none, it begins by itself")
    command.add_argument("--tokens", type=TOKENS, metavar="N", help="so many at most (default: as many as the task's longest)")
    command.add_argument("--temperature", type=float, help="sample, with this temperature (default: the most probable token)")
    command.add_argument("--top-k", type=whole(1, 100_000), metavar="K", help="sample from the K most probable tokens alone")
    command.add_argument("--top-p", type=float, metavar="P", help="sample from the fewest tokens that reach P together")
    command.add_argument("--seed", type=SEED, default=0, help="of the sampling (default: %(default)s)")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    model, task = _opened_decoder(args.model)
    vocabulary = task.vocabulary
    beginning = vocabulary.encode(args.beginning)
    if vocabulary.unknown in beginning:
        word = vocabulary.unknown_words(args.beginning)[0]
        raise InputError("“{word}” is not among the words of this model; choose others", word=word)
    room = model.cfg.longest_tgt - len(beginning)
    if room < 1:
        raise InputError(
            "the beginning has {n} tokens, and the model has positions for {most}; shorten it",
            n=len(beginning),
            most=model.cfg.longest_tgt,
        )
    steps = min(args.tokens or max(1, task.longest[1] - len(beginning)), room)
    sampled = any(value is not None for value in (args.temperature, args.top_k, args.top_p))
    sampling = Sampling(1.0 if args.temperature is None else args.temperature, args.top_k, args.top_p) if sampled else None
    no_source = torch.empty(1, 0, dtype=torch.long)
    luck = torch.Generator().manual_seed(args.seed)
    start = [task.start_id, *beginning]
    taken = list(decode_steps(model, no_source, start, steps, sampling=sampling, generator=luck, end_id=vocabulary.end))
    written = taken[-1].tokens[0, len(start) :].tolist()
    words = vocabulary.decode(before_end(written, vocabulary.end))
    begun = vocabulary.decode(beginning)
    if args.json:
        tokens = [
            {"token": vocabulary.tokens[token], "probability": step.probabilities[0, token].item()}
            for token, step in zip(written, taken, strict=True)
        ]
        print(json.dumps({"beginning": begun, "tokens": tokens, "ended": len(words) < len(written)}, ensure_ascii=False))
    else:
        separator = task.corpus.separator if isinstance(task, SentenceTask) else " "
        print(separator.join([*begun, *words]))
    return 0


def _opened_decoder(model: str) -> tuple[Transformer, Task]:
    """A decoder alone, and its task. Raises InputError for another model."""
    loaded = opened(model)
    task = task_of(loaded.facts, loaded.model.cfg.tgt_vocab)
    if loaded.model.cfg.has_encoder:
        raise InputError("the model {model} answers a source; choose a decoder alone, which goes on with a text", model=model)
    if task is None or has_source(task):
        raise InputError("the file {model} does not say what its model has learned, so its words are unknown", model=model)
    return loaded.model, task
