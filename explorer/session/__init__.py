"""The state of a visitor: language, settings, runs, the controls' values, and the address bar that restores all of it.

Nothing outside this package touches `st.session_state` or `st.query_params`, but for the keys of widgets that `ui.widgets` and
components draw.
"""

from explorer.session.rerun import begin, end, in_address, prepare, resume, resume_page
from explorer.session.session import PAGES_OF_ANY_LENGTH, Notice, Rerun, Session, Typed, Value, current
from explorer.streamlit_patches.script_run import run_all_again

__all__ = [
    "PAGES_OF_ANY_LENGTH", "Notice", "Rerun", "Session", "Typed", "Value", "begin", "current", "end", "in_address", "prepare",
    "resume", "resume_page", "run_all_again",
]  # fmt: skip
