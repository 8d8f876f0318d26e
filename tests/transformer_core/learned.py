"""A model that has learned a few sentences by heart: enough to know which of its answers are right."""

from collections.abc import Sequence

import torch
import torch.nn.functional as F

from everyday.translation import Translation
from tests.transformer_core.helpers import generator
from transformer_core import Transformer, TransformerConfig
from transformer_core.data.corpora import everyday_vocabulary


def padded(rows):
    longest = max(map(len, rows))
    return torch.tensor([[*row, *[0] * (longest - len(row))] for row in rows])


def by_heart(translation: Translation, pairs: Sequence[tuple[str, Sequence[str]]], steps: int = 100) -> Transformer:
    """Learns sentences with the answers given, the only ones that it ever sees; of equal sources, to say each as often."""
    words = everyday_vocabulary(translation)
    cfg = TransformerConfig(
        src_vocab=len(words),
        tgt_vocab=len(words),
        d_model=32,
        n_heads=2,
        d_ff=32,
        n_layers=2,
        dropout=0.0,
        norm="pre",
        tie_embeddings="all",
    )
    model = Transformer(cfg, generator(0))
    src = padded([words.ids(source.split()) for source, _ in pairs])
    tgt = padded([[1, *words.ids(answer)] for _, answer in pairs])
    labels = padded([[*words.ids(answer), 2] for _, answer in pairs])
    optimiser = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(steps):
        optimiser.zero_grad()
        F.cross_entropy(model(src, tgt).flatten(0, 1), labels.flatten(), ignore_index=0).backward()
        optimiser.step()
    return model.eval()
