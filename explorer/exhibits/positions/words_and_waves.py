"""From words to the vectors that enter the model: token table, scaling, positions, their sum."""

import re
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import streamlit as st

from explorer import i18n
from explorer.figures.lines import bars
from explorer.figures.matrix import Matrices, matrices, matrix
from explorer.figures.style import Figure
from explorer.i18n import _
from explorer.model_on_screen.forward import model_of
from explorer.model_on_screen.shown_model import ShownModel
from explorer.model_on_screen.shown_run import run_of
from explorer.pictures import positions as pictures
from explorer.pictures.exhibit import Fit, drawn, numbers
from explorer.pictures.registry import Longest
from explorer.ui import document, pickers
from explorer.ui.format import plain
from explorer.ui.widgets import slider, text
from transformer_core.analysis.embedding_metrics import embedded
from transformer_core.analysis.run import Run
from transformer_core.data.vocabulary import number_row
from transformer_core.errors import InputError
from transformer_core.model.embedding import TokenAndPositionEmbedding
from transformer_core.model.stages import embedding_stage

MOST_IDS = 32
MOST_DIMENSIONS = 32  # columns that are drawn


def _known(ids: tuple[int, ...], run: Run, _said: Mapping[str, Any]) -> tuple[int, ...]:
    if not all(0 <= i < run.cfg.read_vocab for i in ids):
        raise ValueError("the model has no such token ids")
    embedded(run.model, ids_of(run, ids))  # raises InputError for a source that the model cannot read
    return ids


Ids = Annotated[tuple[int, ...], Longest(MOST_IDS), Fit(_known)]

# --- Numbers. ---------------------------------------------------------------------------------------------------------


def ids_of(run: Run, ids: tuple[int, ...]) -> list[int]:
    """Returns these token ids; where there are none, those of what is read first and of a padding token."""
    return list(ids) or [*run.read, run.vocabulary.pad]


def positions_of(run: Run, n: int) -> np.ndarray:
    """The vectors of the first n positions, which are 0 in a model without any. Shape: (position, d_model)"""
    table = run.model.first_embedding.positions  # sines and cosines, or learned (section 3.5)
    return np.zeros((n, run.cfg.d_model), np.float32) if table is None else table[:n].detach().numpy()


@numbers(recorded=lambda run, ids: embedded(run.model, ids_of(run, ids))["tokens"])
def looked_up(run: Run, ids: Ids = ()) -> np.ndarray:
    """The rows of the embedding table that belong to these tokens. Shape: (token, d_model)"""
    return run.model.first_embedding.table.weight.detach().numpy()[ids_of(run, ids)]


@numbers(recorded=lambda run, ids: np.linalg.norm([*embedded(run.model, ids_of(run, ids)).values()][:-1], axis=-1))
def norms(run: Run, ids: Ids = ()) -> np.ndarray:
    """The lengths of these vectors: as looked up, as scaled, and of the positions that are added. Shape: (kind, token)"""
    rows = looked_up(run, ids)
    scaled = rows * run.cfg.d_model**0.5 if run.cfg.embedding_scale else rows  # section 3.4
    added = [] if run.model.first_embedding.positions is None else [positions_of(run, len(rows))]
    return np.linalg.norm([rows, scaled, *added], axis=-1)


def _recorded_sum(run: Run) -> np.ndarray:
    scaled, total = (run.padded_first(1).stages[embedding_stage(run.first_stack, name)] for name in ("scaled", "sum"))
    return np.stack([scaled, total - scaled, total])


@numbers(name="sum", recorded=_recorded_sum)
def summed(run: Run) -> np.ndarray:
    """The input of the first layer: what is read first and a padding token, their positions, and the sum of both (section 3.5).
    Shape: (3, token, d_model)
    """
    words = run.padded_first(1).stages[embedding_stage(run.first_stack, "scaled")]
    added = positions_of(run, len(words))
    return np.stack([words, added, words + added])


# --- Drawing. ---------------------------------------------------------------------------------------------------------


