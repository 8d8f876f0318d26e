"""The table of a sweep: which combination of settings learned soonest, and every model of it to be opened."""

from collections.abc import Sequence

import streamlit as st

from explorer import i18n
from explorer.exhibits.compare import sweep_pictures
from explorer.exhibits.compare.sweep_pictures import title
from explorer.exhibits.shared import cookies
from explorer.i18n import _, n_
from explorer.inference.sweeps import SweepFile, kept_sweep, open_sweep, shipped_sweep, sweep_model
from explorer.session import current, model_choice
from explorer.training.task_titles import task_title
from explorer.ui import document, navigation
from explorer.ui.format import plain
from explorer.ui.widgets import choose, pressed
from transformer_core.analysis.sweep import Combination, apart_by_chance, combinations, rivals, varied
from transformer_core.training.learning_plan import plan_for, seconds_of_a_step
from transformer_core.training.sweep_rows import SweepRow

_COMMAND = "python -m transformer_core sweep --d-model 16,32,64 --heads 1,2,4 --seeds 3 --out sweep.jsonl"
_BESIDE = 6  # seeds that can be chosen side by side


def draw() -> None:
    """Draws the table that is open, or the one that comes with the app, task by task."""
    opened = _file()
    _where_from(opened)
    found = _of_task(combinations(opened.rows))
    _soonest(found)
    sweep_pictures.every([each for each in found if each.finished])
    document.details("sweep", lambda: _more(found))


def _more(found: Sequence[Combination]) -> None:
    sweep_pictures.table(found)
    _one_model(found)
    document.try_this(
        _("How much is luck? Compare how far the dots of one row lie apart with how far two rows do."),
        _("Open the same combination from two seeds on Heads: do their heads do the same?"),
        _("Ask a question of your own: do two layers learn sooner than one of the same width? Run the sweep that answers it."),
    )
    document.the_code(combinations, rivals)


def _file() -> SweepFile:
    """Returns the table on screen; a file that is no table leaves the former one there."""
    session = current()
    with st.expander(_("Open a sweep of your own"), icon=":material/upload_file:"):
        st.markdown(
            _(
                "A **sweep** trains every combination of some settings, each from several seeds, on all cores of a machine, or "
                "of several. It is run from the command line; when it is stopped, the same command goes on with it:"
            )
        )
        st.code(_COMMAND, language="bash")
        cookies.note()
        file = st.file_uploader(_("A .jsonl file that a sweep has written, finished or not"), type="jsonl", key="sweep-upload")
        if file is not None:
            if session.sweep_read is None or session.sweep_read[0] != file.file_id:
                session.sweep_read = file.file_id, open_sweep(file.name, file.getvalue())
                session.sweep = session.sweep_read[1].id or session.sweep
            if (error := session.sweep_read[1].error) is not None:
                st.error(plain(i18n.error(error)), icon=":material/error:")
    return _opened() or shipped_sweep()


def _opened() -> SweepFile | None:
    """Returns the table that the address names; reads it once."""
    session = current()
    if session.sweep is None:
        return None
    if session.sweep_open is None or session.sweep_open.id != session.sweep:
        session.sweep_open = kept_sweep(session.sweep)
    if session.sweep_open is None:
        words = _("The table that this link names is not kept here any more. Open its file once more.")
        st.info(words, icon=":material/link_off:")
    return session.sweep_open


def _where_from(opened: SweepFile) -> None:
    """Says which table this is, and leads back to the app's."""
    if not opened.id:
        st.caption(
            _(
                "This table comes with the app: the command in the box above wrote it in November 2026, with `--processes 1`, "
                "while other work ran on the same machine."
            )
        )
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        words = n_("{name}: {n:,} model", "{name}: {n:,} models", len(opened.rows))
        st.markdown(words.format(name=f"**{plain(opened.name)}**", n=len(opened.rows)), width="content")
        st.button(_("Close this table"), key="close-sweep", icon=":material/close:", type="tertiary", on_click=_close)
    if opened.cut_off:
        st.info(_("The last line of the file was not fully written, and is left out."), icon=":material/cut:")


def _close() -> None:
    current().sweep = None


