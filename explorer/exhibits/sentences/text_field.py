"""The visitor's text, of which a decoder alone learns each next word: typed, pasted, read from a file, or an example."""

from collections.abc import Callable
from functools import cache
from html import escape
from importlib.resources import files

import streamlit as st

from explorer import i18n
from explorer.exhibits.sentences.read_rows import Example, begin_with, chips, faults, split_of
from explorer.i18n import _, current_language, n_
from explorer.learning.plan import TrainingPlan
from explorer.session import current
from explorer.ui.format import plain
from explorer.ui.widgets import file_field, linked_text
from transformer_core.data import texts
from transformer_core.data.pair_rows import text_of
from transformer_core.data.pairs import HELD_OUT_FROM, tokens
from transformer_core.data.tasks import OwnTask, TextTask
from transformer_core.errors import InputError


def draw(planned: Callable[[OwnTask], TrainingPlan]) -> TrainingPlan | None:
    """Draws the field, and what was read in it. Returns what `planned` makes of it; None, after the reason, if nothing."""
    begin_with(_examples(), current().own_text, _take)
    left, right = st.columns(2, gap="large")
    with left:
        linked_text("own-text", _("a poem, a story, notes: each line is learned by itself"), current().own_text, _take)
        is_refused = file_field("text-file", _("or a file"), ("txt", "md"), _take_file)
        split = split_of()
    with right:
        if is_refused:
            st.info(_("Nothing of this file is read. Choose another, or remove it to go on with the text in the field."))
            return None
        if not current().own_text.strip():
            st.markdown(_("Choose an example, or write or paste a text. What the model reads of it is shown here."))
            return None
        read = texts.lines_of(current().own_text, split)
        faults(read.faults, _("These lines are left out:"))
        try:
            task = TextTask(read.lines, split)
            plan = planned(task)
        except InputError as error:
            st.info(plain(i18n.error(error)), icon=":material/edit:")
            return None
        _lines(read, task)
        return plan


def _lines(read: texts.Lines, task: TextTask) -> None:
    """Shows how many lines are held out, and the tokens of all."""
    lines = [_("{n} lines. The model learns to say each next word from those before it in the line.").format(n=len(task.lines))]
    if held := len(task.lines) - task.trained_on:
        words = _("{held} of them are held out, to see whether it does more than remember.")
    elif len(task.lines) >= HELD_OUT_FROM:
        words = _("It learns from all of them: each has a word that stands in no other.")
    else:
        words = _("It learns from all of them, so what it says right it may simply remember.")
    lines.append(words.format(held=held))
    if read.split:
        words = n_("{n} line is long and became several.", "{n} lines are long and became several.", read.split)
        lines.append(words.format(n=read.split))
    if read.repeated:
        words = n_("{n} line stood there before.", "{n} lines stood there before.", read.repeated)
        lines.append(words.format(n=read.repeated))
    st.markdown(" ".join(lines))
    tested = {each.tgt for each in task.corpus.held_out["source"]} if held else set()
    rows = []
    for line in task.lines:
        words_of = tokens(line, task.split)
        note = _("held out") if tuple(words_of) in tested else ""
        rows.append(f"<tr><td>{chips(words_of)}</td><td>{escape(note)}</td></tr>")
    st.html(
        f'<div class="pairs" tabindex="0"><table><tr><th>{escape(_("read as"))}</th><th></th></tr>{"".join(rows)}</table></div>'
    )


# --- Where a text comes from, besides typing. -------------------------------------------------------------------------------


def _examples() -> list[Example]:
    colours = "colours-zh" if current_language().startswith("zh") else "colours"
    look = _(
        "The last word of each line is a colour that stood there before. Learn it, then open it on Heads: where does the model "
        "look before it says the colour again? Cut that line."
    )
    rhyme = _(
        "It can be remembered, word by word: after “that killed”, does it know what comes? Then let it go on with a beginning "
        "of your own."
    )
    return [
        Example(colours, _("Which colour?"), look, _example(colours)),
        Example("jack", _("A nursery rhyme"), rhyme, _example("jack")),
    ]


@cache
def _example(name: str) -> str:
    """Reads the text of an example."""
    return (files("transformer_core.data") / "examples" / f"{name}.txt").read_text(encoding="utf-8").rstrip("\n")


def _take(text: str) -> None:
    """Puts a text in place of what is in the field (call it in a callback)."""
    current().own_text = text


def _take_file(data: bytes) -> None:
    """Puts the text of a file there. Raises InputError like `text_of`."""
    current().own_text = text_of(data)
