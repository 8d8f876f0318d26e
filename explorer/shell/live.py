"""The WebSocket over which a browser asks for pictures while a knob is moved.

Each connection has one question computed at a time, in a pool of threads for such questions alone; of those that come
meanwhile only the last is kept. In between, the models of likely next questions are prepared within a budget. A connection that
sends malformed or too many questions is closed.
"""

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor

from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect

from explorer import limits
from explorer.components import live, route_of
from explorer.model_on_screen.nearest_learned import prepare
from explorer.model_on_screen.settings import ModelSettings
from explorer.pictures.questions import PictureRequest
from explorer.runtime.allowance import Allowance
from explorer.shell import every_exhibit as _every_exhibit  # noqa: F401
from explorer.streamlit_patches.origins import is_origin_allowed

_log = logging.getLogger(__name__)
_LONGEST = 16 * 2**10  # characters of a question
# Questions at once, and per second: a fast screen is painted no more often, and a browser waits for each answer.
_QUESTIONS = (300, 150)
_PREPARING = (3.0, 0.1)  # seconds of the processor to prepare questions: at once, and per second
_REMEMBERED = 256  # settings that are known to be prepared
_IDLE = 300  # seconds without a question after which a connection is closed
_NONSENSE, _GOING_AWAY, _FAILED = 1008, 1001, 1011  # close codes of RFC 6455

_answering = ThreadPoolExecutor(limits.LIVE_THREADS, thread_name_prefix="live")
_preparing = ThreadPoolExecutor(1, thread_name_prefix="live-ahead")
_open = 0  # connections


def route() -> WebSocketRoute:
    return WebSocketRoute(route_of(live.PATH), connect)


async def connect(socket: WebSocket) -> None:
    """Serves one browser window as long as it is connected."""
    global _open
    if not is_origin_allowed(socket.headers.get("Origin"), socket.headers.get("Host")) or _open >= limits.LIVE_SOCKETS:
        await socket.close()  # before it was accepted: this answers 403
        return
    _open += 1
    try:
        await socket.accept()
        await Conversation(socket).serve()
    finally:
        _open -= 1


class Conversation:
    """One connection, with its newest question and its allowances."""

    def __init__(self, socket: WebSocket):
        self._socket = socket
        self._newest: asyncio.Queue[PictureRequest] = asyncio.Queue(1)
        self._questions, self._prepared = Allowance(*_QUESTIONS), Allowance(*_PREPARING)
        self._ready: set[ModelSettings] = set()  # settings that have been prepared

    async def serve(self) -> None:
        """Answers questions until either side closes the connection."""
        answering = asyncio.create_task(self._answer())
        self._ahead = asyncio.create_task(asyncio.sleep(0))
        try:
            await self._listen(answering)
        except WebSocketDisconnect:
            return
        except ValueError:
            code = _NONSENSE
        except TimeoutError:
            code = _GOING_AWAY
        except Exception:
            _log.exception("no pictures follow the knobs of one window")
            code = _FAILED
        finally:
            answering.cancel()
            self._ahead.cancel()
        await self._socket.close(code)

    async def _listen(self, answering: asyncio.Task[None]) -> None:
        """Receives questions and keeps the newest. Ends only by an error, its own or one of the answering task."""
        while True:
            receiving = asyncio.create_task(self._receive())
            try:
                await asyncio.wait((receiving, answering), timeout=_IDLE, return_when=asyncio.FIRST_COMPLETED)
            finally:
                receiving.cancel()
            if answering.done():
                answering.result()
            if not receiving.done():
                raise TimeoutError
            if self._newest.full():
                self._newest.get_nowait()
            self._newest.put_nowait(receiving.result())

    async def _receive(self) -> PictureRequest:
        """Receives a question. Raises ValueError for anything else, and where too many come."""
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1000))
        self._questions.use(1)
        text = message.get("text")
        if text is None or len(text) > _LONGEST or self._questions.is_used_up:
            raise ValueError("too much, or no text")
        return PictureRequest.read(text)

    async def _answer(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            question = await self._newest.get()
            answer, likely = await loop.run_in_executor(_answering, self._answer_to, question)
            await self._socket.send_bytes(answer)
            self._ahead.cancel()
            if likely:
                self._ahead = asyncio.create_task(self._prepare(likely))

    def _answer_to(self, question: PictureRequest) -> tuple[bytes, list[ModelSettings]]:
        """Returns the answer, and the settings that are likely next and not prepared yet."""
        answer = question.answer()
        return answer, [each for each in question.likely() if each not in self._ready]

    async def _prepare(self, likely: list[ModelSettings]) -> None:
        """Prepares settings, one after another, until the next answer cancels it."""
        loop = asyncio.get_running_loop()
        for settings in likely:
            if self._prepared.is_used_up:
                return
            await loop.run_in_executor(_preparing, self._prepare_one, settings)

    def _prepare_one(self, settings: ModelSettings) -> None:
        if settings in self._ready:  # an earlier task, cancelled while it ran in the pool, has prepared it
            return
        start = time.thread_time()
        prepare(settings)
        self._prepared.use(time.thread_time() - start)
        if len(self._ready) >= _REMEMBERED:
            self._ready.clear()
        self._ready.add(settings)
