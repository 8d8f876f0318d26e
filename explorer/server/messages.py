"""What a run draws is sent in batches, and all of it.

Streamlit wakes the server's event loop twice for each element that a run draws, and each time the two wait for one another to
let go of the interpreter: with dozens of elements on a page, a third of the time of a run went by so.

Where the loop is busy, Streamlit loses some of what has been drawn and not been sent yet: see `_begin_anew` and `_keep`.
"""

import asyncio
import threading
from collections import deque
from collections.abc import Callable
from functools import cache, partial
from typing import Any

from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner import ScriptRunnerEvent
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

_GATHER = 0.01  # seconds that an element waits at most for those that follow it
_LOCK = threading.Lock()
_populate, _wake = app_session._populate_theme_msg, Runtime._enqueued_some_message
_begin, _clear = AppSession._create_scriptrunner, ForwardMsgQueue.clear


def batch() -> None:
    """Mends Streamlit for the whole process; to be called before it makes its runtime, and again as often as one likes."""
    app_session._populate_theme_msg = _tell_theme  # type: ignore[assignment]
    AppSession._on_scriptrunner_event = _note  # type: ignore[assignment,method-assign]
    AppSession._create_scriptrunner = _begin_anew  # type: ignore[assignment,method-assign]
    ForwardMsgQueue.clear = _keep  # type: ignore[assignment,method-assign]
    Runtime._enqueued_some_message = _wake_once  # type: ignore[assignment,method-assign]


def _note(session: AppSession, sender: Any, event: ScriptRunnerEvent, *args: Any, **given: Any) -> None:
    """Of all that happens in a run, in the order in which it happens: what it draws waits for what it draws next; the beginning
    and the end are handled at once, with all that waits. Called by the thread of the run."""
    waiting = _waiting(session)
    with _LOCK:
        waiting.append(partial(session._handle_scriptrunner_event_on_event_loop, sender, event, *args, **given))
        first = len(waiting) == 1
    handle = partial(_handle, session._event_loop, waiting)
    if event is not ScriptRunnerEvent.ENQUEUE_FORWARD_MSG:
        session._call_soon_on_event_loop(handle)
    elif first:
        session._call_soon_on_event_loop(partial(_later, session._event_loop, handle))


def _later(loop: asyncio.AbstractEventLoop, handle: Callable[[], None]) -> None:
    loop.call_later(_GATHER, handle)


def _waiting(session: AppSession) -> deque[Callable[[], None]]:
    found: deque[Callable[[], None]] = vars(session).setdefault("waiting", deque())
    return found


def _handle(loop: asyncio.AbstractEventLoop, waiting: deque[Callable[[], None]]) -> None:
    while waiting:
        try:
            waiting.popleft()()
        except Exception as error:  # those after it count all the same
            loop.call_exception_handler({"message": "What a run tells could not be handled.", "exception": error})


def _begin_anew(session: AppSession, first: RerunData) -> None:
    """The thread in which a session's runs were has just ended, and something is asked for: another begins. Streamlit forgets
    the end of what the one before has drawn, if it has not come round to it yet."""
    _handle(session._event_loop, _waiting(session))
    _begin(session, first)


def _keep(queue: ForwardMsgQueue, retain_lifecycle_msgs: bool = False, fragment_ids_this_run: list[str] | None = None) -> None:
    """When a fragment runs again, all stays in the queue that has been drawn before. Streamlit drops what the same fragment has
    drawn, and keeps what has been drawn within its nested fragments: a browser that is then sent a part of something that it
    never had shows nothing any more, until it is loaded anew."""
    if fragment_ids_this_run:
        queue._delta_index_map = {}  # what comes now is not put in the place of what an earlier run has drawn
    else:
        _clear(queue, retain_lifecycle_msgs)


def _wake_once(runtime: Runtime) -> None:
    """Has what is queued be sent. The loop need not be woken by itself."""
    here = runtime._get_async_objs()
    if here.eventloop is asyncio._get_running_loop():
        here.need_send_data.set()
    else:
        _wake(runtime)


def _tell_theme(message: CustomThemeConfig, section: str = "theme") -> None:
    message.MergeFrom(_theme(section))


@cache
def _theme(section: str) -> CustomThemeConfig:
    """The theme stays as it is while a server runs; Streamlit reads it, option by option, for each run of everybody."""
    message = CustomThemeConfig()
    _populate(message, section)
    return message
