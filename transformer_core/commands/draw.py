"""`draw`: the sentences from which languages with several right answers are learned, drawn anew into the package's files."""

import argparse
from typing import Any

from everyday.translation import TRANSLATIONS
from transformer_core.data import draws
from transformer_core.data.corpora import DRAWN, everyday


def add_to(commands: Any) -> None:
    command = commands.add_parser("draw", help="draw the sentences of the everyday and the small languages anew (six minutes)")
    command.add_argument("--task", choices=TRANSLATIONS, help="only of this task")
    command.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    DRAWN.mkdir(exist_ok=True)
    for name in [args.task] if args.task else TRANSLATIONS:
        corpus = everyday(name)
        data = draws.to_bytes(corpus.draw(), corpus.vocabulary, corpus.draws)
        (DRAWN / f"{name}.xz").write_bytes(data)
        print(f"{name}: {corpus.draws:,} draws, {len(data):,} bytes", flush=True)
    return 0
