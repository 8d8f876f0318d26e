"""Simulates one browser tab: speaks Streamlit's websocket protocol in a few lines, without a browser."""

import asyncio
import random
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import websockets
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.harness import Complained

# Of *Training*: it takes as long as it may; its buttons and its numbers are on the page.
LONG_RUN = "task=copy+numbers&symbols=50&length=32&goal=100&steps=5000&more=on&details-run=on"
_PATIENCE = 120  # seconds for an answer
_REFUSED = (":material/tune:", ":material/hourglass_top:", ":material/edit:")  # icons of red boxes that offer alternatives
_SIDEBAR = 1  # the first number of an element's place on the page: 0 is the page itself


@dataclass(frozen=True)
class Setting:
    """A control on the page whose value can be changed, and the fragment that it reruns."""

    kind: str
    widget: Any  # its message
    fragment: str
    place: tuple[int, ...]

    def another(self, chance: random.Random) -> WidgetState | None:
        """Returns a random value, as a browser would send it; None if there is no choice."""
        state, widget = WidgetState(id=self.widget.id), self.widget
        if self.kind == "checkbox":
            state.bool_value = chance.random() < 0.5
        elif self.kind == "slider" and not widget.options:
            steps = int((widget.max - widget.min) / (widget.step or 1))
            if steps < 1:
                return None
            state.double_array_value.data.append(widget.min + chance.randint(0, steps) * (widget.step or 1))
        elif len(widget.options) < 2:
            return None
        elif self.kind == "selectbox":
            state.string_value = chance.choice(widget.options)
        elif self.kind == "slider":
            state.string_array_value.data.append(chance.choice(widget.options))
        else:
            state.string_array_value.data.append(chance.choice(widget.options).content)
        return state


