"""When windows have been closed, the memory that they took is given back."""

import asyncio
import logging
from collections.abc import Callable

from streamlit import runtime

from explorer.server import memory

_log = logging.getLogger(__name__)
_EVERY = 30.0  # seconds between two looks whether windows have been closed


def windows() -> tuple[int, int]:
    """How many are open, and how many sessions there are, also of windows that were closed. Call it in the event loop.

    Streamlit keeps the session of a closed window for two minutes, in case its browser comes back, and drops it only when it is
    asked for its sessions.
    """
    sessions = runtime.get_instance()._session_mgr
    return len(sessions.list_active_sessions()), len(sessions.list_sessions())


async def go_on(
    rest: Callable[[], None],
    every: float = _EVERY,
    windows: Callable[[], tuple[int, int]] = windows,
    give_back: Callable[[], None] = memory.give_back,
) -> None:
    """Looks every so many seconds, for ever; where there are fewer windows or sessions than at the last look, memory is given
    back. While there are none, the app is to `rest`, which frees what is kept for visitors. Both in threads beside the event
    loop."""
    before = (0, 0)
    while True:
        await asyncio.sleep(every)
        try:
            now = windows()
            if now == (0, 0):
                await asyncio.to_thread(rest)
            if any(fewer < more for fewer, more in zip(now, before, strict=True)):
                await asyncio.to_thread(give_back)
            before = now
        except Exception:  # the app goes on, and it is tried again
            _log.exception("memory could not be given back")
