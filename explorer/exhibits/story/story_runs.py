"""The two runs that the story plays back. They come with the app; where their plans have changed since, they are trained once
for everybody."""

import streamlit as st

from explorer import resources
from explorer.i18n import _
from explorer.learning.ablations import recorded_plans
from explorer.learning.run_history import RunHistory
from explorer.learning.shipped_recordings import shipped
from explorer.session import run_all_again
from explorer.session.runs import viewer
from explorer.ui.fragment import fragment
from transformer_core.errors import InputError

_POLL = 0.5  # seconds between two looks at a recording under way


def recordings() -> dict[str, RunHistory | None]:
    """Returns both recordings by name; None for one under way. Raises InputError if the server has no room for them."""
    plans = recorded_plans()
    return {name: shipped(name, plan) or resources.recordings().get(name, plan, viewer()) for name, plan in plans.items()}


def waited_for(*names: str) -> list[RunHistory]:
    """Returns the recordings; while one is under way, returns none, and draws a note that redraws the page when all are there.
    Raises InputError if one failed, or could not be started."""
    made = _made(*names)
    if not made:

        @fragment(run_every=_POLL)
        def wait() -> None:
            if _made(*names):
                run_all_again()
            st.info(
                _("This model is being trained on the server right now, once for everybody. It may take a minute."),
                icon=":material/model_training:",
            )

        wait()
    return made


def _made(*names: str) -> list[RunHistory]:
    """Returns the recordings once all are there; none until then."""
    there = recordings()
    ready = [recording for name in names if (recording := there[name]) is not None]
    for recording in ready:
        if (why := recording.message) is not None:
            raise InputError(why.template, **why.values)
    return ready if len(ready) == len(names) else []
