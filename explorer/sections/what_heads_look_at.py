"""What each head attends to, in numbers, beside a head that looks at everything alike."""

import numpy as np
import streamlit as st

from explorer import controls, document
from explorer.figures.matrix import matrix
from explorer.state import ATTENTIONS, MAX_TOKENS, ModelKey, Site, View
from explorer.words import _
from transformer_core.analysis.attention_metrics import entropy, even_weights, mean_attention_to, mean_distance, relations

_RELATIONS = {
    "same place": _("same place"),
    "place before": _("place before"),
    "place after": _("place after"),
    "first": _("first word"),
    "same word": _("same word"),
    "padding": _("padding"),
    "special": _("<…> tokens"),
    "number": _("numbers"),
    "sign": _("signs"),
    "word": _("words"),
}
_CLEAREST = 10


def what_heads_look_at(view: View) -> None:
    """One attention's heads in a table and a picture, a random twin beside a trained model, and the clearest heads of all."""
    st.markdown(
        _(
            "It is said that heads take different roles: one looks at the word before, one at equal words. Here that is not "
            "said but **measured**, and set beside a head that looks at all it may see alike."
        )
    )
    kind, layer = controls.which_attention(view.cfg, "cross")
    room = max(1, min(3, MAX_TOKENS - max(len(view.src), len(view.tgt))))
    words = _("Filler tokens behind both sentences. Queries that are filler are left out of all readings.")
    pad = int(controls.slider("filler", _("padding behind both"), 0, room, 0, words))
    site = Site(view, kind, layer, pad, pad)
    weights, allowed, related = _readable(site)
    names = [_("head {i}").format(i=i) for i in range(view.cfg.n_heads)]

    document.section(_("1 · Who gets the attention"))
    shares = _shares(weights, allowed, related)
    _picture(shares, names, "looks")
    st.markdown(_clearest(shares[:-1] - shares[-1], shares, names))
    if view.stored is not None:
        twin = Site(View(ModelKey(view.cfg, 0), view.vocabulary, view.src, view.tgt), kind, layer, pad, pad)
        st.markdown(_("**The same sizes with random weights (seed 0), for comparison: nothing here was learned**"))
        _picture(_shares(*_readable(twin)), names, "looks-random")

    document.section(_("2 · The same in figures"))
    even = even_weights(allowed)
    table = {
        _("head"): [*names, _("all alike")],
        _("entropy (bits)"): np.append(entropy(weights), entropy(even)).round(3),
        _("mean distance"): np.append(mean_distance(weights), mean_distance(even)).round(2),
    }
    st.dataframe(
        table | {words: shares[:, i].round(3) for i, words in enumerate(_RELATIONS.values()) if np.isfinite(shares[0, i])},
        hide_index=True,
    )
    document.reading(
        _(
            "entropy: how widely a head looks, 0 bits is one word only. Mean distance: how many positions away. All others: "
            "the share of its attention, averaged over the words that have such a word to look at."
        )
    )
    _whole_model(view, pad)
    document.try_this(
        _(
            "Choose a trained **Model** in the sidebar and look at “cross”: the one that copies numbers looks at the place "
            "after, the one that translates at the same place. What stands first in the decoder of each?"
        ),
        _("Repeat a word in the sentence: now “same word” has something to count."),
        _("Add padding: its share is 0, in every head, because the mask takes it out."),
    )
    document.the_code(mean_attention_to, relations)


def _readable(site: Site) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Weights, what is open, and which key stands in which relation, of the queries that are not filler."""
    view, filler = site.view, (site.view.vocabulary.pad,)
    src, tgt = view.src + site.pad_src * filler, view.tgt + site.pad_tgt * filler
    queries = view.src if site.kind == "encoder" else view.tgt
    keys = tgt if site.kind == "decoder" else src
    related = relations(queries, keys, view.vocabulary.tokens, view.vocabulary.pad, site.kind != "cross")
    n = len(queries)
    # What a mask has closed stays in “padding”, so that its share can be read: 0.
    return site["weights"][:, :n], site.allowed[:n], related


def _shares(weights: np.ndarray, allowed: np.ndarray, related: dict[str, np.ndarray]) -> np.ndarray:
    """(head + 1, relation): the share of each head, and last that of a head that looks at all alike."""
    both = np.concatenate([weights, even_weights(allowed)])
    everything = np.ones_like(allowed)
    columns = [mean_attention_to(both, related[name], everything if name == "padding" else allowed) for name in _RELATIONS]
    return np.stack(columns, axis=1)


def _picture(shares: np.ndarray, names: list[str], key: str) -> None:
    there = np.isfinite(shares[0])
    drawn = there & ~np.isclose(shares[-1], 1)  # to a kind that all words are of every head gives all: nothing to see
    if not drawn.any():
        st.caption(_("All words that may be looked at here are of the same kinds: heads cannot differ in this."))
        return
    columns = np.array(list(_RELATIONS.values()))
    missing = "" if there.all() else " " + _("None here: {names}.").format(names=", ".join(columns[~there]))
    document.figure(
        matrix(
            shares[:, drawn],
            rows=[*names, _("all alike")],
            columns=columns[drawn].tolist(),
            column_title=_("looks at"),
            cell=34,
        ),
        key,
        _(
            "the share of its attention that a head gives to each kind of word. The last row looks at all it may see alike: "
            "only what differs from it says something about a head."
        )
        + missing,
    )


def _clearest(excess: np.ndarray, shares: np.ndarray, names: list[str]) -> str:
    """The head that differs most from one that looks at all alike, in words."""
    head, place = (int(i) for i in np.unravel_index(np.nan_to_num(excess, nan=-1.0).argmax(), excess.shape))
    return (
        _(
            "**{head}** stands out most: {share:.0%} of its attention goes to “{what}”; looking at all alike it would be "
            "{even:.0%}."
        )
        .format(head=names[head], share=shares[head, place], what=list(_RELATIONS.values())[place], even=shares[-1, place])
        .replace("<", "\\<")
    )


def _whole_model(view: View, pad: int) -> None:
    """The heads of all layers and attentions that stand out most."""
    rows = []
    for kind in [kind for kind in ATTENTIONS if kind != "cross" or view.cfg.cross_attention]:
        for layer in range(view.cfg.n_layers):
            shares = _shares(*_readable(Site(view, kind, layer, pad, pad)))
            excess = np.nan_to_num(shares[:-1] - shares[-1], nan=-1.0)
            for head, place in enumerate(excess.argmax(axis=1)):
                what = list(_RELATIONS.values())[place]
                rows.append((excess[head, place], kind, layer, head, what, shares[head, place], shares[-1, place]))
    rows.sort(key=lambda row: -row[0])
    document.section(_("3 · The clearest heads of the whole model"))
    titles = (_("attention"), _("layer"), _("head"), _("looks at"), _("share"), _("all alike"))
    st.dataframe(
        [
            dict(zip(titles, (*row[1:5], round(float(row[5]), 3), round(float(row[6]), 3)), strict=True))
            for row in rows[:_CLEAREST]
        ],
        hide_index=True,
    )
    document.reading(
        _("the {n} of {all} heads that exceed “all alike” the most, each with what it exceeds it in.").format(
            n=min(_CLEAREST, len(rows)), all=len(rows)
        )
        + ("" if view.stored is not None else " " + _("These weights are random: what stands out here is chance."))
    )