@drawn(looked_up)
def _draw_rows(rows: np.ndarray, shown: ShownModel, *, ids: tuple[int, ...]) -> Matrices:
    n = min(shown.cfg.d_model, MOST_DIMENSIONS)
    return matrix(
        rows[:, :n],
        rows=_labels(shown, ids),
        columns=n,
        row_title=_("token"),
        column_title=_("dimension"),
        signed=True,
        cell=22,
    )


@drawn(norms)
def _draw_norms(lengths: np.ndarray, shown: ShownModel, *, ids: tuple[int, ...]) -> Figure:
    names = _("row"), _scaled_name(shown), _("position")
    return bars(_labels(shown, ids), dict(zip(names, lengths, strict=False)), y_title=_("length of the vector"))


@drawn(summed)
def _draw_sum(parts: np.ndarray, shown: ShownModel) -> Matrices:
    n, names = min(shown.cfg.d_model, MOST_DIMENSIONS), [_scaled_name(shown), _("position"), _("sum")]
    return matrices(
        parts[:, :, :n],
        names=names,
        rows=_labels(shown, ()),
        columns=n,
        row_title=_("token"),
        column_title=_("dimension"),
        signed=True,
        wide=3,
        size=280,
    )


def _labels(shown: ShownModel, ids: tuple[int, ...]) -> list[str]:
    return shown.labels(ids_of(run_of(shown), ids))


def _scaled_name(shown: ShownModel) -> str:
    return _("row × √d_model") if shown.cfg.embedding_scale else _("row × 1")


# --- Page. ------------------------------------------------------------------------------------------------------------


def draw(shown: ShownModel) -> None:
    if shown.cfg.d_model > 1:
        _clock(shown)
        document.details("words_and_waves", lambda: _details(shown))
    else:
        _details(shown)


def _details(shown: ShownModel) -> None:
    st.markdown(
        _(
            "A clock tells many moments apart with a few hands: the fast one tells neighbours apart, the slow ones what is far "
            "apart. A position is written in the same way. Each **pair** of numbers is the tip of a hand: its sine and its "
            "cosine."
        )
    )
    _table(shown)
    _sum(shown)
    document.try_this(
        _("Raise **d_model** in the sidebar: more waves, in finer steps between fast and slow."),
        _("Type the same word twice: both have the same row in the table, and only their positions tell them apart."),
    )
    document.the_code(TokenAndPositionEmbedding, looked_up, norms, summed)


def _clock(shown: ShownModel) -> None:
    """Draws a position as the hands of a clock."""
    st.markdown(_("A position is read like the time: each **pair** of its numbers is a hand."))
    if shown.cfg.has_position_in_attention:
        st.caption(_("The model on screen adds no positions; these are the paper's."))
    last = pictures.LAST_HAND
    at = slider("hand", _("position"), 0, last, 7)
    pairs = pictures.pairs_of_hands(shown)
    document.picture(
        pictures.clock(shown, pictures.HandChoices(at)),
        _("{drawn} of {n} pairs at position {p}. At ○, across the dial, the sine is the same.").format(
            p=at, drawn=len(pairs), n=shown.cfg.d_model // 2
        ),
    )


def _table(shown: ShownModel) -> None:
    d = shown.cfg.d_model
    shown.forward(*((1, 0) if shown.cfg.has_encoder else (0, 1)))  # refuses a sentence that the model cannot read
    document.section(_("Each word is looked up in a table"))
    st.markdown(
        _(
            "Every word has a number, its **token id**. The table has one row for each id: {d} numbers, which training changes."
        ).format(d=d)
    )
    typed = _typed_ids(shown)
    ids = ids_of(run_of(shown), typed)
    st.code(
        "   ".join(f"{label} → {i}" for label, i in zip(shown.labels(ids), ids, strict=True)), language=None, wrap_lines=True
    )
    n = min(d, MOST_DIMENSIONS)
    how = _("one row per token: its row of the table (the first {n} of {d} numbers).").format(n=n, d=d)
    rows = looked_up.of(shown, typed)
    document.picture(rows, how)
    _padding_note(shown, ids, rows.values)
    _lengths(shown, typed)


