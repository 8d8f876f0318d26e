"""Sends a long message once; where it comes again, its hash alone, as long as the browser still has it.

Streamlit goes by what the browser said it had when it asked for the run:

    # the browser asks for a run: "I have the message 4f2a"
    # another run ends meanwhile, and the browser forgets 4f2a, for its last runs did not show it
    st.html(long_text)  # Streamlit sends "show 4f2a": "Cached ForwardMsg MISS", from which the browser does not recover

Here the server knows by itself what a browser has: all that was sent over its connection, less what it has forgotten since, by
the browser's own rule.
"""

from collections.abc import Callable
from typing import Any

from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from explorer.streamlit_patches.patch import Function, Patch

_FORGETS = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)  # the ends at which a browser does
_REFERENCE = Function("streamlit.runtime.forward_msg_cache", "create_reference_msg", "msg")


class Known:
    """The long messages that a browser has.

    When a run has ended, a browser forgets the messages that the last runs have not shown; after a fragment's run, only those
    of that fragment.
    """

    def __init__(self, runs: int) -> None:
        """`runs`: after so many of them a message is forgotten."""
        self._runs, self._ended = runs, 0
        self._shown: dict[str, tuple[str, int]] = {}  # by hash: the fragment, and how many runs had ended when it was last sent

    def shortened(self, message: ForwardMsg) -> ForwardMsg:
        """Returns a reference to what the browser has; anything else as it is."""
        is_known = message.metadata.cacheable and message.hash in self._shown
        return _REFERENCE.original(message) if is_known else message

    def note(self, message: ForwardMsg) -> None:
        """Takes note that this was sent, as it is or as a reference."""
        if message.metadata.cacheable:
            self._shown[message.hash] = message.delta.fragment_id, self._ended
        elif message.WhichOneof("type") == "script_finished" and message.script_finished in _FORGETS:
            self._ended += 1
            fragments = message.metadata.run.fragment_ids
            self._shown = {
                name: (fragment, when)
                for name, (fragment, when) in self._shown.items()
                if self._ended - when <= self._runs or (fragments and fragment not in fragments)
            }


def _send_once(original: Callable[..., None], runtime: Any, session_info: Any, msg: ForwardMsg) -> None:
    known: Known = vars(session_info.client).setdefault("known", Known(config.get_option("global.maxCachedMessageAge")))
    original(runtime, session_info, known.shortened(msg))
    known.note(msg)  # now: one that is too large has just become another


def _in_full(_original: Any, msg: ForwardMsg) -> ForwardMsg:
    """While a run draws, nobody can say what the browser will have when the message is sent."""
    return msg


FUNCTIONS = (
    _REFERENCE,
    Patch("streamlit.runtime.scriptrunner_utils.script_run_context", "create_reference_msg", "msg", _in_full),
    Patch("streamlit.runtime.runtime:Runtime", "_send_message", "self, session_info, msg", _send_once),
)