class Person:
    """Opens a page and uses its settings and buttons. Fragments with a timer are rerun, as a browser does it. Leaving raises
    Complained if the page has failed, unless the caller has emptied `complaints`.

    Attributes:
        metrics: the page's numbers by their labels; buttons: whether each can be pressed, likewise.
        html: the page's HTML elements, by their place.
        complaints: failures that the page showed; refusals: how many red boxes with alternatives it showed.
        arrived: seconds until the page was there; largest: bytes of the longest message; remembers: runs for which it keeps a
            long message that they do not show.
        turned: the label of the setting that `turn` has turned.
        messages: how many have come; received: bytes of all of them; drawn: how many of them were elements of the page ("main")
            and of the settings beside it ("sidebar"); query: what the address says.
    """

    def __init__(self, host: str, page: str, query: str = "", cookie: str = ""):
        self.metrics: dict[str, str] = {}
        self.buttons: dict[str, bool] = {}
        self.html: dict[tuple[int, ...], str] = {}
        self.complaints: list[str] = []
        self.refusals = 0
        self._host, self._page, self._query, self._page_hash, self._cookie = host, page, query, "", cookie
        self._widgets: dict[str, tuple[str, str]] = {}  # label -> id, and the fragment that it reruns
        self._settings: dict[str, tuple[bool, Setting]] = {}  # by id, on the current page, and whether all pages have it
        self._places: dict[str, tuple[int, ...]] = {}  # of fragments: all their elements are below
        self._fragments: set[str] = set()  # running now; empty for the whole page
        self._awaited, self._begun = "", False  # the fragment that was asked to rerun ("": the page), and whether it has begun
        self._states: dict[str, WidgetState] = {}
        self._polls: dict[str, asyncio.Task[None]] = {}  # by fragment
        self._announced: set[str] = set()  # fragments of the current page that have a timer
        self._kept: dict[str, tuple[ForwardMsg, int]] = {}  # long messages by hash; after how many runs they were shown
        self._over = 0  # runs that have ended
        self._before: list[str] = []  # former addresses, in order
        self._done = asyncio.Event()
        self.arrived, self.largest, self.remembers, self.turned = 0.0, 0, 0, ""
        self.messages, self.received, self.drawn = 0, 0, Counter[str]()

    async def __aenter__(self) -> "Person":
        self._socket = await websockets.connect(
            f"ws://{self._host}/_stcore/stream",
            subprotocols=["streamlit", "PLACEHOLDER"],
            max_size=None,
            open_timeout=60,
            additional_headers={"Cookie": self._cookie} if self._cookie else {},
        )
        self._reader = asyncio.create_task(self._read())
        try:
            self.arrived = await self._rerun()
        except BaseException:
            await self._leave()
            raise
        return self

    async def __aexit__(self, _kind: object, error: BaseException | None, _traceback: object) -> None:
        failures = await self._leave()
        if failures and error is None:
            raise failures[0]
        if self.complaints and error is None:
            raise Complained("; ".join(self.complaints))

    async def _leave(self) -> list[Exception]:
        """Ends all that is under way, and waits for it. Returns its errors, unless the connection failed."""
        tasks = [self._reader, *self._polls.values()]
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        await self._socket.close()
        return [end for end in ends if isinstance(end, Exception) and not isinstance(end, websockets.ConnectionClosed)]

    async def look(self) -> float:
        """Redraws the whole page; returns the seconds that it took."""
        return await self._rerun()

    @property
    def query(self) -> str:
        """The query of the address."""
        return self._query

    async def back(self) -> float | None:
        """Goes one step back in the browser's history; None if that would leave the app."""
        if not self._before:
            return None
        self._query = self._before.pop()
        return await self._rerun(back=True)

    async def press(self, label: str) -> float:
        """Presses a button; returns the seconds until the page has answered."""
        name, fragment = self._widgets[label]
        return await self._rerun(WidgetState(id=name, trigger_value=True), fragment)

    async def unfold(self, label: str) -> float:
        """Unfolds a box, once it is there; returns the seconds until the page has answered."""
        while label not in self._widgets:
            await asyncio.sleep(0.1)
        name, fragment = self._widgets[label]
        self._states[name] = WidgetState(id=name, bool_value=True)
        return await self._rerun(fragment=fragment)

    async def move(self, label: str, value: float) -> float:
        """Moves a slider; returns the seconds until the page has answered. Raises ValueError for an impossible value."""
        name, fragment = self._widgets[label]
        state, slider = WidgetState(id=name), self._settings[name][1].widget
        if not slider.options:
            state.double_array_value.data.append(value)
        elif (option := f"{value:,}") in slider.options:
            state.string_array_value.data.append(option)
        else:
            raise ValueError(f"{label} has no {option}, but {', '.join(slider.options)}")
        self._states[state.id] = state
        return await self._rerun(fragment=fragment)

    async def turn(self, chance: random.Random, sidebar: bool = False) -> float | None:
        """Gives some setting of the page a random value; returns the seconds until the page, or its fragment, has answered.
        None where the page has no setting.

        Args:
            sidebar: whether the settings that all pages share are among them, which ask for other models.
        """
        found = [setting.another(chance) for shared, setting in self._settings.values() if sidebar or not shared]
        if not (states := [state for state in found if state is not None]):
            return None
        state = chance.choice(states)
        self._states[state.id] = state
        self.turned = self._settings[state.id][1].widget.label
        return await self._rerun(fragment=self._settings[state.id][1].fragment)

    async def _rerun(self, trigger: WidgetState | None = None, fragment: str = "", back: bool = False) -> float:
        self._done.clear()
        self._awaited, self._begun = fragment, False
        start = time.perf_counter()
        await self._ask(trigger, fragment, back=back)
        done = asyncio.ensure_future(self._done.wait())
        try:
            await asyncio.wait((done, self._reader), timeout=_PATIENCE, return_when=asyncio.FIRST_COMPLETED)
        finally:
            done.cancel()
        if not self._done.is_set():
            if not self._reader.done():
                raise TimeoutError
            with suppress(websockets.ConnectionClosed):
                self._reader.result()  # raises other errors of its own
            raise ConnectionError("the server has hung up")
        return time.perf_counter() - start

    async def _ask(
        self, trigger: WidgetState | None = None, fragment: str = "", by_itself: bool = False, back: bool = False
    ) -> None:
        message = BackMsg()
        request = message.rerun_script
        request.page_name, request.page_script_hash = ("" if self._page_hash else self._page), self._page_hash
        request.query_string, request.fragment_id, request.is_auto_rerun = self._query, fragment, by_itself
        request.is_history_navigation = back
        request.cached_message_hashes.extend(self._kept)  # as a browser does, whatever the server makes of it
        request.widget_states.widgets.extend([*self._states.values(), *([trigger] if trigger else [])])
        await self._socket.send(message.SerializeToString())

    def _poll_from_now_on(self, fragment: str, seconds: float) -> None:
        self._announced.add(fragment)
        if fragment in self._polls:
            self._polls[fragment].cancel()
        self._polls[fragment] = asyncio.create_task(self._poll(fragment, seconds))

    async def _poll(self, fragment: str, seconds: float) -> None:
        with suppress(websockets.ConnectionClosed):  # the reader notices it as well, and tells the next action
            while True:
                await asyncio.sleep(seconds)
                await self._ask(fragment=fragment, by_itself=True)

    async def _read(self) -> None:
        async for data in self._socket:
            message = ForwardMsg()
            message.ParseFromString(data)
            self.largest = max(self.largest, len(data))
            self.messages, self.received = self.messages + 1, self.received + len(data)
            if message.WhichOneof("type") == "ref_hash":
                name, place = message.ref_hash, message.metadata
                message, _when = self._kept[name]
                message.metadata.CopyFrom(place)
                self._kept[name] = message, self._over
            elif message.metadata.cacheable:
                self._kept[message.hash] = message, self._over
            kind = message.WhichOneof("type")
            fragments = set(message.metadata.run.fragment_ids)
            if kind == "new_session":
                self.remembers = message.new_session.config.max_cached_message_age
                self._begin(fragments)
            elif kind == "navigation":
                self._page_hash = message.navigation.page_script_hash
            elif kind == "auto_rerun":
                self._poll_from_now_on(message.auto_rerun.fragment_id, message.auto_rerun.interval)
            elif kind == "page_info_changed":
                if (query := message.page_info_changed.query_string) != self._query:
                    self._before.append(self._query)
                    self._query = query
            elif kind == "delta":
                place, fragment = tuple(message.metadata.delta_path), message.delta.fragment_id
                self._places[fragment] = min(self._places.get(fragment, place), place, key=len)
                if message.delta.WhichOneof("type") == "new_element":
                    self._see(message.delta.new_element, place, fragment)
                elif (box := message.delta.add_block.expandable).id:
                    self._widgets[box.label] = box.id, fragment
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                self._forget(fragments)
                self._finish()

    def _begin(self, fragments: set[str]) -> None:
        """Begins a run of the page, or of some of its fragments, which are redrawn."""
        self._fragments = fragments
        if not fragments:
            self.buttons.clear()
        self._begun = self._begun or not fragments or self._awaited in fragments
        anew = [self._places[each] for each in fragments]
        self._settings = {
            name: each
            for name, each in self._settings.items()
            if fragments and not any(each[1].place[: len(place)] == place for place in anew)
        }

    def _forget(self, fragments: set[str]) -> None:
        """Drops long messages that the last runs have not shown; after the run of fragments, those of others are kept."""
        self._over += 1
        self._kept = {
            name: (message, when)
            for name, (message, when) in self._kept.items()
            if self._over - when <= self.remembers or (fragments and message.delta.fragment_id not in fragments)
        }

    def _finish(self) -> None:
        if not self._fragments:  # the whole page: it has announced its timers anew
            for fragment in self._polls.keys() - self._announced:
                self._polls.pop(fragment).cancel()
            self._announced.clear()
        if self._begun and (not self._fragments or self._awaited in self._fragments):
            self._done.set()

    def _see(self, element: Any, place: tuple[int, ...], fragment: str) -> None:
        kind = element.WhichOneof("type")
        self.drawn["sidebar" if place[0] == _SIDEBAR else "main"] += 1
        if kind in ("slider", "button"):
            widget = getattr(element, kind)
            self._widgets[widget.label] = widget.id, fragment
        if kind == "button":
            self.buttons[element.button.label] = not element.button.disabled
        if kind in ("slider", "selectbox", "button_group", "checkbox"):
            widget = getattr(element, kind)
            if not widget.disabled and not widget.form_id:
                shared = place[0] == _SIDEBAR or "-language" in widget.id
                self._settings[widget.id] = (shared, Setting(kind, widget, fragment, place))
        elif kind == "html":
            self.html[place] = element.html.body
        elif kind == "alert" and element.alert.format == Alert.ERROR:
            if element.alert.icon in _REFUSED:
                self.refusals += 1
            else:
                self.complaints.append(element.alert.body)
        elif kind == "metric":
            self.metrics[element.metric.label] = element.metric.body
        elif kind == "exception":
            self.complaints.append(element.exception.message)
