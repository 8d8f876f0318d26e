"""The options of decoding: greedy or sampling, the number of steps, and tokens forced by hand."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import i18n
from explorer.i18n import _
from explorer.model_on_screen.decoding import DecodingOptions, most_steps, read_forced
from explorer.model_on_screen.shown_model import ShownModel
from explorer.pictures.next_word import LAST_SEED, MOST_K, MOST_STEPS, TEMPERATURES, TOP_P, sampling_of
from explorer.session.numbers import as_number
from explorer.ui import more, pickers
from explorer.ui.format import plain
from explorer.ui.widgets import address_value, choose, set_next, slider, text
from transformer_core.errors import InputError
from transformer_core.model.decoding import Sampling

_STEPS = 10


def draw(shown: ShownModel, below: DeltaGenerator | None) -> DecodingOptions:
    """Draws the options, and returns what they say. `below`: where those stand that are seldom used; None: they are folded."""
    with pickers.line(), more.controls():
        how = choose(
            "decode_how",
            _("next token"),
            ["greedy", "sample"],
            {"greedy": _("greedy"), "sample": _("sample")},
            help=_("greedy: always the most likely token · sample: drawn at random, by the probabilities"),
        )
    sampling, seed = sampling_controls(shown.cfg.tgt_vocab) if how == "sample" else (None, 0)
    most = most_steps(shown.cfg, MOST_STEPS, shown.start)
    if below is None:
        steps = min(int(address_value("decode_steps", min(_STEPS, most), lambda text: as_number(text, whole=True))), most)
        return _options(steps, sampling, seed, _read(str(address_value("forced", "", str)), shown))
    with below:
        if how == "greedy":
            words = _(
                "Temperature, top-k and top-p never change which token is the most likely: under greedy they change nothing."
            )
            st.caption(words)
        typed, clear, place = st.columns([4, 1, 4], vertical_alignment="bottom")
        steps = slider("decode_steps", _("steps at most"), 1, most, _STEPS, place=place) if most > 1 else 1
        forced = _forced_tokens(shown, typed, clear)
    return _options(steps, sampling, seed, forced)


def _options(steps: int, sampling: Sampling | None, seed: int, forced: dict[int, int]) -> DecodingOptions:
    return DecodingOptions(steps, sampling, seed, tuple(sorted((i, token) for i, token in forced.items() if i < steps)))


def sampling_controls(vocab: int) -> tuple[Sampling, int]:
    """Temperature, top-k, top-p and the seed, which the page's parts share."""
    places = st.columns(4)
    temperature = slider(
        "temperature",
        _("temperature"),
        *TEMPERATURES,
        1.0,
        _("Divides the logits: below 1, likely tokens become likelier; above 1, the probabilities become more alike."),
        0.1,
        places[0],
    )
    top_k = slider(
        "top_k", _("top-k (0: all)"), 0, min(vocab, MOST_K), 0, _("Only the k most likely tokens can be drawn."), 1, places[1]
    )
    top_p = slider(
        "top_p",
        _("top-p"),
        *TOP_P,
        1.0,
        _("Only the most likely tokens can be drawn: as few as together reach this probability (nucleus sampling)."),
        0.05,
        places[2],
    )
    seed = slider("draw_seed", _("sampling seed"), 0, LAST_SEED, 0, place=places[3])
    return sampling_of(temperature, top_k, top_p), seed


def _forced_tokens(shown: ShownModel, place: DeltaGenerator, beside: DeltaGenerator) -> dict[int, int]:
    with place:
        typed = text("forced", _("forced tokens"), "", _("Step and token, as in 2=le 4=chat. Empty: nothing is forced."))
    beside.button(
        _("Clear"), icon=":material/undo:", on_click=set_next, args=("forced", ""), disabled=not typed, key="force-nothing"
    )
    return _read(typed, shown)


def _read(typed: str, shown: ShownModel) -> dict[int, int]:
    try:
        return read_forced(typed, shown)
    except InputError as error:
        st.error(plain(i18n.error(error)), icon=":material/edit:")
        return {}
