"""The shared knobs in the sidebar. Each is bound to the address bar: a copied link restores the exact view."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from explorer import server
from explorer.words import _
from transformer_core import PRESETS, TransformerConfig
from transformer_core.data.corpora import CORPORA

RANDOM = "random"
FIRST = "translate-fr"  # the model that a first visitor sees: attention that has learned something
_OWN = "own"
Choice = TypeVar("Choice")
# In what textbooks differ; every one is a switch of TransformerConfig.
VARIANT = (
    "position", "score", "causal", "cross_attention", "residual", "layer_norm", "final_norm", "activation", "embedding_scale",
    "attention_bias", "tie_embeddings",
)  # fmt: skip
_SIZES = ("d_model", "n_heads", "n_layers", "d_ff", "norm", "dropout", *VARIANT)
_FINAL_NORM = {"auto": None, "on": True, "off": False}  # a knob that says None would count as one that says nothing


@dataclass(frozen=True)
class Knobs:
    """What the sidebar says; a field's name is its widget's key and its name in the address bar.

    The defaults hold for a page that runs alone as well. `model` is the id of a trained model, None for random weights.
    """

    model: str | None = None
    d_model: int = PRESETS["tiny"].d_model
    n_heads: int = PRESETS["tiny"].n_heads
    n_layers: int = PRESETS["tiny"].n_layers
    d_ff: int = PRESETS["tiny"].d_ff
    norm: Literal["post", "pre"] = PRESETS["tiny"].norm
    dropout: float = PRESETS["tiny"].dropout
    final_norm: Literal["auto", "on", "off"] = "auto"
    layer_norm: Literal["standard", "unbiased_std"] = PRESETS["tiny"].layer_norm
    attention_bias: bool = PRESETS["tiny"].attention_bias
    tie_embeddings: Literal["none", "output", "all"] = PRESETS["tiny"].tie_embeddings
    position: Literal["sinusoidal", "learned", "none"] = PRESETS["tiny"].position
    embedding_scale: bool = PRESETS["tiny"].embedding_scale
    score: Literal["scaled_dot", "dot", "additive", "concat_linear"] = PRESETS["tiny"].score
    residual: bool = PRESETS["tiny"].residual
    causal: bool = PRESETS["tiny"].causal
    cross_attention: bool = PRESETS["tiny"].cross_attention
    activation: Literal["relu", "gelu"] = PRESETS["tiny"].activation
    input: str = "words"
    src: str = "the red cat sees a big house"
    tgt: str = "le chat rouge voit une grande maison"
    src_len: int = 10
    tgt_len: int = 9
    numbers: str = "1 5 3 8 2 9 4 10 7 6"
    seed: int = 0

    @property
    def by_length(self) -> bool:
        return self.input == "lengths"

    def config(self, vocab: int) -> TransformerConfig:
        """The model that is described, for a vocabulary. Raises ValueError with what to do instead."""
        said = {name: getattr(self, name) for name in _SIZES} | {"final_norm": _FINAL_NORM[self.final_norm]}
        return TransformerConfig(src_vocab=vocab, tgt_vocab=vocab, **said)


def _knob(cfg: TransformerConfig, name: str) -> Any:
    """What the knob of this name says for a model."""
    value = getattr(cfg, name)
    return next(word for word, meant in _FINAL_NORM.items() if meant is value) if name == "final_norm" else value


_DEFAULTS: dict[str, Any] = {f.name: f.default for f in fields(Knobs)}
_OF_RANDOM = (*_SIZES, "seed", "input", "tgt", "src_len", "tgt_len")  # knobs that say something of random weights only


def knobs() -> Knobs:
    """What the session's knobs say now; the default for one that is not on screen."""
    values: dict[str, Any] = {name: st.session_state.get(name) for name in _DEFAULTS}
    if values["model"] == RANDOM:
        values["model"] = None
    return Knobs(**{name: default if values[name] is None else values[name] for name, default in _DEFAULTS.items()})


