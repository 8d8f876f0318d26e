"""A long message is sent once: where it comes again, its hash alone, as long as the browser still has it.

Streamlit goes by what the browser said that it had when it asked for a run. Until that run is drawn, the end of another one may
have made the browser forget some of that; a hash that means nothing to it is an error from which it does not recover. Here the
server knows by itself what a browser has: all that was sent over its connection, but what it has forgotten since, by its rule.
"""

from typing import Any

from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.runtime import Runtime
from streamlit.runtime.scriptrunner_utils import script_run_context

_FORGETS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)  # and nothing at others
_send = Runtime._send_message


def keep_account() -> None:
    """Mends Streamlit for the whole process; to be called before its first message, and again as often as one likes."""
    script_run_context.create_reference_msg = _in_full  # type: ignore[assignment]
    Runtime._send_message = _send_once  # type: ignore[assignment,method-assign]


class Known:
    """The long messages that a browser has, by what has been sent over its connection, in that order. When a run has ended, it
    forgets those that the last ones have not shown; after a fragment's run, of those that belong to that fragment."""

    def __init__(self, runs: int) -> None:
        """After so many runs a message is forgotten."""
        self._runs, self._over = runs, 0
        self._shown: dict[str, tuple[str, int]] = {}  # by hash: the fragment, and how many runs had ended when it was last sent

    def shortened(self, message: ForwardMsg) -> ForwardMsg:
        """A reference to what the browser has; anything else as it is."""
        return create_reference_msg(message) if message.metadata.cacheable and message.hash in self._shown else message

    def note(self, message: ForwardMsg) -> None:
        """This has been sent, as it is or as a reference."""
        if message.metadata.cacheable:
            self._shown[message.hash] = message.delta.fragment_id, self._over
        elif message.WhichOneof("type") == "script_finished" and message.script_finished in _FORGETS:
            self._over += 1
            fragments = message.metadata.run.fragment_ids
            self._shown = {
                name: (fragment, when)
                for name, (fragment, when) in self._shown.items()
                if self._over - when <= self._runs or (fragments and fragment not in fragments)
            }


def _send_once(runtime: Runtime, to: Any, message: ForwardMsg) -> None:
    known: Known = vars(to.client).setdefault("known", Known(config.get_option("global.maxCachedMessageAge")))
    _send(runtime, to, known.shortened(message))
    known.note(message)  # now, as one that is too large has just become another


def _in_full(message: ForwardMsg) -> ForwardMsg:
    """While a run draws, nobody can say what the browser will have when it is sent that."""
    return message