def _of_task(found: Sequence[Combination]) -> list[Combination]:
    """Draws the choice of the task: steps can be compared within one task only."""
    tasks = list(dict.fromkeys(each.task for each in found))
    task = tasks[0]
    if len(tasks) > 1:
        with st.columns([2, 5])[0]:
            task = choose("sweep_task", _("task"), tasks, task_title, listed=True)
    return [each for each in found if each.task == task]


def _soonest(found: Sequence[Combination]) -> None:
    """Says which combination learned first, and whether its seeds tell it apart from the others."""
    first, names = found[0], varied(found)
    if not any(each.finished for each in found):
        st.info(_("None of these models was trained to its end; the table below says why."), icon=":material/info:")
        return
    if first.median is None:
        words = _("No combination has reached {target:.0%} right with more than half of its seeds.")
        st.info(words.format(target=sweep_pictures.TARGET), icon=":material/info:")
        return
    words = n_(
        "**{name}** reached {target:.0%} right soonest: after {steps:,.0f} steps, with {n} seed.",
        "**{name}** reached {target:.0%} right soonest: after {steps:,.0f} steps, the median of {n} seeds.",
        len(first.finished),
    ).format(
        name=title(first, names), target=sweep_pictures.TARGET, steps=first.median, n=len(first.finished),
    )  # fmt: skip
    st.success(f"{words} {_against_others(found)}", icon=":material/timer:")


def _against_others(found: Sequence[Combination]) -> str:
    """Says whether chance may have decided."""
    if len(found) == 1:
        return _("There is no other combination to compare it with.")
    if near := rivals(found):
        return n_(
            "The range of {n} other overlaps with its own: which of the two is sooner may be chance.",
            "The ranges of {n} others overlap with its own: which of them is sooner may be chance.",
            len(near),
        ).format(n=len(near))
    if min(len(each.finished) for each in found) < 2:
        return _("Not every combination has two seeds or more: how much of the difference is chance cannot be told.")
    if len(found[0].reached) < len(found[0].finished):
        words = _("{k} of its {n} seeds got there, and no seed of the others did.")
        return words.format(k=len(found[0].reached), n=len(found[0].finished))
    words = _(
        "Each of its seeds got there sooner than any seed of the others. By chance alone, the steps of two combinations that "
        "learn equally fast lie apart like this in 1 of {times} cases."
    )
    return words.format(times=apart_by_chance(found))


# --- One of the models. -----------------------------------------------------------------------------------------------------


def _one_model(found: Sequence[Combination]) -> None:
    """Draws the choice of a combination and of one of its seeds, and the way to that model."""
    document.section(_("One of these models"))
    names = varied(found)
    left, right, _rest = st.columns([2, 2, 3])
    with left:
        titles = {str(i): title(each, names) for i, each in enumerate(found)}
        each = found[int(choose("sweep_model", _("combination"), list(titles), titles, listed=True))]
    sweep_pictures.seeds(each)
    with right:
        seeds = [row.seed for row in each.rows]
        seed = choose("sweep_seed", _("seed"), seeds, listed=len(seeds) > _BESIDE)
    _open(next(row for row in each.rows if row.seed == seed))


def _open(row: SweepRow) -> None:
    """Draws the button that puts the model on screen, and says what to expect of it."""
    known = sweep_model(row)
    if known is None:
        st.caption(_("The app cannot show this model: its sizes or its task are beyond what the sidebar offers."))
        return
    if pressed(_("Open on Heads"), key="open-sweep", icon=":material/view_module:", type="primary"):
        model_choice.open_settings(known.settings)
        navigation.switch("heads", kind="cross", part="words_and_lines")
    if known.is_there and known.by_its_plan:
        st.caption(_("It opens at once: this server has it."))
    elif known.is_there:
        st.caption(
            _("This server has a model of these settings and this seed that has learned by another plan: that one opens.")
        )
    else:
        plan = plan_for(row.task, row.cfg, row.seed)
        words = _("It learns again when it is opened: at most {steps:,} steps, an estimated {seconds:.0f} seconds on one core.")
        if not known.by_its_plan:
            words = _(
                "It learns again when it is opened: at most {steps:,} steps, an estimated {seconds:.0f} seconds on one core, "
                "and by the app's plan, which is not the one of this row."
            )
        steps = plan.recipe.steps
        st.caption(words.format(steps=steps, seconds=steps * seconds_of_a_step(plan)))
