"""The visitor's pairs: typed, pasted from a spreadsheet, read from a file, or one of three examples."""

from collections.abc import Callable, Sequence
from functools import cache
from html import escape
from importlib.resources import files

import streamlit as st

from explorer import i18n
from explorer.exhibits.sentences.read_rows import NAMED, Example, begin_with, chips, faults, split_of
from explorer.i18n import _, n_
from explorer.learning.plan import TrainingPlan
from explorer.rooms.rooms import of_server
from explorer.session import current
from explorer.ui.format import plain
from explorer.ui.widgets import address_value, choose, file_field, linked_text
from transformer_core.data import pairs
from transformer_core.data.pair_rows import text_of
from transformer_core.data.pairs import Split, Table
from transformer_core.data.tasks import OwnTask, PairsTask
from transformer_core.errors import InputError


def draw(planned: Callable[[OwnTask], TrainingPlan]) -> TrainingPlan | None:
    """Draws the field, and what was read in it. Returns what `planned` makes of it; None, after the reason, if nothing."""
    session = current()
    if (code := str(address_value("from_room", "", str))) and not session.pairs and (room := of_server().get(code)) is not None:
        session.pairs = pairs.as_lines(room.picked)
    begin_with(_examples(), session.pairs, _take_text)
    left, right = st.columns(2, gap="large")
    with left:
        split, is_refused = _field()
    with right:
        if not is_refused:
            return _read(split, planned)
        st.info(_("Nothing of this file is read. Choose another, or remove it to go on with the pairs in the field."))
    return None


def _field() -> tuple[Split, bool]:
    """Returns what a token is, and whether the file that was given cannot be read."""
    help = _(
        "Between a sentence and its answer: a tab, as in what you copy from a spreadsheet, or = ; , | → or the like. It is "
        "read when you leave the field, or press Ctrl and Enter."
    )
    linked_text("own-pairs", _("one pair a line, such as: good morning = buenos días"), current().pairs, _take_text, help)
    is_refused = file_field("pairs-file", _("or a file"), ("csv", "tsv", "txt", "md", "xlsx"), _take_file)
    return split_of(), is_refused


def _read(split: Split, planned: Callable[[OwnTask], TrainingPlan]) -> TrainingPlan | None:
    """Reads what the field holds, and shows how the model would see it."""
    if not current().pairs.strip():
        st.markdown(_("Choose an example, or write or paste your own pairs. What the model reads of them is shown here."))
        return None
    table = pairs.of_text(current().pairs, split)
    if table.columns:
        table = _of_two_columns(table, split)
    faults(table.faults, _("These rows are left out:"))
    _merged(table)
    try:
        task = PairsTask(table.pairs, split)
        plan = planned(task)
    except InputError as error:
        st.info(plain(i18n.error(error)), icon=":material/edit:")
        return None
    _tokens(table, task)
    return plan


def _of_two_columns(table: Table, split: Split) -> Table:
    """Says that there are more columns than two, and reads the two that are chosen."""
    titles = {i: plain(_("{i}: {cell}").format(i=i + 1, cell=cell)) for i, cell in enumerate(table.columns)}
    st.markdown(_("{n} columns; two of them are learned:").format(n=len(titles)))
    left, right = st.columns(2)
    source, answer = table.taken
    with left:
        source = choose("sentence_column", _("the sentence"), [*titles], titles, listed=True, default=source)
    with right:
        answer = choose("answer_column", _("its answer"), [*titles], titles, listed=True, default=answer)
    return pairs.of_text(current().pairs, split, (source, answer))


