"""Handles the events of a script run in batches, in order, and before the next runner begins.

Streamlit wakes the server's event loop for every element that a run draws:

    for number in range(50):
        st.write(number)  # 50 calls of loop.call_soon_threadsafe, for each of which two threads want the interpreter

A third of the time of a run is spent waiting for the interpreter. Moreover, Streamlit loses the end of a run where the loop is
busy and something else is asked for: a new runner begins, and the events of the former one are no longer handled.

    session.request_rerun(first)  # its thread has ended; the loop has not yet handled its last elements and its end
    session.request_rerun(second)  # "Ignoring event from non-current ScriptRunner": the browser waits for them for ever
"""

import asyncio
import logging
import threading
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import Any

from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from explorer.streamlit_patches.patch import Function, Patch

_log = logging.getLogger(__name__)
_GATHER = 0.01  # seconds that an element waits at most for those that follow it
_LOCK = threading.Lock()
_Waiting = deque[Callable[[], None]]


def _gather(_original: Any, session: Any, sender: Any, event: ScriptRunnerEvent, *args: Any, **kwargs: Any) -> None:
    """Queues an event. An element waits for the next ones; any other event is handled at once, after all that wait.

    The thread of the run calls this.
    """
    waiting = _waiting_of(session)
    with _LOCK:
        waiting.append(partial(session._handle_scriptrunner_event_on_event_loop, sender, event, *args, **kwargs))
        is_first = len(waiting) == 1
    handle = partial(_handle, waiting)
    if event is not ScriptRunnerEvent.ENQUEUE_FORWARD_MSG:
        session._call_soon_on_event_loop(handle)
    elif is_first:
        session._call_soon_on_event_loop(partial(_call_later, handle))


def _begin_after_the_former(original: Callable[..., None], session: Any, *args: Any, **kwargs: Any) -> None:
    """Handles what the former runner has left in the queue, and then begins a new one."""
    _handle(_waiting_of(session))
    original(session, *args, **kwargs)


def _waiting_of(session: Any) -> _Waiting:
    waiting: _Waiting = vars(session).setdefault("waiting_events", deque())
    return waiting


def _call_later(handle: Callable[[], None]) -> None:
    asyncio.get_running_loop().call_later(_GATHER, handle)


def _handle(waiting: _Waiting) -> None:
    while waiting:
        try:
            waiting.popleft()()
        except Exception:  # the events after it count all the same
            _log.exception("An event of a script run could not be handled.")


_SESSION = "streamlit.runtime.app_session:AppSession"
_EVENT = "sender, event, forward_msg, exception, client_state, page_script_hash, fragment_ids_this_run, pages, run_descriptor"
FUNCTIONS = (
    Function(_SESSION, "_handle_scriptrunner_event_on_event_loop", f"self, {_EVENT}"),
    Function(_SESSION, "_call_soon_on_event_loop", "self, callback"),
    Patch(_SESSION, "_on_scriptrunner_event", f"self, {_EVENT}", _gather),
    Patch(_SESSION, "_create_scriptrunner", "self, initial_rerun_data", _begin_after_the_former),
)
