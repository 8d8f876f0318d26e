"""Positions that are not added to a word: rotary turns queries and keys, ALiBi lowers scores by the distance."""

from typing import Literal

import numpy as np
import streamlit as st

from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import Asking, Question
from explorer.figures.lines import curves
from explorer.figures.matrix import Matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import N_, _
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures import positions as pictures
from explorer.pictures.exhibit import drawn, numbers_of_sizes
from explorer.rooms.outcomes import Outcome
from explorer.rooms.script import Case, Choice
from explorer.session import model_choice
from explorer.ui import document
from explorer.ui.format import small, true_minus
from explorer.ui.widgets import choose, set_next, slider
from transformer_core.errors import InputError
from transformer_core.model.config import TransformerConfig
from transformer_core.model.relative_position import DistancePenalty, Rotation, rotate, slopes

FARTHEST = 30  # positions that a query and a key stand apart at most
_KEY, _BEHIND = 5, 2  # where a key stands at first, and how far on its query
_ON = 5, 3  # positions by which both words move in the question, and then the query alone
_APART = 10  # of the example in words
_ROUNDING = 1e-9  # below it, two scores are the same
ANGLES = 12  # positions and pairs of the table of angles

Kind = Literal["rotary", "alibi"]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


def drawn_pairs(cfg: TransformerConfig) -> list[int]:
    """Returns the pairs that have a curve of their own."""
    pairs = cfg.d_k // 2
    return sorted({0, pairs // 4, pairs // 2})


def turns_of(cfg: TransformerConfig) -> np.ndarray:
    """The angle by which each pair of a head's dimensions turns from one position to the next, in radians. Shape: (pair,)

    Raises:
        InputError: for heads of a single dimension.
    """
    if cfg.d_k < 2:
        raise InputError("A head of this model has a single dimension: there is no pair to be turned.")
    pair = np.arange(cfg.d_k // 2)
    return 10_000.0 ** (-2 * pair / cfg.d_k)


@numbers_of_sizes()
def what_remains(cfg: TransformerConfig) -> np.ndarray:
    """The cosine of the angle between a query and a key that point the same way before they are turned, by their distance: the
    mean of all pairs, then a fast one, a slower, and a slow one. Shape: (curve, distance)
    """
    distance = np.arange(FARTHEST + 1)
    of_pairs = np.cos(np.outer(turns_of(cfg), distance))  # (pair, distance)
    return np.stack([of_pairs.mean(axis=0), *(of_pairs[i] for i in drawn_pairs(cfg))])


def _recorded_angles(cfg: TransformerConfig) -> np.ndarray:
    turns = Rotation(cfg)
    return np.arctan2(turns.sin.numpy(), turns.cos.numpy())[:ANGLES, :ANGLES] % (2 * np.pi)


@numbers_of_sizes(recorded=_recorded_angles)
def rotary_angles(cfg: TransformerConfig) -> np.ndarray:
    """The angle by which a query or key is turned at each position, up to a full turn (RoFormer, equation 34).
    Shape: (position, pair)
    """
    position = np.arange(ANGLES)
    return np.outer(position, turns_of(cfg)[:ANGLES]) % (2 * np.pi)


@numbers_of_sizes(recorded=lambda cfg: DistancePenalty(cfg)(1, FARTHEST + 1)[:, 0].numpy())
def lowered(cfg: TransformerConfig) -> np.ndarray:
    """What each head adds to a score, by the distance of query and key (ALiBi). Shape: (head, distance)"""
    head = np.arange(1, cfg.n_heads + 1)
    slope = 2.0 ** (-8 * head / cfg.n_heads)  # (head,)
    return -np.outer(slope, np.arange(FARTHEST + 1))


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(what_remains)
def _draw_remains(values: np.ndarray, shown: ShownModel) -> Figure:
    names = [_("all pairs"), *(_("pair {i}").format(i=i) for i in drawn_pairs(shown.cfg))]
    named = dict(zip(names, values, strict=True))
    return curves(range(values.shape[1]), named, x_title=_("distance of query and key"), y_title=_("what remains"))


@drawn(rotary_angles)
def _draw_angles(table: np.ndarray, _shown: ShownModel) -> Matrices:
    return matrix(
        table,
        rows=len(table),
        columns=table.shape[1],
        row_title=_("position"),
        column_title=_("pair of dimensions"),
        top=2 * np.pi,
        title=_("radians"),
        cell=24,
    )


@drawn(lowered)
def _draw_lowered(values: np.ndarray, _shown: ShownModel) -> Figure:
    named = {_("head {i}").format(i=i): row for i, row in enumerate(values)}
    return curves(
        range(values.shape[1]), named, x_title=_("distance of query and key"), y_title=_("what is added to the score")
    )


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    own: Kind = "alibi" if shown.cfg.position == "alibi" else "rotary"
    titles: dict[Kind, str] = {"rotary": _("rotary"), "alibi": _("ALiBi")}
    kind = choose("relative", _("kind"), sorted(titles, key=lambda each: each != own), titles)
    if kind == "rotary" and shown.cfg.d_k < 2:
        st.info(_("A head of this model has a single dimension: there is no pair to be turned."))
        return
    _rotary(shown) if kind == "rotary" else _alibi(shown)
    _own_model(shown, kind)
    document.details("in_attention", lambda: _details(shown, kind))


def _rotary(shown: ShownModel) -> None:
    """Draws a query and a key as arrows that turn with their words."""
    st.markdown(_("**Rotary** positions turn each query and key: later words turn further."))
    asking.folded("turn", f"{shown.cfg.d_k}", lambda: _asking(shown))
    left, right = st.columns(2)
    key = slider("turn_both", _("move both words"), 0, pictures.LAST_KEY, _KEY, place=left)
    apart = slider("turn_query", _("move the query alone"), 0, pictures.FARTHEST_QUERY, _BEHIND, place=right)
    document.picture(
        pictures.turning(shown, pictures.TurnChoices(key, apart)),
        _(
            "move both words: both arrows turn, **the angle between them stays**, and so does the score. Move the query alone: "
            "the angle changes."
        ),
    )


def _asking(shown: ShownModel) -> Asking:
    both, alone = _ON
    moved = _(
        "A query is at position {query}, its key at {key}. Both words move {n} to the right. What becomes of their score?"
    )
    first = _question(
        shown,
        moved.format(query=_KEY + _BEHIND, key=_KEY, n=both),
        (_KEY, _BEHIND),
        (_KEY + both, _BEHIND),
        N_("It was {before}, and is {after}: both arrows of a pair turned by the same angle."),
    )
    new = _question(
        shown,
        _("Now the query alone moves {n} to the right. What becomes of the score?").format(n=alone),
        (_KEY + both, _BEHIND),
        (_KEY + both, _BEHIND + alone),
        N_("It was {before}, and is {after}: only one arrow of a pair turned."),
    )
    because = [
        _("both turn equally far"),
        _("a later word is turned further"),
        _("each word is the same as before"),
        _("I just guess"),
    ]
    return Asking(first, because, new)


def _question(shown: ShownModel, text: str, before: tuple[int, int], after: tuple[int, int], told: str) -> Question:
    """Asks what a move does to a score; the knobs make it, once somebody wants to see.

    Args:
        before, after: where the key stands, and how far on its query; told: what is said then, with both scores.
    """

    def happens() -> Outcome:
        was, now = (pictures.score_of(*pictures.turned_hands(shown.cfg, [key + on, key])) for key, on in (before, after))
        found = "same" if abs(now - was) < _ROUNDING else "rises" if now > was else "falls"
        return Outcome(found, [(told, {"before": true_minus(f"{was:.2f}"), "after": true_minus(f"{now:.2f}")})])

    def see() -> None:
        for knob, place in zip(("turn_both", "turn_query"), after, strict=True):
            set_next(knob, place)

    choices = Choice(_("it rises"), "rises"), Choice(_("it falls"), "falls"), Choice(_("it stays the same"), "same")
    return Question(text, Case("", text, choices), happens, see=see)


def _alibi(shown: ShownModel) -> None:
    st.markdown(_("**ALiBi** lowers each score by the distance of its two words: the further apart, the lower."))
    picture = lowered.of(shown)
    values = picture.values
    document.picture(
        picture,
        _(
            "each line is a head: what it adds to the score of two words, by their distance. Where they stand {n} apart, "
            "head 0 adds {first}, and the last head {last}."
        ).format(n=_APART, first=small(values[0, _APART], 2), last=small(values[-1, _APART], 2)),
    )


def _own_model(shown: ShownModel, kind: Kind) -> None:
    """Says which positions the model on screen has, and offers one with these."""
    if shown.cfg.position == kind:
        words = {
            "rotary": _("The model on screen has learned with rotary positions."),
            "alibi": _("The model on screen has learned with ALiBi."),
        }
        st.caption(words[kind] if shown.learning.step else _("The model on screen has these positions."))
        return
    offers = {"rotary": _("Show a model with rotary positions"), "alibi": _("Show a model with ALiBi")}
    st.button(offers[kind], key=f"open-{kind}", icon=":material/tune:", on_click=model_choice.choose, args=("position", kind))


def _in_cross_attention(shown: ShownModel) -> None:
    if shown.cfg.has_encoder:
        st.markdown(_("In cross-attention it is off unless **positions in cross-attention** is on."))


def _details(shown: ShownModel, kind: Kind) -> None:
    if kind == "alibi":
        st.markdown(
            _(
                "Nothing is learned here: the slopes are fixed. In the paper only earlier words can be seen, behind a causal "
                "mask; in an encoder, the distance counts alike to both sides here."
            )
            if shown.cfg.has_encoder
            else _("Nothing is learned here: the slopes are fixed.")
        )
        _in_cross_attention(shown)
        document.formula(
            r"\begin{gathered}\mathrm{softmax}_j\!\left(\frac{q_i\cdot k_j}{\sqrt{d_k}}-m_h\,|i-j|\right)\\"
            r"m_h=2^{-8h/H},\quad h=1,\dots,H\end{gathered}",
            _("Press, Smith and Lewis (2022), “Train short, test long”, section 3; H is the number of heads."),
        )
        document.try_this(_("Raise **heads**: the slopes lie closer together, from steep to nearly flat."))
        document.the_code(lowered, slopes, DistancePenalty)
        return
    st.markdown(
        _(
            "Each circle is a pair of the numbers that a head compares. Drawn are a query and a key of which each pair is 1 "
            "long and points right at position 0; its product is then the cosine of the angle between both. A model’s own "
            "have other lengths and directions, but turned together they keep their angle, too: a score depends on how far "
            "apart two words are, not on where they stand. Nothing has to be added to the words."
        )
    )
    document.picture(
        what_remains.of(shown),
        _(
            "a query and a key that point the same way, and are then turned by their positions: what remains of their product, "
            "by their distance. Fast pairs of dimensions tell neighbours apart, slow ones what is far apart; “all pairs”: of "
            "all {n} pairs of a head together, if they are equally long."
        ).format(n=shown.cfg.d_k // 2),
    )
    document.picture(
        rotary_angles.of(shown),
        _(
            "by which angle each pair of dimensions is turned at each position, from 0 to a full turn (6.28): the first pair "
            "by 1 radian from word to word, each further pair by less."
        ),
    )
    st.markdown(
        _(
            "Values are not turned, and nothing is learned here. The waves are those of the sinusoids, with the width of a "
            "head in place of the model's."
        )
    )
    _in_cross_attention(shown)
    document.formula(
        r"\begin{gathered}(R_m q)\cdot(R_n k)=q\cdot R_{n-m}\,k\\R_m=\mathrm{diag}_i\begin{pmatrix}\cos m\theta_i&-\sin m"
        r"\theta_i\\ \sin m\theta_i&\cos m\theta_i\end{pmatrix},\quad\theta_i=10000^{-2i/d_k}\end{gathered}",
        _("Su et al. (2021), “RoFormer”, equations 16 and 34."),
    )
    document.try_this(
        _("Raise **heads**: a head has fewer pairs, and they lie further apart in speed."),
        _("Compare with **Counters**: there, a step along the sentence turns the vector that is added."),
    )
    document.the_code(what_remains, rotate, Rotation)
