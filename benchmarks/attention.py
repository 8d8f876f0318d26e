"""What the attention of the trained models that come with the package finds, on sentences that they never saw.

Per layer (a line) and head (a column): the translators' weight on the source word that it is about to say, and, where a model
is asked what “it” is, the weight that the row of “it” gives to its noun.
"""

import argparse

import numpy as np

from transformer_core import SHIPPED, checkpoint
from transformer_core.analysis.alignment import aligned_share, pronoun_share
from transformer_core.data.corpora import CORPORA
from transformer_core.data.grammars.translation import MEASURE_WORDS

_IT = {"pronoun-en": "it", "pronoun-zh": "它"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sentences", type=int, default=500, help="how many (default: %(default)s)")
    count = parser.parse_args().sentences
    for path in SHIPPED:
        if path.stem not in CORPORA:
            continue
        model, corpus = checkpoint.load(path).model, CORPORA[path.stem]()
        if path.stem in _IT:
            found = pronoun_share(model, corpus, _IT[path.stem], count)
            _print(f"{path.stem}: from “{_IT[path.stem]}” to its noun (even: {found['even'].mean():.2f})", found["noun"])
        else:
            _print(f"{path.stem}: cross-attention on the aligned word", aligned_share(model, corpus, count))
        if path.stem == "translate-zh":
            found = aligned_share(model, corpus, count, MEASURE_WORDS)
            _print(f"{path.stem}: from a measure word to the noun that decides it", found)


def _print(title: str, shares: np.ndarray) -> None:
    print(title)
    for layer, row in enumerate(shares):
        print(f"  layer {layer}  " + "  ".join(f"{share:.2f}" for share in row))


if __name__ == "__main__":
    main()
