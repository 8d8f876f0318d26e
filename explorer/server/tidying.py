"""When windows have been closed, the memory that they took is given back."""

import asyncio
import logging
from collections.abc import Callable

from explorer.server import memory
from explorer.streamlit_patches import sessions

_log = logging.getLogger(__name__)
_EVERY = 30.0  # seconds between two looks whether windows have been closed


async def go_on(
    rest: Callable[[], None],
    every: float = _EVERY,
    windows: Callable[[], tuple[int, int]] = sessions.count,
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
