"""The sidebar: the settings that all pages share, common ones first, the rest folded."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from explorer import i18n, resources
from explorer.components import live, scrubber
from explorer.i18n import _
from explorer.learning.task_titles import TASK_TITLES, task_title
from explorer.model_on_screen.settings import (
    EPSILONS,
    RANGES,
    SEEDS,
    SIZES,
    VARIANT,
    ModelSettings,
    choices,
    head_counts,
    widths,
)
from explorer.model_on_screen.sources import Reader, reader_of
from explorer.session import Session, current, learning, lesson_link, model_choice
from explorer.session.model_choice import OWN
from explorer.shell import source
from explorer.ui import number_field
from explorer.ui.format import plain, small
from explorer.ui.navigation import CONTENTS
from explorer.ui.setting_names import setting_help, setting_name, value_name
from explorer.ui.widgets import linked_number, linked_select, retitle, set_value
from transformer_core.data.tasks import LettersTask
from transformer_core.errors import InputError


def draw() -> None:
    """Draws the settings as the session has resolved them: those on which the page depends."""
    session = current()
    session.controls.settings_on_screen.clear()
    used = CONTENTS[session.rerun.page].settings
    if not lesson_link.shows("settings"):
        return
    if used == "seed":
        with st.sidebar:
            _seed()
    if used is not True:
        return
    reader = reader_of(session.settings)
    with st.sidebar:
        _task(session)
        _source(session, reader)
        if session.shows_model:
            with st.container(key="learned"):  # its height stays the same, as all above the sizes does: see `style.css`
                _learned_for(session, reader)
        _title_of_sizes(session)
        if not (reader.in_words and session.settings.input == "lengths"):
            source.length(session, reader)
        width, heads = st.columns(2)
        with width:
            _one_of("d_model", widths(session.settings))
        with heads:
            _one_of("n_heads", head_counts(session.settings))
        layers, norm = st.columns(2)
        with layers:
            _slider("n_layers")
        with norm:
            _options("norm")
        _details(session, reader)
        shown = session.rerun.shown
        names = {name: setting_name(name) for name in ("n_heads", "n_layers")}
        live.show(session.on_screen, names, None if isinstance(shown, InputError) else shown)


def _words(name: str) -> tuple[str, str]:
    """Returns what a setting of the model on screen is called, and its help."""
    has_encoder = reader_of(current().settings).has_source
    return setting_name(name, has_encoder), setting_help(name, has_encoder)


def _on_screen(name: str, value: Any) -> Any:
    """Gives the widget of this name, which is drawn next, the setting's value."""
    current().controls.settings_on_screen.add(name)
    set_value(name, value)
    return value


def _setting(name: str) -> Any:
    return _on_screen(name, getattr(current().settings, name))


def _task(session: Session) -> None:
    """Draws the list of tasks. The task of a model from a file may not be among them."""
    titles = {task: _(title) for task, title in TASK_TITLES.items()}
    model = resources.model_store().get(session.settings.model) if session.settings.model is not None else None
    offered = model is None or model.task in TASK_TITLES
    of_file = task_title(model.task) if model is not None else ""
    task = _on_screen("task", session.settings.task if offered else None)
    retitle("task", [*titles.values()])
    st.selectbox(
        setting_name("task"),
        [*TASK_TITLES],
        key="task",
        format_func=lambda task: titles.get(task, task),
        index=[*TASK_TITLES].index(task) if offered else None,
        placeholder=of_file or _("that of the file"),
        on_change=model_choice.close_for_task,
        label_visibility="collapsed",
        help=setting_help("task"),
        disabled=lesson_link.locks("task"),
    )


