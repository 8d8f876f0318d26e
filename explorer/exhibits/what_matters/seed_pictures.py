"""Pictures of the matched heads of models of several seeds: the maps of one, and the likeness of all."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from explorer.figures.matrix import matrices, matrix
from explorer.i18n import _
from explorer.model_on_screen.forward import forward_pass
from explorer.model_on_screen.held_out import count_of
from explorer.model_on_screen.other_seeds import SeedModel
from explorer.model_on_screen.shown_attention import ShownAttention
from explorer.model_on_screen.shown_model import ShownModel
from explorer.ui import document, pickers
from transformer_core.analysis.head_matching import HeadMatch
from transformer_core.model.stages import AttentionKind

Known = tuple[SeedModel, HeadMatch]  # a model, and how the heads of the one on screen match its own


def head_name(place: int, n_heads: int) -> str:
    """The name of a head, by its place among those of a kind, those of layer 0 first."""
    return _("layer {layer}, head {head}").format(layer=place // n_heads, head=place % n_heads)


def maps(shown: ShownModel, mine: SeedModel, known: Sequence[Known], kind: AttentionKind, place: int) -> None:
    """Draws the chosen head and its match in every other model, on the sentence on screen."""
    h = shown.cfg.n_heads
    drawn = [(mine, place, 1.0), *((each, int(match.to[place]), float(match.matched[place])) for each, match in known)]
    tokens = [tuple(shown.vocabulary.decode(ids)) for ids in shown.batch(0, 0)]
    found = []
    for model, at, _alike in drawn:
        passed = forward_pass(model.choice, shown.src, shown.tgt)
        found.append(ShownAttention(model.choice, passed, kind, at // h, *tokens).map)
    names = [
        _("seed {seed}: {head}").format(seed=model.seed, head=head_name(at, h))
        if model is mine
        else _("seed {seed}: {head}, alike {alike:.2f}").format(seed=model.seed, head=head_name(at, h), alike=alike)
        for model, at, alike in drawn
    ]
    picture = matrices(
        np.stack([each.weights[at % h] for each, (_model, at, _alike) in zip(found, drawn, strict=True)]),
        names=names,
        rows=found[0].query_labels,
        columns=found[0].key_labels,
        valid=found[0].allowed,
        title=_("weight"),
        row_title=_("query"),
        column_title=_("key"),
        wide=min(len(drawn), 4),
        size=60 + 24 * len(found[0].query_labels),
    )
    document.picture(
        picture,
        _(
            "the head that is chosen above, and the head of every other seed that is matched with it, all on the sentence on "
            "screen. Its layer and number may be others; how alike the two are is measured on {n} held-out sequences."
        ).format(n=count_of(shown.taught) // 2),
        "seeds-maps",
    )


def all_matches(shown: ShownModel, known: Sequence[Known], kind: AttentionKind) -> None:
    """Draws how alike each head and its matches are, with the matches' layers and numbers."""
    h, kinds = shown.cfg.n_heads, pickers.kind_titles()
    values = np.stack([match.matched for _each, match in known], axis=1)  # (head, seed)
    rows = [head_name(place, h) for place in range(len(values))]
    columns = [_("seed {seed}").format(seed=each.seed) for each, _match in known]
    to = [[int(match.to[place]) for _each, match in known] for place in range(len(values))]

    def mark(at: int, alike: float) -> str:
        return f"{at // h}·{at % h}  {alike:.2f}"

    picture = replace(
        matrix(values, rows=rows, columns=columns, title=_("alike"), row_title=_("head on screen")),
        marks=[list(map(mark, *row)) for row in zip(to, values.tolist(), strict=True)],
        notes=[[head_name(at, h) for at in row] for row in to],
        cut_rows=range(h, len(values), h),
    )
    document.picture(
        picture,
        _(
            "{kind} attention: one row per head of the model on screen, one column per other seed. In each cell the layer · head "
            "that is matched with it there, and how alike the two are: 1 is the same attention everywhere, 0 never to the same "
            "key."
        ).format(kind=kinds[kind]),
        "seeds-matches",
    )
