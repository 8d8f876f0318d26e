"""The likeness of the heads of models of several seeds, beside that of the same models before they have learned."""

from collections.abc import Sequence

import numpy as np
import streamlit as st

from explorer.i18n import _
from explorer.ui import document, pickers
from transformer_core.analysis.head_matching import HeadMatch
from transformer_core.model.stages import AttentionKind


def draw(kind: AttentionKind, models: int, trained: Sequence[HeadMatch], untrained: Sequence[HeadMatch]) -> None:
    """Draws the likeness of matched heads and of heads with equal numbers, over all pairs of models that differ in their seed
    alone. `models`: how many there are.

    `untrained`: the same pairs before their first step; empty if the models on screen are untrained themselves.
    """
    if not trained:
        st.markdown(_("For means, two models are needed that learned by the same plan."))
        return
    rows = {
        "matched": _("a head and its match"),
        "same_number": _("heads of the same layer and number"),
        "other_numbers": _("heads of the same layer and of different numbers"),
    }
    table = [
        {_("how alike"): title, _("on screen"): _mean(trained, name)}
        | ({_("untrained"): _mean(untrained, name)} if untrained else {})
        | {_("heads compared"): len(_joined(trained, name))}
        for name, title in rows.items()
        if len(_joined(trained, name))
    ]
    st.dataframe(table, hide_index=True, key="seed-likeness")
    document.caption(
        _(
            "{kind} attention: the mean likeness of heads over all pairs of models (there are {pairs}), and in brackets the "
            "lowest and the highest mean of a pair. The pairs are those of {models} models, each with each: they share models, "
            "and so are not independent. “Untrained” are the same models before their first step."
        ).format(kind=pickers.kind_titles()[kind].capitalize(), pairs=len(trained), models=models)
    )
    in_layer = np.concatenate([match.same_layer for match in trained])
    said = [_("{k} of {n} matches are in the same layer.").format(k=int(in_layer.sum()), n=len(in_layer))]
    if untrained and _joined(trained, "matched").mean() <= _joined(untrained, "matched").mean():
        said.append(
            _("Untrained heads are as much alike: likeness of this size does not show that heads have learned to do the same.")
        )
    st.markdown(" ".join(said))


def _joined(pairs: Sequence[HeadMatch], name: str) -> np.ndarray:
    return np.concatenate([getattr(each, name) for each in pairs])


def _mean(pairs: Sequence[HeadMatch], name: str) -> str:
    """The mean over all heads, and in brackets the lowest and the highest mean of a pair."""
    means = [getattr(each, name).mean() for each in pairs]
    return _("{mean:.2f} ({low:.2f}–{high:.2f})").format(mean=_joined(pairs, name).mean(), low=min(means), high=max(means))
