"""The visitor's pairs: typed, pasted from a spreadsheet, read from a file, or one of three examples."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from html import escape
from importlib.resources import files

import streamlit as st

from explorer import i18n
from explorer.exhibits.shared import how_long, run_controls
from explorer.i18n import _, n_
from explorer.learning.plan import TrainingPlan
from explorer.learning.run import TrainingRun
from explorer.rooms.rooms import of_server
from explorer.session import current, runs
from explorer.ui import more, pickers
from explorer.ui.format import plain
from explorer.ui.widgets import address_value, choose, drop_file, file_field, linked_text, slider
from transformer_core.data import pairs
from transformer_core.data.pair_rows import text_of
from transformer_core.data.pairs import Pair, Split, Table
from transformer_core.data.tasks import PairsTask
from transformer_core.errors import InputError
from transformer_core.training.learning_plan import pairs_plan

_WIDTHS = (32, 64, 128)  # d_model
_DROPOUTS = (0.0, 0.1, 0.2, 0.3, 0.4)
_NAMED = 5  # rows with a fault that are named at once


def draw(run: TrainingRun | None) -> TrainingPlan | None:
    """Draws the field, folded below a run, and what was read in it. Returns how a model would learn it; None, after the
    reason, if none can.
    """
    session = current()
    if run is not None and isinstance(run.plan.task, PairsTask) and not session.pairs:  # the page was loaded anew
        session.pairs = pairs.as_lines(run.plan.task.pairs)
    elif (
        (code := str(address_value("from_room", "", str))) and not session.pairs and (room := of_server().get(code)) is not None
    ):
        session.pairs = pairs.as_lines(room.picked)
    with st.expander(_("The pairs"), expanded=run is None, icon=":material/table_rows:"):
        _examples()
        left, right = st.columns(2, gap="large")
        with left:
            split, is_refused = _field()
        with right:
            if not is_refused:
                return _read(split)
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
    titles: dict[Split, str] = {"words": _("words"), "characters": _("characters")}
    help = _(
        "Words: a blank ends a word; signs, emoji and the characters of scripts without blanks, such as Chinese, stand alone. "
        "Characters: each stands alone. Small and capital letters are the same."
    )
    return choose("split", _("tokens"), [*titles], titles, help=help), is_refused


def can_clear(run: TrainingRun | None) -> bool:
    """Returns whether there is anything of one's own to clear."""
    return runs.is_mine(run) if run is not None else bool(current().pairs.strip())


def clear() -> None:
    """Clears the field, and ends the run, with its result (call it in a callback)."""
    session, run = current(), runs.current_run()
    if run is not None and isinstance(run.plan.task, PairsTask):
        runs.remove(run)
    session.pairs = session.asked = ""
    session.controls.remembered["from_room"] = ""
    drop_file("pairs-file")


def _read(split: Split) -> TrainingPlan | None:
    """Reads what the field holds, and shows how the model would see it."""
    if not current().pairs.strip():
        st.markdown(_("Choose an example, or write or paste your own pairs. What the model reads of them is shown here."))
        return None
    table = pairs.of_text(current().pairs, split)
    if table.columns:
        table = _of_two_columns(table, split)
    _faults(table.faults)
    _merged(table)
    try:
        task = PairsTask(table.pairs, split)
        plan = _plan(task)
        plan.check()
    except InputError as error:
        st.info(plain(i18n.error(error)), icon=":material/edit:")
        return None
    st.markdown(f":material/timer: {how_long.words(plan, run_controls.is_watched(None))[0]}")
    _tokens(table, task)
    return plan


def _plan(task: PairsTask) -> TrainingPlan:
    """The usual plan, unless somebody has chosen another seed, size or dropout."""
    usual = pairs_plan(task, seed=0)
    with more.controls():
        seed = slider("pairs_seed", _("seed"), 0, 20, 0)
    with more.controls(), pickers.line():
        width = choose("pairs_width", _("d_model"), _WIDTHS, default=usual.cfg.d_model)
        dropout = choose("pairs_dropout", _("dropout"), _DROPOUTS, default=usual.cfg.dropout)
    cfg = replace(usual.cfg, d_model=width, dropout=dropout)
    return TrainingPlan(cfg, task, replace(usual.recipe, seed=seed), usual.target)


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