def sidebar() -> None:
    """Draws the shared knobs. Called by the router on every run, before the page."""
    _model_choice()
    with st.sidebar:
        preset = st.container()
        _slider("d_model", "d_model", 8, 512, 8, _("Width: how many numbers stand for one token between all parts."))
        _slider("n_heads", _("heads"), 1, 16, 1, _("How many attentions look at the sentence side by side."))
        _slider("n_layers", _("layers"), 1, 6, 1, _("Layers in the encoder, and as many in the decoder."))
        _slider("d_ff", "d_ff", 16, 2048, 16, _("Inner width of the feed-forward part."))
        _segments(
            "norm",
            _("norm"),
            ["post", "pre"],
            _("Layer norm after each residual sum (“post”, the paper), or before each part (“pre”)."),
        )
        _sentences()
        _variant()
        with st.expander(_("More")):
            _number("seed", _("seed"), _("Which random numbers the weights start from: the same seed gives the same model."))
            _slider("dropout", "dropout", 0.0, 0.5, 0.05, _("Share of values set to zero, in training only."))
    st.session_state["preset"] = _matching_preset()  # known once the knobs have taken what the link says
    preset.selectbox(
        _("Preset"), [_OWN, *PRESETS], key="preset", on_change=_take_preset,
        format_func=lambda name: _("own sizes") if name == _OWN else name,
        help=_(
            "“tiny” learns in seconds; “lesson” and “post_norm_notes” are built as lecture notes do it; “paper_base” has the "
            "sizes of the paper."
        ),
    )  # fmt: skip


def _variant() -> None:
    """The switches. They are on screen when unfolded or when one is turned: the page is quicker without them."""
    folded = st.expander(_("Variant"), key="variant", on_change="rerun")
    last = st.session_state.get("_last", {})
    now = {name: st.session_state.get(name, last.get(name, _DEFAULTS[name])) for name in VARIANT}
    turned = any(now[name] != _DEFAULTS[name] or name in st.query_params for name in VARIANT)
    if not (folded.open or turned):
        for name in VARIANT:
            last.pop(name, None)
        return
    on_off = [True, False]
    with folded:
        _segments(
            "position",
            _("positions"),
            ["sinusoidal", "learned", "none"],
            _("How a word's place is told: waves (the paper), a table that is learned, or not at all."),
        )
        _segments(
            "score",
            _("score"),
            ["scaled_dot", "dot", "additive", "concat_linear"],
            _("How a query is compared with a key: q·k ÷ √d_k (the paper), q·k, or a small network over both."),
        )
        _segments("causal", _("causal mask"), on_off, _("Off: the decoder sees the words that it is to say."))
        _segments("cross_attention", _("cross-attention"), on_off, _("Off: the decoder knows nothing of the source."))
        _segments("residual", _("residual sums"), on_off, _("Off: a part's input is not added to its output."))
        _segments(
            "layer_norm",
            _("layer norm"),
            ["standard", "unbiased_std"],
            _("“unbiased_std” divides by the standard deviation over d_model − 1, plus eps, as some notes do."),
        )
        _segments(
            "final_norm", _("final norms"), list(_FINAL_NORM), _("One more norm behind each stack; auto: for “pre” only.")
        )
        _segments("activation", _("activation"), ["relu", "gelu"], _("The bend inside the feed-forward part."))
        _segments("embedding_scale", _("embeddings × √d_model"), on_off, _("Off: token vectors enter as they are looked up."))
        _segments(
            "attention_bias", _("bias in attention"), on_off, _("Whether the four projections add a number of their own.")
        )
        _segments(
            "tie_embeddings",
            _("shared tables"),
            ["none", "output", "all"],
            _("Which token tables are one matrix with the output."),
        )


def open_model(model_id: str, linked: bool = False) -> None:
    """Makes a trained model the one on screen (call before the sidebar is drawn: in a callback).

    `linked` says that the address bar has asked for it, and may say as well what it is to read.
    """
    known = st.session_state.setdefault("_models", [])
    if model_id not in [*server.model_store().shipped, *known]:
        known.append(model_id)
    st.session_state["model"] = model_id
    _fit_source(linked)