def _typed_ids(shown: ShownModel) -> tuple[int, ...]:
    """The ids to look up that were typed; none where nothing was, or what cannot be looked up."""
    help = _("Whole numbers from 0 to {last}, up to {most} of them. Leave it empty for the ids of your sentence.")
    with pickers.row("ids"):
        typed = text("ids", _("other ids to look up"), "", help.format(last=shown.cfg.read_vocab - 1, most=MOST_IDS))
    if typed.strip():
        try:
            ids = _numbers(typed)
            embedded(model_of(shown.choice), ids)
            return ids
        except InputError as error:
            st.error(plain(i18n.error(error)), icon=":material/tune:")
    return ()


def _numbers(typed: str) -> tuple[int, ...]:
    """The ids in a line of text. Raises InputError with what to type instead."""
    parts = number_row(typed).split()
    wrong = next((part for part in parts if not re.fullmatch(r"-?[0-9]{1,9}", part)), None)
    if wrong is not None:
        raise InputError("“{part}” is not a token id; type whole numbers, like 4 8 15.", part=wrong[:40])
    if len(parts) > MOST_IDS:
        raise InputError("These are {n:,} ids; up to {most} can be shown.", n=len(parts), most=MOST_IDS)
    return tuple(map(int, parts))


def _padding_note(shown: ShownModel, ids: Sequence[int], tokens: np.ndarray) -> None:
    """Says what the padding token's row is in this model: with tied embeddings, a row like any other."""
    if shown.vocabulary.pad not in ids:
        return
    if not tokens[list(ids).index(shown.vocabulary.pad)].any():
        words = _("The row of the padding token, “{pad}”, is all zeros.")
    elif shown.cfg.tie_embeddings == "all" or (shown.cfg.tie_embeddings == "output" and not shown.cfg.has_encoder):
        words = _(
            "The row of the padding token, “{pad}”, is not zero here: with tied embeddings it is an output weight as well."
        )
    else:
        words = _("The row of the padding token, “{pad}”, is not zero in this model.")
    st.caption(words.format(pad=plain(shown.vocabulary.decode([shown.vocabulary.pad])[0])))


def _lengths(shown: ShownModel, ids: tuple[int, ...]) -> None:
    cfg, lengths = shown.cfg, norms.of(shown, ids)
    factor = (
        _("the length of each word's vector as looked up, and after it is multiplied by √d_model = {root:.1f}.")
        if cfg.embedding_scale
        else _("the length of each word's vector. The factor √d_model = {root:.1f} is switched off.")
    )
    document.picture(lengths, factor.format(root=cfg.d_model**0.5))
    words = np.array(ids_of(run_of(shown), ids)) != shown.vocabulary.pad  # the padding is no word
    if cfg.has_position_in_attention:
        st.caption(_("This model adds no positions: its attention knows them, see “Rotary and ALiBi”."))
    elif cfg.position == "none":
        st.caption(_("This model adds no positions."))
    elif words.any():
        added = _(
            "On average, a word's vector is {word:.2f} long when it is added to a position's, which is {position:.2f} long."
        )
        row, word, position = lengths.values[:, words].mean(axis=1)
        if cfg.embedding_scale:
            added = _(
                "On average, a word's vector is {word:.2f} long when it is added to a position's, which is {position:.2f} "
                "long. Without the factor it would be {row:.2f} long: the factor gives the word more weight beside its "
                "position. (The paper multiplies without giving a reason.)"
            )
        st.caption(added.format(row=row, word=word, position=position))


def _sum(shown: ShownModel) -> None:
    document.section(_("Their sum enters the model"))
    how = _(
        "“sum” is the other two added, cell by cell (the first {n} of {d} dimensions): this is what the first encoder layer "
        "receives."
    )
    if not shown.cfg.has_encoder:
        how = _("“sum” is the other two added, cell by cell (the first {n} of {d} dimensions): the first layer receives this.")
    d = shown.cfg.d_model
    document.picture(summed.of(shown), how.format(n=min(d, MOST_DIMENSIONS), d=d))
