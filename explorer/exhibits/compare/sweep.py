"""The sweep that comes with the app: which combination of settings learned soonest, and every model of it to be opened."""

from collections.abc import Sequence

import streamlit as st

from explorer.exhibits.compare import sweep_pictures
from explorer.exhibits.compare.sweep_pictures import title
from explorer.i18n import _, n_
from explorer.model_on_screen.sweeps import shipped_sweep, sweep_model
from explorer.session import model_choice
from explorer.ui import document, navigation
from explorer.ui.widgets import choose, pressed
from transformer_core.analysis.sweep import Combination, apart_by_chance, combinations, rivals, varied
from transformer_core.training.learning_plan import plan_for, seconds_of_a_step
from transformer_core.training.sweep_rows import SweepRow

_COMMAND = "python -m transformer_core sweep --d-model 16,32,64 --heads 1,2,4 --seeds 3 --out sweep.jsonl"


def draw() -> None:
    """Draws the table that comes with the app."""
    found = combinations(shipped_sweep())
    st.caption(
        _(
            "This table comes with the app: the command under Details wrote it in November 2026, with `--processes 1`, "
            "while other work ran on the same machine."
        )
    )
    _soonest(found)
    sweep_pictures.every(found)
    document.details("sweep", lambda: _details(found))


def _details(found: Sequence[Combination]) -> None:
    sweep_pictures.table(found)
    _one_model(found)
    document.section(_("A sweep of your own"))
    st.markdown(
        _(
            "A **sweep** trains every combination of some settings, each from several seeds, on all cores of a machine, or "
            "of several. It is run from the command line, and ends with a table like this one; when it is stopped, the same "
            "command goes on with it:"
        )
    )
    st.code(_COMMAND, language="bash")
    document.try_this(
        _("How much is luck? Compare how far the dots of one row lie apart with how far two rows do."),
        _("Open the same combination from two seeds on Heads: do their heads do the same?"),
        _("Ask a question of your own: do two layers learn sooner than one of the same width? Run the sweep that answers it."),
    )
    document.the_code(combinations, rivals)


def _soonest(found: Sequence[Combination]) -> None:
    """Says which combination learned first, and whether its seeds tell it apart from the others."""
    first, names = found[0], varied(found)
    words = n_(
        "**{name}** reached {target:.0%} right soonest: after {steps:,.0f} steps, with {n} seed.",
        "**{name}** reached {target:.0%} right soonest: after {steps:,.0f} steps, the median of {n} seeds.",
        len(first.finished),
    ).format(
        name=title(first, names),
        target=sweep_pictures.TARGET,
        steps=first.median,
        n=len(first.finished),
    )
    st.success(f"{words} {_against_others(found)}", icon=":material/timer:")


def _against_others(found: Sequence[Combination]) -> str:
    """Says whether chance may have decided."""
    if near := rivals(found):
        return n_(
            "The range of {n} other overlaps with its own: which of the two is sooner may be chance.",
            "The ranges of {n} others overlap with its own: which of them is sooner may be chance.",
            len(near),
        ).format(n=len(near))
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
        seed = choose("sweep_seed", _("seed"), seeds)
    _open(next(row for row in each.rows if row.seed == seed))


def _open(row: SweepRow) -> None:
    """Draws the button that puts the model on screen, and says what to expect of it."""
    known = sweep_model(row)
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
        steps = plan.recipe.steps
        st.caption(words.format(steps=steps, seconds=steps * seconds_of_a_step(plan)))