def _fit_source(linked: bool = False) -> None:
    """Gives a trained model a source that it can read, where what stands there is not one."""
    stored = server.model_store().get(st.session_state["model"])
    if stored is None:
        return
    name = "src" if stored.in_words else "numbers"
    if linked and name in st.query_params:
        return
    typed = st.session_state.get(name) or st.session_state.get("_last", {}).get(name) or _DEFAULTS[name]
    if stored.in_words:
        if stored.vocabulary.unknown_words(typed):
            st.session_state[name] = CORPORA[stored.task]().example
    else:
        symbols = stored.vocabulary.tokens[1:]
        st.session_state[name] = " ".join(n for n in typed.split() if n in symbols) or "1"


def _model_choice() -> None:
    """Random weights, or a trained model: one that comes with the app, that this session has opened, or that the link names."""
    if "model" not in st.session_state:
        _first_model(st.query_params.get("model"))
    opened = [m for m in st.session_state.get("_models", []) if server.model_store().get(m) is not None]
    known = [*server.model_store().shipped, *opened]
    if st.session_state.get("model") not in known:
        st.session_state["model"] = RANDOM
    st.sidebar.selectbox(
        _("Model"), [RANDOM, *known], key="model", format_func=_model_name, on_change=_fit_source,
        help=_("Where the weights come from: random, or trained. Turning a knob below makes a new model with random weights."),
    )  # fmt: skip
    model = st.session_state["model"]
    if model == _unsaid():
        st.query_params.pop("model", None)
    else:
        st.query_params["model"] = model
    stored = server.model_store().get(model)
    if stored is not None:
        for name in _SIZES:  # the knobs show the sizes of the model on screen
            st.session_state[name] = _knob(stored.cfg, name)


def _first_model(linked: str | None) -> None:
    """The model that a new session begins with."""
    model = linked or (RANDOM if any(name in st.session_state for name in _OF_RANDOM) else _unsaid())
    if model != RANDOM and server.model_store().get(model) is None:
        st.sidebar.warning(_("The trained model in this link is no longer on the server; these are random weights."))
        model = RANDOM
    st.session_state["model"] = model
    if model != RANDOM:
        open_model(model, linked=True)


def _unsaid() -> str:
    """The model that an address means which names none."""
    return RANDOM if any(name in st.query_params for name in _OF_RANDOM) else FIRST


def _model_name(model_id: str) -> str:
    stored = server.model_store().get(model_id)
    return stored.name if stored else _("random weights")


def _matching_preset() -> str:
    now = knobs()
    return next((name for name, cfg in PRESETS.items() if all(getattr(now, s) == _knob(cfg, s) for s in _SIZES)), _OWN)


def _take_preset() -> None:
    name = st.session_state["preset"]
    if name != _OWN:
        cfg: TransformerConfig = PRESETS[name]
        for size in _SIZES:
            st.session_state[size] = _knob(cfg, size)
        _turned()


def _turned() -> None:
    """A size was turned: what is on screen is a new model now."""
    st.session_state["_size_turned"] = st.session_state.get("model", RANDOM) == RANDOM
    st.session_state["model"] = RANDOM


def size_turned() -> bool:
    """Whether this run comes from a size that was turned, so that all other knobs, and which there are, stay as they were."""
    return bool(st.session_state.pop("_size_turned", False))


def _sentences() -> None:
    stored = server.model_store().get(st.session_state.get("model", RANDOM))
    if stored is not None and stored.in_words:
        _text("src", _("source sentence"), _("What the model reads. Words that it has not learned become <unk>."))
        return
    if stored is not None:
        _text(
            "numbers",
            _("source, in numbers"),
            _("Symbols of the trained model. The first is always 1, which also starts the decoder."),
        )
        return
    _segments("input", _("input"), ["words", "lengths"], _("Type two sentences, or only say how long they are."))
    if knobs().by_length:
        _slider("src_len", _("source length"), 1, 128, 1, _("Random words for the encoder."), turns_model=False)
        _slider(
            "tgt_len",
            _("target length"),
            1,
            127,
            1,
            _("Random words for the decoder, behind the start token."),
            turns_model=False,
        )
    else:
        _text("src", _("source sentence"), _("What the encoder reads. Words it does not know become <unk>."))
        _text("tgt", _("target sentence"), _("What the decoder has written so far, behind the start token."))


