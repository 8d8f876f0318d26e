"""What the attention of the models that say what “it” is finds, on sentences that they never saw.

Per layer (a line) and head (a column): the weight that the row of “it” gives to its noun, and that of the
decoder on the word that it is about to say. `python -m transformer_core evaluate` measures the translators.
"""

import argparse

import numpy as np

from transformer_core.analysis.alignment import aligned_places, aligned_weights, pronoun_share
from transformer_core.commands.options import opened
from transformer_core.data.corpora import CORPORA
from transformer_core.data.tasks import TASKS

_IT = {"pronoun-en": "it", "pronoun-zh": "它"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=500, help="how many (default: %(default)s)")
    count = parser.parse_args().sentences
    for name, it in _IT.items():
        model, corpus = opened(name).model, CORPORA[name]()
        found = pronoun_share(model, corpus, it, count)
        _print(f"{name}: from “{it}” to its noun (even: {found['even'].mean():.2f})", found["noun"])
        batch = corpus.rows(corpus.held_out["source"][:count])
        aligned = aligned_weights(model, batch, aligned_places(TASKS[name](), batch))
        _print(f"{name}: cross-attention on the aligned word", aligned)


def _print(title: str, shares: np.ndarray) -> None:
    print(title)
    for layer, row in enumerate(shares):
        print(f"  layer {layer}  " + "  ".join(f"{share:.2f}" for share in row))


if __name__ == "__main__":
    main()
