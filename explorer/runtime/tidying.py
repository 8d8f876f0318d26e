"""Gives memory back to the system after windows have been closed."""

import asyncio
import logging
from collections.abc import Callable

from explorer.runtime import memory
from explorer.streamlit_patches import sessions

_log = logging.getLogger(__name__)
_EVERY = 30.0  # seconds between two counts of the windows


async def free_memory_as_windows_close(
    rest: Callable[[], None],
    every: float = _EVERY,
    windows: Callable[[], tuple[int, int]] = sessions.count,
    give_back: Callable[[], None] = memory.give_back,
) -> None:
    """Counts windows and sessions for ever, and gives memory back when there are fewer than before.

    Args:
        rest: frees what is kept for visitors. Called in a thread, as `give_back` is, at each count that finds no visitor.
        every: seconds between two counts.
        windows: counts open windows and sessions.
    """
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