def _slider(name: str, label: str, low: float, high: float, step: float, words: str, turns_model: bool = True) -> None:
    turned = _turned if turns_model else None
    _restore(name)
    if name in st.session_state:  # a model from a file may have sizes beyond the ends
        low, high = min(low, st.session_state[name]), max(high, st.session_state[name])
    value = st.slider(label, low, high, _DEFAULTS[name], step, key=name, help=words, bind="query-params", on_change=turned)
    remember(name, value)


def _number(name: str, label: str, words: str) -> None:
    st.number_input(label, 0, 2**31 - 1, _DEFAULTS[name], 1, key=name, help=words, bind="query-params", on_change=_turned)


def _text(name: str, label: str, words: str) -> None:
    _restore(name)
    remember(name, st.text_input(label, _DEFAULTS[name], key=name, help=words, bind="query-params"))


def _segments(name: str, label: str, options: list, words: str) -> None:
    """One of a few; where their names do not fit side by side, as a list."""
    _restore(name)
    given: dict[str, Any] = {
        "key": name, "help": words, "bind": "query-params", "on_change": _turned if name in _SIZES else None,
        "format_func": lambda value: {True: _("on"), False: _("off")}.get(value, value),
    }  # fmt: skip
    if sum(map(len, map(str, options))) > 20:
        if st.session_state.get(name, _DEFAULTS[name]) not in options:
            st.session_state[name] = _DEFAULTS[name]
        value = st.selectbox(label, options, options.index(_DEFAULTS[name]), **given)
    else:
        value = st.segmented_control(label, options, default=_DEFAULTS[name], required=True, width="stretch", **given)
    remember(name, value)


def which_attention(cfg: TransformerConfig, first: str = "encoder") -> tuple[str, int]:
    """The pickers for one of the model's attentions and a layer; returns a key of state.ATTENTIONS, and the layer.

    `first` is the attention that is shown until another one is chosen.
    """
    left, right = st.columns(2)
    words = _("encoder: the source looks at itself · decoder: the target at itself · cross: the target at the source")
    kinds = sorted(["encoder", "decoder", "cross"][: 2 + cfg.cross_attention], key=lambda kind: kind != first)
    with left:
        kind = choose("kind", _("which attention"), kinds, help=words)
    with right:
        layer = choose("layer", _("layer"), range(cfg.n_layers))
    shows(kind, layer=layer)
    return kind, layer


def which_head(cfg: TransformerConfig, first: str = "encoder") -> tuple[str, int, int]:
    """The same, and beside them the picker for a head; returns the head as well."""
    left, right = st.columns([2, 1])
    with left:
        kind, layer = which_attention(cfg, first)
    with right:
        return kind, layer, choose("head", _("head"), range(cfg.n_heads))


def shows(*parts: str, layer: int | None = None) -> None:
    """Notes which parts of the model are on screen: the map in the page's corner lights them (names: see its lit_drawing)."""
    st.session_state["_shown"] = parts, layer


def choose(name: str, label: str, options: Sequence[Choice], help: str | None = None, hidden: bool = False) -> Choice:
    """One of a few, bound to the address bar; falls back to the first when the choice is no longer there.

    `hidden` keeps the label for those who cannot see it, where the options speak for themselves.
    """
    keep(name, options)
    chosen = st.segmented_control(
        label, options, default=options[0], key=name, required=True, bind="query-params", help=help,
        label_visibility="collapsed" if hidden else "visible",
    )  # fmt: skip
    return remember(name, options[0] if chosen is None else chosen)  # None: the address names it and says nothing