def _merged(table: Table) -> None:
    """Says which rows stand there more than once, and which sentences have several answers."""
    sentences = []
    if table.repeated:
        words = n_("{n} row repeats another and counts once.", "{n} rows repeat others and count once.", table.repeated)
        sentences.append(words.format(n=table.repeated))
    if table.several:
        named = ", ".join(f"“{plain(text)}”" for text in table.several[:NAMED])
        words = n_(
            "{n} sentence has several answers, and each counts as right: {named}.",
            "{n} sentences have several answers, and each counts as right: {named}.",
            len(table.several),
        )
        sentences.append(words.format(n=len(table.several), named=named))
    if sentences:
        st.info(" ".join(sentences), icon=":material/merge:")


def _tokens(table: Table, task: PairsTask) -> None:
    """Shows how many pairs are held out, and the tokens of the first ones."""
    held = len(task.pairs) - task.trained_on
    words = _("{n} pairs. It learns from {train} of them; {held} are held out, to see whether it does more than remember.")
    if not held:
        words = _("{n} pairs. It learns from all of them, so what it answers right it may simply remember: {why}")
    why = _("from {least} different sentences on, some are held out.").format(least=pairs.HELD_OUT_FROM)
    if len({each.src for each in task.corpus.examples}) >= pairs.HELD_OUT_FROM:
        why = _("each has a word that stands in no other.")
    st.markdown(words.format(n=len(task.pairs), train=task.trained_on, held=held, why=why))
    _rare(pairs.words_of_one_sentence(task.corpus.examples), task.split)
    tested = {each.src for each in task.corpus.held_out["source"]} if held else set()
    rows = []
    for source, answer in table.pairs:
        src, tgt = (pairs.tokens(text, task.split) for text in (source, answer))
        note = _("held out") if tuple(src) in tested else ""
        rows.append(f"<tr><td>{chips(src)}</td><td>{chips(tgt)}</td><td>{escape(note)}</td></tr>")
    head = "".join(f"<th>{escape(title)}</th>" for title in (_("read as"), _("to be written"), ""))
    st.html(f'<div class="pairs" tabindex="0"><table><tr>{head}</tr>{"".join(rows)}</table></div>')


def _rare(words: Sequence[str], split: Split) -> None:
    """Names the words of which nothing can be learned but where they stood."""
    if not words or split == "characters":
        return
    named = ", ".join(f"“{plain(word)}”" for word in words[:NAMED])
    told = n_(
        "{n} word stands in one pair only, and can only be remembered: {words}.",
        "{n} words stand in one pair only, and can only be remembered: {words}.",
        len(words),
    ).format(n=len(words), words=named if len(words) <= NAMED else _("{words} and others").format(words=named))
    st.caption(
        _("{told} More pairs with them help, or shorter parts: “{a}” as “{b}”, or characters.").format(
            told=told, a="21 = einundzwanzig", b="2 1 = ein und zwanzig"
        )
    )


# --- Where pairs come from, besides typing. ---------------------------------------------------------------------------------


def _examples() -> list[Example]:
    counting = _(
        "English numbers and Spanish ones. See where the model looks while it writes the tens, “y” and the units; then ask it "
        "for a number that is not in the list."
    )
    adjectives = _(
        "In French these adjectives follow the noun. See where the model looks while it writes each word; then open it on "
        "Heads: do the lines cross?"
    )
    code = _(
        "Each word has a number, and the message is written backwards. See whether the other diagonal appears; then cut one of "
        "its lines."
    )
    return [
        Example("counting", _("Counting"), counting, _example("counting")),
        Example("adjectives", _("Adjectives that change place"), adjectives, _example("adjectives")),
        Example("code", _("A secret code"), code, _example("code")),
    ]


@cache
def _example(name: str) -> str:
    """Reads the pairs of an example, one a line."""
    file = (files("transformer_core.data") / "examples" / f"{name}.csv").read_bytes()
    return pairs.as_lines(pairs.of_file(file).pairs)


def _take_text(text: str) -> None:
    current().pairs = text


def _take_file(data: bytes) -> None:
    """Puts the text of a file there; its faulty rows are named as those that are typed. Raises InputError like `text_of`."""
    current().pairs = text_of(data)
