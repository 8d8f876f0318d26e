"""Pins how the light client ends: whatever happens to its server, nothing is left running, and no error is lost."""

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
import websockets
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.person import Person

pytestmark = pytest.mark.slow


def answer(*messages: ForwardMsg) -> list[bytes]:
    """What a server sends for one run of a page, with these messages in it."""
    begins, ends = ForwardMsg(), ForwardMsg()
    begins.new_session.SetInParent()
    ends.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    return [each.SerializeToString() for each in (begins, *messages, ends)]


def polls() -> ForwardMsg:
    """Asks for a fragment to be run again and again."""
    message = ForwardMsg()
    message.auto_rerun.fragment_id, message.auto_rerun.interval = "a fragment", 1e-3
    return message


async def visited(answers: list[list[bytes]], acts: Callable[[Person], Awaitable[Any]]) -> list[str]:
    """What asyncio complains of, where somebody visits a server that sends one answer after another, and then drops the
    connection without a word."""
    complaints: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _loop, context: complaints.append(str(context)))

    async def serve(socket: Any) -> None:
        for each in answers:
            await socket.recv()
            for message in each:
                await socket.send(message)
        await socket.recv()
        socket.transport.abort()

    async with websockets.serve(serve, "127.0.0.1", 0, subprotocols=["streamlit"]) as server:
        host, port = server.sockets[0].getsockname()[:2]
        await acts(Person(f"{host}:{port}", "home"))
    left = asyncio.all_tasks() - {asyncio.current_task()}
    gc.collect()  # a task that nobody has waited for complains when it goes
    return complaints + [repr(task) for task in left]


@pytest.mark.parametrize("before", [0, 1, 3], ids=["as it comes", "once there", "later"])
def test_a_server_that_is_killed_is_told_once_and_leaves_nothing_behind(before):
    async def acts(person: Person) -> None:
        with pytest.raises((ConnectionError, websockets.ConnectionClosed)):
            async with person:
                await asyncio.wait([person._reader, *person._polls.values()])  # what it runs by itself has noticed
                await person.look()

    assert asyncio.run(visited(before * [answer(polls())], acts)) == []


def test_who_leaves_in_the_middle_leaves_nothing_behind():
    async def acts(person: Person) -> None:
        async with person:
            look = asyncio.create_task(person.look())
            await asyncio.sleep(0)
            look.cancel()
            await asyncio.wait([look])

    assert asyncio.run(visited([answer(), [], []], acts)) == []


def test_what_goes_wrong_in_reading_is_raised():
    def acts(person: Person) -> Awaitable[None]:
        async def visit() -> None:
            async with person:
                await person.look()

        return visit()

    unknown = ForwardMsg(ref_hash="never sent").SerializeToString()
    with pytest.raises(KeyError, match="never sent"):
        asyncio.run(visited([answer(), [unknown]], acts))
