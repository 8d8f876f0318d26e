"""One browser tab as the server sees it, without a browser: Streamlit's websocket protocol, spoken by a few lines."""

import asyncio
import time

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState


class Person:
    """Opens a page and uses its sliders and buttons. Fragments that ask to be run again and again are, as a browser does it.

    Attributes:
        metrics: what the numbers on the page say, by their labels; complaints: the tracebacks that the page showed.
    """

    def __init__(self, host: str, page: str, query: str = ""):
        self.metrics: dict[str, str] = {}
        self.complaints: list[str] = []
        self._host, self._page, self._query, self._page_hash = host, page, query, ""
        self._widgets: dict[str, str] = {}  # label -> id
        self._states: dict[str, WidgetState] = {}
        self._polls: dict[str, asyncio.Task[None]] = {}  # by fragment
        self._announced: set[str] = set()  # fragments that the page, as it is drawn now, wants to be run again and again
        self._done = asyncio.Event()

    async def __aenter__(self) -> "Person":
        self._socket = await websockets.connect(
            f"ws://{self._host}/_stcore/stream", subprotocols=["streamlit", "PLACEHOLDER"], max_size=None, open_timeout=60
        )
        self._reader = asyncio.create_task(self._read())
        await self._rerun()
        return self

    async def __aexit__(self, *_error: object) -> None:
        for task in (self._reader, *self._polls.values()):
            task.cancel()
        await self._socket.close()

    async def look(self) -> float:
        """Has the whole page drawn anew; returns the seconds that it took."""
        return await self._rerun()

    async def press(self, label: str) -> float:
        """Presses a button; returns the seconds until the page has answered."""
        return await self._rerun(WidgetState(id=self._widgets[label], trigger_value=True))

    async def move(self, label: str, value: float) -> float:
        """Moves a slider; returns the seconds until the page has answered."""
        state = WidgetState(id=self._widgets[label])
        state.double_array_value.data.append(value)
        self._states[state.id] = state
        return await self._rerun()

    async def _rerun(self, trigger: WidgetState | None = None) -> float:
        self._done.clear()
        start = time.perf_counter()
        await self._ask(trigger)
        await asyncio.wait_for(self._done.wait(), 120)
        return time.perf_counter() - start

    async def _ask(self, trigger: WidgetState | None = None, fragment: str = "") -> None:
        message = BackMsg()
        request = message.rerun_script
        request.page_name, request.page_script_hash = ("" if self._page_hash else self._page), self._page_hash
        request.query_string, request.fragment_id, request.is_auto_rerun = self._query, fragment, bool(fragment)
        request.widget_states.widgets.extend([*self._states.values(), *([trigger] if trigger else [])])
        await self._socket.send(message.SerializeToString())

    def _poll_from_now_on(self, fragment: str, seconds: float) -> None:
        self._announced.add(fragment)
        if fragment in self._polls:
            self._polls[fragment].cancel()
        self._polls[fragment] = asyncio.create_task(self._poll(fragment, seconds))

    async def _poll(self, fragment: str, seconds: float) -> None:
        while True:
            await asyncio.sleep(seconds)
            await self._ask(fragment=fragment)

    async def _read(self) -> None:
        async for data in self._socket:
            message = ForwardMsg()
            message.ParseFromString(data)
            kind = message.WhichOneof("type")
            if kind == "navigation":
                self._page_hash = message.navigation.page_script_hash
            elif kind == "auto_rerun":
                self._poll_from_now_on(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            elif kind == "page_info_changed":
                self._query = message.page_info_changed.query_string
            elif kind == "delta" and message.delta.WhichOneof("type") == "new_element":
                self._see(message.delta.new_element)
            elif kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                for fragment in self._polls.keys() - self._announced:
                    self._polls.pop(fragment).cancel()
                self._announced.clear()
                self._done.set()

    def _see(self, element: object) -> None:
        kind = element.WhichOneof("type")
        if kind in ("slider", "button"):
            widget = getattr(element, kind)
            self._widgets[widget.label] = widget.id
        elif kind == "metric":
            self.metrics[element.metric.label] = element.metric.body
        elif kind == "exception":
            self.complaints.append(element.exception.message)
