"""A race: a Transformer, an LSTM with attention and one without learn the same from the same rows. Who is first?"""

import numpy as np
import streamlit as st

from explorer.exhibits.compare import live_race, race_findings, race_pictures
from explorer.exhibits.shared import asking
from explorer.exhibits.shared.asking import Asking, Question
from explorer.i18n import N_, _
from explorer.pictures.race import LENGTHS, NAMES, TASK_NAMES, RaceChoices, arrivals, race_curves, runs_of
from explorer.rooms.outcomes import Outcome
from explorer.rooms.script import Case, Choice
from explorer.ui import document, navigation, pickers
from explorer.ui.widgets import address_value, choose, set_next
from transformer_core.analysis.race_results import Scale, arrival, middle, shipped_race
from transformer_core.model.recurrent import Recurrent, attend
from transformer_core.training.race import BATCH, ROWS, TARGET, Racer

_TASK, _LENGTH = "copy", 10  # of the question
_ALIKE = 0.1  # share of the steps: what differs by less counts as the same


def draw() -> None:
    """Draws the question; once somebody has guessed, or wants no guess, the race, and then what it says."""
    asked = _asking()
    said = asking.of_address("race", _TASK, asked.counts)
    has_no_guess = bool(address_value("race_shown", False, {"on": True, "off": False}.get)) and said.choice is None
    if has_no_guess or said.choice is not None:
        _race()
    else:
        _entrants()
    if not has_no_guess:
        asking.ask(asking.key_of("race", _TASK), asked, said, lambda said: asking.keep("race", _TASK, said))
    if not has_no_guess and said.choice is None:
        label = _("Show it without a guess")
        st.button(label, key="show-race", type="tertiary", on_click=set_next, args=("race_shown", True))
    elif has_no_guess or said.new is not None:
        _findings()


def _entrants() -> None:
    """Says who runs."""
    words = _(
        "A **Transformer**; an **LSTM**, which reads one number after another and keeps all that it has read in {state} "
        "values; and an **LSTM with attention**, which may also look back at every number. All three have about {n:,} "
        "parameters, and learn from the same rows."
    )
    st.markdown(words.format(state=race_findings.state_size(), n=round(race_findings.parameters(), -3)))


# --- The question. ----------------------------------------------------------------------------------------------------------


def _asking() -> Asking:
    asked = _("They learn to copy rows of {n} numbers. By the clock, who first has {target:.0%} of new rows right?")
    models = tuple(Choice(_(name), model) for model, name in NAMES.items())
    because = [
        _("it may look at every number"),
        _("it reads one after another, as we do"),
        _("it is the newest"),
        _("I just guess"),
    ]
    ways = (
        Choice(_("to write them in the same order"), "copy"),
        Choice(_("to write them backwards"), "reverse"),
        Choice(_("both alike"), "alike"),
    )
    new = _("An LSTM without attention reads {n} numbers. What does it learn in fewer steps?")
    return Asking(
        Question(asked.format(n=_LENGTH, target=TARGET), Case("", "", models), _first),
        because,
        Question(new.format(n=_LENGTH), Case("", "", ways), _which_way),
    )


def _first() -> Outcome:
    """Finds who has arrived first."""
    runs = runs_of(shipped_race().rows, _TASK, _LENGTH)
    told = N_("The median of {n} seeds each: {arrivals}.")
    values = {"n": len(runs["lstm"]), "arrivals": arrivals(runs)}
    return Outcome(race_findings.first_of(runs, "seconds"), [(told, values)], values)


def _which_way() -> Outcome:
    """Finds which of the two tasks the LSTM without attention has learned in fewer steps."""
    both = [runs_of(shipped_race().rows, task, _LENGTH)["lstm"] for task in ("copy", "reverse")]
    copy, reverse = (np.inf if (at := arrival(middle(rows))) is None else at for rows in both)
    found = "alike" if min(copy, reverse) >= (1 - _ALIKE) * max(copy, reverse) else "copy" if copy < reverse else "reverse"
    told = N_(
        "Backwards, {target} are right after {reverse} steps; in the same order, after {copy} (the median of {n} seeds). "
        "Backwards, the number that it read last is the first to be written."
    )
    values = {"target": f"{TARGET:.0%}", "copy": f"{copy:,.0f}", "reverse": f"{reverse:,.0f}", "n": len(both[0])}
    return Outcome(found, [(told, values)], values)


# --- The race. --------------------------------------------------------------------------------------------------------------


def _race() -> None:
    """Draws the race that is chosen: one's own that is on screen, or else the recorded one."""
    with pickers.line():
        task = choose("race_task", _("task"), [*TASK_NAMES], {task: _(name) for task, name in TASK_NAMES.items()})
        length = choose("race_length", _("length"), LENGTHS, default=_LENGTH)
        scales: dict[Scale, str] = {"steps": _("steps"), "seconds": _("seconds")}
        scale: Scale = choose("race_scale", _("by"), [*scales], scales)
        live = live_race.of(task, length)
        live_race.buttons(live, task, length)
    live_race.refused()
    if live is not None:
        live_race.draw(live, scale)
    else:
        recorded = race_curves.live(RaceChoices(task, length, scale))
        race_pictures.curves(runs_of(shipped_race().rows, task, length), scale, recorded)


def _findings() -> None:
    """Says what the race shows, and what it does not."""
    rows = shipped_race().rows
    document.section(_("What the race says, and what it does not"))
    st.markdown("\n".join(f"- {each}" for each in race_findings.findings(rows)))
    race_pictures.places()
    document.details("race", _details)


def _details() -> None:
    """Draws the table of the models, and says what was equal for all."""
    race = shipped_race()
    st.dataframe(race_findings.table(), hide_index=True)
    document.caption(
        _(
            "{n} numbers. The way of a number: the steps from where it is read to where it is written. Steps that wait: those "
            "of one pass in training of which each needs the one before. The paper's table 1 has both for layers; here they "
            "are counted for these models."
        ).format(n=LENGTHS[-1])
    )
    st.markdown(
        _(
            "Equal for all: the rows and their order, {batch} in each step; Adam, with gradients clipped at norm 1; the rule "
            "by which weights are drawn; gradients by autograd; and the {rows} rows on which they are judged, of which none "
            "has learned from any. The learning rate is each model's own: several were tried, on a seed that does not run."
        ).format(batch=BATCH, rows=ROWS)
    )
    st.markdown(
        _(
            "Recorded on {day} with one thread of {machine}, torch {torch}. Seconds are the processor's, and comparable within "
            "one race alone. This command repeats it:"
        ).format(day=race.day, machine=race.machine, torch=race.torch)
    )
    st.code("python -m transformer_core race", language="bash")
    navigation.link("shapes", _("Both for every length, beside convolution"), part="cost_and_length")
    document.formula(
        r"a_{ts} = \operatorname{softmax}_s(h_t \cdot \bar h_s) \qquad "
        r"\tilde h_t = \tanh\Big(W_c \Big[\textstyle\sum_s a_{ts} \bar h_s \,;\, h_t\Big]\Big)",
        _(
            "The attention of the LSTM: Luong et al. 2015, equations 5 and 7. LSTM: Hochreiter & Schmidhuber 1997; as encoder "
            "and decoder: Sutskever et al. 2014."
        ),
    )
    document.try_this(
        _("Switch from steps to seconds: who gains?"),
        _("Take length 5, then 20: which of the three loses most?"),
        _("Press **Run it now** twice: how far apart are two seeds?"),
    )
    document.the_code(Recurrent, attend, Racer)
