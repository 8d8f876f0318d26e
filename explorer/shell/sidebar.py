"""The shared settings: the common ones first, the rest folded."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import streamlit as st

from explorer import i18n, server
from explorer.i18n import N_, _
from explorer.inference.sentences import lengths, of_length
from explorer.inference.settings import DEFAULTS, RANGES, SIZES, VARIANT, choices
from explorer.model_store.store import StoredModel
from explorer.session import Session, current, model_choice
from explorer.session.model_choice import OWN, RANDOM
from explorer.training.task_titles import TASK_TITLES
from explorer.ui.format import plain
from explorer.ui.widgets import offer, offer_number, retitle, set_value
from transformer_core import PRESETS
from transformer_core.errors import InputError

_VALUES: dict[Any, str] = {  # values that are words; the others are called as in the code
    True: N_("on"), False: N_("off"), "on": N_("on"), "off": N_("off"), "auto": N_("auto"),
    "words": N_("sentences"), "lengths": N_("lengths"),
}  # fmt: skip


def draw() -> None:
    """Draws the settings; the values are those that the session has resolved already."""
    session = current()
    session.settings_on_screen.clear()
    with st.sidebar:
        _model(session)
        stored = server.model_store().get(session.settings.model or RANDOM)
        _sentence(session, stored)
        _marked(session)
        _slider("d_model", "d_model", _("Width: how many numbers stand for one token between all sublayers."))
        _slider("n_heads", _("heads"), _("How many attentions run side by side, each on its share of the width."))
        _slider("n_layers", _("layers"), _("Layers in the encoder, and as many in the decoder."))
        _options(
            "norm",
            _("norm"),
            _("Layer norm after each residual connection (post, the paper) or before each sublayer (pre)."),
        )
        _more(session, stored)
        _language(session)


def _on_screen(name: str, value: Any) -> Any:
    """Has the widget of this name, which is drawn next, say the setting's value."""
    current().settings_on_screen.add(name)
    set_value(name, value)
    return value


def _setting(name: str) -> Any:
    return _on_screen(name, getattr(current().settings, name))


def _model(session: Session) -> None:
    names = {model_id: _model_name(model_id) for model_id in (RANDOM, *model_choice.offered_models(session))}
    _on_screen("model", session.settings.model or RANDOM)
    retitle("model", [*names.values()])
    st.selectbox(
        _("model"), [*names], key="model", format_func=lambda model_id: names.get(model_id, model_id),
        on_change=model_choice.fit_source,
        help=_("Where the weights come from: random, or trained. A changed size makes a new model with random weights."),
    )  # fmt: skip


def _model_name(model_id: str) -> str:
    """Those that come with the app are known by their tasks, which fit in one line."""
    if model_id == RANDOM:
        return _("random weights")
    stored = server.model_store().get(model_id)
    if stored is None:
        return _("a model that is no longer here")
    return _(TASK_TITLES[stored.task]) if model_id in server.model_store().shipped else stored.name


def _sentence(session: Session, stored: StoredModel | None) -> None:
    """What the model reads, and how long that is."""
    if session.settings.input == "lengths" and stored is None:
        _slider("src_len", _("source length"), _("Random words for the encoder."), of_model=False)
        _slider("tgt_len", _("target length"), _("Random words for the decoder, after the start token."), of_model=False)
        return
    if stored is not None and not stored.in_words:
        name = "numbers"
        _text(name, _("source"), _("Numbers that the model knows. The first is always 1, which also starts the decoder."))
    else:
        name = "src"
        _text(name, _("source sentence"), _("What the encoder reads. Words that it does not know become <unk>."))
    if stored is None:
        _text("tgt", _("target sentence"), _("What the decoder has generated so far, after the start token."))
    with suppress(InputError):  # the page says why there is nothing to be shown
        _length(name, len(session.shown().src), stored)


def _length(name: str, now: int, stored: StoredModel | None) -> None:
    """The number of tokens in the source; another one brings a source of that length."""
    offer_number(
        "sequence_length", _("sequence length"), sorted({*lengths(stored), now}), now,
        lambda length: model_choice.choose(name, of_length(stored, length)),
        _("Tokens in the source. Another length brings another sentence."),
    )  # fmt: skip


def _marked(session: Session) -> None:
    """Says which settings cannot go together; the page offers what can."""
    if isinstance(session.rerun.shown, InputError) and (names := session.rerun.shown.nearest):
        st.caption(f":red[:material/error: {plain(i18n.error(session.rerun.shown))}]")
        keys = ", ".join(f".st-key-{name} [data-testid=stWidgetLabel]" for name in names)
        st.html(f"<style>{keys} {{ color: light-dark(#b3261e, #ff9b8f); font-weight: 700; }}</style>")


