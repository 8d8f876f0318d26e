"""The attention of “it” in everyday models on held-out sentences, and the effect of cutting it.

Per layer (a line) and head (a column): the weight that the row of “it” gives to its noun, and that of the
decoder on the word that it is about to say. `python -m transformer_core evaluate` measures the translators.
"""

import numpy as np

from benchmarks import harness
from transformer_core.analysis.alignment import aligned_places, aligned_weights
from transformer_core.analysis.evaluation_metrics import share_interval
from transformer_core.analysis.pronoun import IT, AnswersChanged, answers_changed, pronoun_share
from transformer_core.commands.options import opened
from transformer_core.data.corpora import CORPORA
from transformer_core.data.tasks import TASKS


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--sentences", type=int, default=500, help="at most (default: %(default)s)")
    count = parser.parse_args().sentences
    print(harness.machine())
    for name, it in IT.items():
        model, corpus = opened(name).model, CORPORA[name]()
        found, changed = pronoun_share(model, corpus, it, count), answers_changed(model, corpus, it, count)
        print(f"{name}: {changed.n} held-out sentences")
        _print(f"{name}: from “{it}” to its noun (even: {found['even'].mean():.2f})", found["noun"])
        batch = corpus.rows(corpus.held_out["source"][:count])
        aligned = aligned_weights(model, batch, aligned_places(TASKS[name](), batch))
        _print(f"{name}: cross-attention on the aligned word", aligned)
        _print_changed(name, changed)


def _print(title: str, shares: np.ndarray) -> None:
    print(title)
    for layer, row in enumerate(shares):
        print(f"  layer {layer}  " + "  ".join(f"{share:.2f}" for share in row))


def _print_changed(name: str, changed: AnswersChanged) -> None:
    for without, answers in (
        ("the link from “it” to its noun", changed.link),
        ("the look at the noun from the answer", changed.look),
        ("the noun, hidden from every word", changed.noun),
        ("“it”, hidden from every word", changed.it),
    ):
        low, high = share_interval(answers / changed.n, changed.n)
        print(f"{name}: without {without}, {answers} of {changed.n} answers change ({low:.1%} to {high:.1%})")


if __name__ == "__main__":
    main()