def keep(name: str, options: Sequence[Choice]) -> None:
    """Gives a choice its last value back, or the first option where that one is no longer there."""
    _restore(name)
    if st.session_state.get(name, options[0]) not in options:
        st.session_state[name] = options[0]


def arrive(page: str) -> None:
    """Notes which page is drawn next. Streamlit forgets what controls said when the page changes, even where both pages have
    them, so their last values are given back."""
    st.session_state["_arriving"] = st.session_state.get("_page", page) != page
    st.session_state["_page"] = page
    st.session_state["_shown"] = None


def settle() -> None:
    """The page is drawn: from now on its controls speak for themselves."""
    st.session_state["_arriving"] = False


def _restore(name: str) -> None:
    """Gives a control that was off the screen, or on another page, its last value back."""
    last = st.session_state.get("_last", {})
    if name in last and (st.session_state.get("_arriving") or name not in st.session_state):
        st.session_state[name] = last[name]


def remember(name: str, value: Choice) -> Choice:
    """Notes what a control says, for when it comes back on screen."""
    st.session_state.setdefault("_last", {})[name] = value
    return value


def slider(
    name: str,
    label: str,
    low: float,
    high: float,
    default: float,
    help: str | None = None,
    step: float = 1,
    place: DeltaGenerator | None = None,
) -> Any:
    """A page's own slider, bound to the address bar. Its ends may move with other knobs: the value is kept between them."""
    _restore(name)
    if name in st.session_state:
        st.session_state[name] = min(max(st.session_state[name], low), high)
    default = min(max(default, low), high)
    return remember(name, (place or st).slider(label, low, high, default, step, key=name, help=help, bind="query-params"))


def number(name: str, label: str, default: float, format: str, words: str) -> float:
    """A page's own number, bound to the address bar. Any number may be typed: what it does is shown, not forbidden."""
    _restore(name)
    value = st.number_input(label, value=default, format=format, step=default / 10, key=name, help=words, bind="query-params")
    return remember(name, value)


def text(name: str, label: str, default: str, words: str) -> str:
    """A page's own line of text, bound to the address bar."""
    _restore(name)
    return remember(name, st.text_input(label, default, key=name, help=words, bind="query-params"))


def pick_name(name: str, label: str, options: list[str], titles: Mapping[str, str], words: str) -> str:
    """One of a list by its name, shown under its title; bound to the address bar, where a link may say either."""
    if name not in st.session_state and st.query_params.get(name) in options:
        st.session_state[name] = st.query_params[name]
    keep(name, options)
    chosen = st.selectbox(label, options, key=name, format_func=lambda o: titles.get(o, o), help=words, bind="query-params")
    return remember(name, chosen)


def pick(name: str, label: str, labels: Sequence[str], default: int = 0) -> int:
    """One of many, by its place; bound to the address bar."""
    _restore(name)
    now = st.session_state.get(name)
    if isinstance(now, str):  # a label that is gone, because another word stands there now: the place is meant
        now = st.session_state[name] = st.session_state.get("_last", {}).get(name, default)
    if now is not None and not 0 <= now < len(labels):
        st.session_state[name] = default
    places = range(len(labels))
    chosen = st.selectbox(label, places, default, key=name, format_func=labels.__getitem__, bind="query-params")
    return remember(name, chosen)


def size_words(count: int) -> str:
    """Bytes in words: 1.5 MB."""
    return _scaled(count, ("B", "kB", "MB", "GB"))


def count_words(count: int) -> str:
    """Operations in words: 2.4 million."""
    return _scaled(count, ("", _("thousand"), _("million"), _("billion"), _("trillion")))


def _scaled(value: float, units: Sequence[str]) -> str:
    place = 0
    while value >= 1000 and place < len(units) - 1:
        value, place = value / 1000, place + 1
    return f"{value:.{0 if place == 0 or value >= 100 else 1}f} {units[place]}".strip()