def _more(session: Session, stored: StoredModel | None) -> None:
    """The other settings. They are on screen when unfolded, or when one of them was changed: pages are quicker without them."""
    folded = st.expander(_("More settings"), key="more", on_change="rerun", icon=":material/tune:")
    changed = any(getattr(session.settings, name) != DEFAULTS[name] for name in (*VARIANT, "seed", "input", "dropout", "d_ff"))
    if not (folded.open or (changed and stored is None)):
        return
    with folded:
        _preset(session)
        if stored is None:
            _options("input", _("input"), _("Type two sentences, or only say how long they are."), of_model=False)
        _seed()
        _slider("d_ff", "d_ff", _("Inner width of the feed-forward network."))
        _slider("dropout", "dropout", _("Share of values set to zero, in training only."))
        _variant()


def _preset(session: Session) -> None:
    offer(
        "preset", _("preset"), [OWN, *PRESETS], model_choice.preset_of(session.settings),
        lambda name: _("custom") if name == OWN else name, model_choice.take_preset,
        _("tiny learns in seconds; lesson and post_norm_notes are built as lecture notes build it; paper_base has the "
          "sizes of the paper."),
    )  # fmt: skip


def _variant() -> None:
    for name, label, help in (
        ("position", _("positions"), _("How a position is encoded: sinusoids (the paper), a learned table, or not at all.")),
        ("score", _("score"), _("How a query is compared with a key: q·k ÷ √d_k (the paper), q·k, or a small network.")),
        ("causal", _("causal mask"), _("Off: the decoder sees the tokens that it is to predict.")),
        ("cross_attention", _("cross-attention"), _("Off: the decoder knows nothing of the source.")),
        ("residual", _("residual connections"), _("Off: a sublayer's input is not added to its output.")),
        (
            "layer_norm", _("layer norm"),
            _("“unbiased_std” divides by the standard deviation over d_model − 1, plus eps, as some notes do."),
        ),
        ("final_norm", _("final norms"), _("One more norm after each stack; auto: for “pre” only.")),
        ("activation", _("activation"), _("The non-linearity inside the feed-forward network.")),
        ("embedding_scale", _("embeddings × √d_model"), _("Off: token embeddings enter as they are.")),
        ("attention_bias", _("bias in attention"), _("Whether the four projections add a bias.")),
        ("tie_embeddings", _("tied embeddings"), _("Which embeddings share one matrix with the output projection.")),
    ):  # fmt: skip
        _options(name, label, help)


def _language(session: Session) -> None:
    def take(language: str) -> None:
        session.chosen_language = language

    if len(i18n.LANGUAGES) > 1:
        offered = [*i18n.LANGUAGES] if session.language in i18n.LANGUAGES else [session.language, *i18n.LANGUAGES]
        offer(
            "language", "Language · 语言", offered, session.language, lambda language: i18n.LANGUAGES.get(language, language),
            take, hidden=True,
        )  # fmt: skip
    # Screen readers speak by it, and Chinese characters are drawn by it. The pseudo-locale is English with marks.
    tag = (i18n.ENGLISH if session.language == i18n.PSEUDO else session.language).replace("_", "-")
    st.html(f'<script>document.documentElement.lang = "{tag}"</script>', unsafe_allow_javascript=True)


def _changes_model(name: str) -> Callable[[], None] | None:
    return model_choice.open_random_weights if name in (*SIZES, "seed") else None


def _slider(name: str, label: str, help: str, of_model: bool = True) -> None:
    value = _setting(name)
    low, high, step = RANGES[name]
    low, high = min(low, value), max(high, value)  # a model from a file may have sizes beyond the ends
    st.slider(label, low, high, step=step, key=name, help=help, on_change=_changes_model(name) if of_model else None)


def _seed() -> None:
    _setting("seed")
    low, high, step = map(int, RANGES["seed"])
    help = _("Which random numbers the weights start from: the same seed gives the same model.")
    st.number_input(_("seed"), low, high, step=step, key="seed", help=help, on_change=_changes_model("seed"))


def _text(name: str, label: str, help: str) -> None:
    _setting(name)
    st.text_input(label, key=name, help=help)


def _options(name: str, label: str, help: str, of_model: bool = True) -> None:
    """One of a few; where their names do not fit side by side, as a list."""
    _setting(name)
    options: Sequence[Any] = choices(name)
    names = {option: _(_VALUES[option]) if option in _VALUES else option for option in options}
    retitle(name, [*names.values()])
    given: dict[str, Any] = {
        "key": name, "help": help, "on_change": _changes_model(name) if of_model else None,
        "format_func": lambda option: names.get(option, option),
    }  # fmt: skip
    if sum(map(len, map(str, options))) > 20:
        st.selectbox(label, options, **given)
    else:
        st.segmented_control(label, options, required=True, width="stretch", **given)