def _faults(faults: Sequence[InputError]) -> None:
    if not faults:
        return
    words = [f"- {plain(i18n.error(fault))}" for fault in faults]
    st.warning("\n".join([_("These rows are left out:"), "", *words[:_NAMED]]), icon=":material/edit_note:")
    if rest := words[_NAMED:]:
        with st.popover(n_("{n} more row", "{n} more rows", len(rest)).format(n=len(rest)), type="tertiary"):
            st.markdown("\n".join(rest))


def _merged(table: Table) -> None:
    """Says which rows stand there more than once, and which sentences have several answers."""
    sentences = []
    if table.repeated:
        words = n_("{n} row repeats another and counts once.", "{n} rows repeat others and count once.", table.repeated)
        sentences.append(words.format(n=table.repeated))
    if table.several:
        named = ", ".join(f"“{plain(text)}”" for text in table.several[:_NAMED])
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
        rows.append(f"<tr><td>{_chips(src)}</td><td>{_chips(tgt)}</td><td>{escape(note)}</td></tr>")
    head = "".join(f"<th>{escape(title)}</th>" for title in (_("read as"), _("to be written"), ""))
    st.html(f'<div class="pairs" tabindex="0"><table><tr>{head}</tr>{"".join(rows)}</table></div>')


def _rare(words: Sequence[str], split: Split) -> None:
    """Names the words of which nothing can be learned but where they stood."""
    if not words or split == "characters":
        return
    named = ", ".join(f"“{plain(word)}”" for word in words[:_NAMED])
    told = n_(
        "{n} word stands in one pair only, and can only be remembered: {words}.",
        "{n} words stand in one pair only, and can only be remembered: {words}.",
        len(words),
    ).format(n=len(words), words=named if len(words) <= _NAMED else _("{words} and others").format(words=named))
    st.caption(
        _("{told} More pairs with them help, or shorter parts: “{a}” as “{b}”, or characters.").format(
            told=told, a="21 = einundzwanzig", b="2 1 = ein und zwanzig"
        )
    )


def _chips(found: Sequence[str]) -> str:
    return "".join(f"<span>{escape(token)}</span>" for token in found)


# --- Where pairs come from, besides typing. ---------------------------------------------------------------------------------


def _examples() -> None:
    titles = {"counting": _("Counting"), "adjectives": _("Adjectives that change place"), "code": _("A secret code")}
    looks = {
        "counting": _(
            "English numbers and Spanish ones. See where the model looks while it writes the tens, “y” and the units; then ask "
            "it for a number that is not in the list."
        ),
        "adjectives": _(
            "In French these adjectives follow the noun. See where the model looks while it writes each word; then open it on "
            "Heads: do the lines cross?"
        ),
        "code": _(
            "Each word has a number, and the message is written backwards. See whether the other diagonal appears; then cut "
            "one of its lines."
        ),
    }
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_("Begin with"), width="content")
        for name, title in titles.items():
            st.button(title, key=f"example-{name}", on_click=_take, args=(_example(name),))
    example = next((look for name, look in looks.items() if current().pairs == pairs.as_lines(_example(name))), None)
    if example is not None:
        st.caption(example)


@cache
def _example(name: str) -> tuple[Pair, ...]:
    """Reads the pairs of an example."""
    return pairs.of_file((files("transformer_core.data") / "examples" / f"{name}.csv").read_bytes()).pairs


def _take(rows: Sequence[Pair]) -> None:
    """Puts these pairs in place of what is in the field (call it in a callback)."""
    current().pairs = pairs.as_lines(rows)


def _take_text(text: str) -> None:
    current().pairs = text


def _take_file(data: bytes) -> None:
    """Puts the text of a file there; its faulty rows are named as those that are typed. Raises InputError like `text_of`."""
    current().pairs = text_of(data)