def _title_of_sizes(session: Session) -> None:
    """Draws the heading of the sizes, and names the file or run that is open, if any: whoever turns one of its sizes closes it,
    so its name takes no row of its own.
    """
    with st.container(key="sizes", horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        st.header(_("Sizes"), anchor=False, width="content")
        if session.settings.model is None:
            return
        model = resources.model_store().get(session.settings.model)
        name = _("a model that is no longer here") if model is None else model.name
        st.caption(_(":material/draft: Opened: {name}").format(name=plain(name)), width="stretch")
        st.button(_("Close"), key="close-model", icon=":material/close:", type="tertiary", on_click=model_choice.close_model)


def _source(session: Session, reader: Reader) -> None:
    """Draws the field of the source."""
    if reader.in_words and session.settings.input == "lengths":
        if reader.has_source:
            _slider("src_len", of_model=False)
        _slider("tgt_len", of_model=False)
        return
    name = reader.setting
    if not reader.has_source:
        _text(name, _("text"), _("What the model reads and goes on with. It has no encoder: it is a decoder alone."))
    elif reader.task == LettersTask.name:
        _text(name, _("source"), _("Letters that the model knows. The first is always A, which also starts the decoder."))
    elif name == "numbers":
        _text(name, _("source"), _("Numbers that the model knows. The first is always 1, which also starts the decoder."))
    elif reader.translation is None:
        _text(name, _("source sentence"), _("What the encoder reads. Words that it does not know become <unk>."))
    else:
        _text(name, _("source sentence"), _("What the encoder reads: English, in words that the model knows."))
    source.helps(session, reader)
    with st.container(key="answered" if reader.translation is not None else None, gap=None):  # its height stays the same
        source.answered(session, reader)
        if name in _nearest(session):
            _marked(session)


def _learned_for(session: Session, reader: Reader) -> None:
    """Draws the scrubber of the learning steps, a button that begins to learn, or what is wrong with the sizes."""
    try:
        model = session.shown()
    except InputError:
        if reader.setting not in _nearest(session):
            _marked(session)
        return
    if model.learning.state == "initial":
        st.button(
            _("Let it learn"),
            key="let-learn",
            icon=":material/model_training:",
            on_click=learning.begin,
            disabled=lesson_link.locks("step"),
        )
        return
    scrubber.show(
        scrubber.track_of(model.learning),
        session.settings.step,
        key="learned-for",
        on_move=lambda step: model_choice.choose("step", step),
        on_cancel=learning.cancel,
        setting="step",
        locked=lesson_link.locks("step"),
    )


def _nearest(session: Session) -> Mapping[str, Any]:
    """Returns the settings that do not go together, each with the nearest value that would."""
    return {} if (error := _refused(session)) is None else error.nearest


def _refused(session: Session) -> InputError | None:
    """Returns the error of the settings, or of the text that was typed."""
    shown = session.rerun.shown
    return shown if isinstance(shown, InputError) else session.rerun.refused


def _marked(session: Session) -> None:
    """Marks the settings that do not go together. The page offers those that would."""
    if names := _nearest(session):
        st.caption(f":red[:material/error: {plain(i18n.error(_refused(session)))}]")
        keys = ", ".join(f".st-key-{name} [data-testid=stWidgetLabel]" for name in names)
        st.html(f"<style>{keys} {{ color: var(--red-ink); font-weight: 700; }}</style>")


def _details(session: Session, reader: Reader) -> None:
    """Draws the other settings, only while they are unfolded, since pages are quicker without them."""
    folded = st.expander(_("More settings"), key="more_settings", on_change="rerun", icon=":material/tune:")
    if not folded.open:
        return
    with folded:
        _preset(session)
        if reader.in_words:
            _options("input", of_model=False)
            if session.settings.input == "words" and reader.has_source:
                _text("tgt", setting_name("tgt"), setting_help("tgt"))
        _seed()
        _slider("d_ff")
        _slider("dropout")
        for name in VARIANT:
            if _matters(name, session.settings, reader):
                _options(name)
        _epsilon()
        for name in ("max_len", "tgt_max_len") if reader.has_source else ("max_len",):
            _number(name, *_words(name))


def _matters(name: str, settings: ModelSettings, reader: Reader) -> bool:
    """Returns whether a setting means something beside the others."""
    if name == "cross_position":
        return reader.has_source and settings.cross_attention and settings.position in ("rotary", "alibi")
    return name != "cross_attention" or reader.has_source


def _preset(session: Session) -> None:
    names = {model_choice.USUAL: _("usual"), OWN: _("custom")}
    linked_select(
        "preset",
        _("preset"),
        [OWN, *model_choice.presets(session.settings.task)],
        model_choice.preset_of(session.settings),
        lambda name: names.get(name, name),
        model_choice.take_preset,
        _(
            "tiny learns in seconds; lesson and post_norm_notes are built as lecture notes build it; paper_base has the "
            "sizes of the paper."
        ),
        changes=SIZES,
    )


def _epsilon() -> None:
    """Draws a slider of the usual values of ε, and that of a model from a file."""
    value = _setting("norm_eps")
    offered = sorted({*EPSILONS, value})
    st.select_slider(
        setting_name("norm_eps"),
        offered,
        value,
        key="norm_eps",
        format_func=lambda eps: small(eps, 6),
        help=setting_help("norm_eps"),
        on_change=_changes_model("norm_eps"),
        disabled=lesson_link.locks("norm_eps"),
    )


def _number(name: str, label: str, help: str | None = None, hidden: bool = False) -> None:
    """Draws a field for a number. The value of a model from a file may lie beyond the range."""
    value = getattr(current().settings, name)
    low, high, _step = RANGES[name]
    number_field.draw(
        name, label, value, partial(model_choice.choose, name), (min(low, value), max(high, value)), help=help, hidden=hidden
    )


def _changes_model(name: str) -> Callable[[], None] | None:
    return model_choice.close_model if name in (*SIZES, "seed") else None


def _one_of(name: str, numbers: Sequence[int]) -> None:
    """Draws a slider of `numbers`, those that go together with the other settings; nothing if there is only one."""
    value, (label, help) = _setting(name), _words(name)
    if len(numbers) > 1:
        st.select_slider(
            label,
            numbers,
            value,
            key=name,
            help=help,
            on_change=_changes_model(name),
            disabled=lesson_link.locks(name),
        )


def _slider(name: str, of_model: bool = True) -> None:
    value = _setting(name)
    low, high, step = RANGES[name]
    low, high = min(low, value), max(high, value)  # a model from a file may have sizes beyond the range
    change = _changes_model(name) if of_model else None
    label, help = _words(name)
    st.slider(label, low, high, value, step, key=name, help=help, on_change=change, disabled=lesson_link.locks(name))


def _seed() -> None:
    """Draws a slider of some seeds, which live pictures follow, and a field for any seed."""
    value = current().settings.seed
    slider, field = st.columns([3, 2], vertical_alignment="bottom")
    with slider:
        linked_number(
            "seed-slider",
            setting_name("seed"),
            sorted({*SEEDS, value}),
            value,
            partial(model_choice.choose, "seed"),
            setting_help("seed"),
            changes="seed",
        )
    with field:
        _number("seed", _("any seed"), hidden=True)


def _text(name: str, label: str, help: str) -> None:
    st.text_input(label, _setting(name), key=name, help=help, disabled=lesson_link.locks(name))


def _options(name: str, of_model: bool = True) -> None:
    """Draws a choice among few values, as a list where their names do not fit side by side."""
    options: Sequence[Any] = choices(name)
    if name == "tie_embeddings" and not reader_of(current().settings).has_source:
        options = [option for option in options if option != "all"]  # there is one embedding
    value = _on_screen(name, value if (value := getattr(current().settings, name)) in options else "output")
    label, help = _words(name)
    names = {option: value_name(option) for option in options}
    retitle(name, [*names.values()])
    given: dict[str, Any] = {
        "label": label,
        "key": name,
        "help": help,
        "on_change": _changes_model(name) if of_model else None,
        "format_func": lambda option: names.get(option, option),
        "disabled": lesson_link.locks(name),
    }
    if sum(map(len, map(str, options))) > 20:
        st.selectbox(options=options, index=options.index(value), **given)
    else:
        st.segmented_control(options=options, default=value, required=True, width="stretch", **given)
