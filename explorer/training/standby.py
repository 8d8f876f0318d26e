"""Worker processes that are started before there is a run, so that the first one begins at once."""

import threading
from collections.abc import Callable, Sequence

from explorer.training.places import Place

_AT_MOST = 2  # each takes the memory that torch takes
_PAGE = 4.0  # seconds after which they are started: until then a browser on this machine draws the page that was asked for


class Standby:
    """Has some places prepared a little after that is first asked for."""

    def __init__(self, places: Callable[[], Sequence[Place]]) -> None:
        """`places` is called from a thread when it is time."""
        self._places = places
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def begin(self) -> None:
        """Once, until it is to `rest`."""
        with self._lock:
            if self._timer is None:
                self._timer = threading.Timer(_PAGE, self._prepare)
                self._timer.daemon = True
                self._timer.start()

    def rest(self) -> None:
        """What has not been started will not be, unless it begins again."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None

    def _prepare(self) -> None:
        places = self._places()
        with self._lock:
            if self._timer is threading.current_thread():
                for place in places[:_AT_MOST]:
                    place.prepare()
