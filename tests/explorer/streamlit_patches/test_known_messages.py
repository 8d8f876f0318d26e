"""Pins: the server refers to a long message exactly as long as the browser has it."""

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.scriptrunner_utils import script_run_context

from explorer.streamlit_patches import known_messages

RUNS = 3


def long(words: str, fragment: str = "") -> ForwardMsg:
    message = ForwardMsg(hash=f"{words} {fragment}")
    message.delta.new_element.text.body, message.delta.fragment_id = words, fragment
    message.metadata.cacheable = True
    return message


def over(*fragments: str, how: "ForwardMsg.ScriptFinishedStatus.ValueType | None" = None) -> ForwardMsg:
    message = ForwardMsg()
    message.script_finished = (
        how
        if how is not None
        else ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY
        if fragments
        else ForwardMsg.FINISHED_SUCCESSFULLY
    )
    message.metadata.run.fragment_ids.extend(fragments)
    return message


class Client:
    """Notes what it is sent."""

    def __init__(self, largest: int = 10**6):
        self.client, self.largest, self.sent = self, largest, []

    def write_forward_msg(self, message: ForwardMsg) -> None:
        if message.ByteSize() > self.largest:  # as Streamlit does it
            message.delta.new_element.text.body, message.metadata.cacheable = "too large", False
        self.sent.append("ref" if message.ref_hash else message.delta.new_element.text.body or "over")


@pytest.fixture
def client(monkeypatch) -> Client:
    monkeypatch.setattr(known_messages.config, "get_option", {"global.maxCachedMessageAge": RUNS}.__getitem__)
    return Client()


def sent(client: Client, *messages: ForwardMsg) -> list[str]:
    """What the client has been sent in their place."""
    before = len(client.sent)
    for message in messages:
        copy = ForwardMsg()
        copy.CopyFrom(message)
        known_messages._send_once(lambda _runtime, to, msg: to.client.write_forward_msg(msg), None, client, copy)
    return client.sent[before:]


def test_a_long_message_is_sent_once_and_others_always(client):
    short = long("short")
    short.metadata.cacheable = False
    assert sent(client, long("a"), short, long("b"), long("a"), short) == ["a", "short", "b", "ref", "short"]


def test_a_reference_stands_where_the_message_would(client):
    message = long("a", "part")
    message.metadata.delta_path.extend([0, 3, 1])
    known = known_messages.Known(RUNS)
    known.note(message)
    short = known.shortened(message)
    assert short.ref_hash == message.hash and list(short.metadata.delta_path) == [0, 3, 1]


def test_what_the_last_runs_have_not_shown_is_sent_anew(client):
    sent(client, long("a"), long("b"))
    assert sent(client, *[over()] * (RUNS - 1), long("a"), over(), long("b"), over()) == [
        *["over"] * 2,
        "ref",
        "over",
        "ref",
        "over",
    ]
    assert sent(client, *[over()] * RUNS, long("a"), long("b"))[-2:] == ["a", "b"]


def test_the_run_of_a_fragment_leaves_alone_what_is_not_its_own(client):
    sent(client, long("page"), long("mine", "mine"), long("other", "other"), *[over("mine")] * (RUNS + 1))
    assert sent(client, long("page"), long("mine", "mine"), long("other", "other")) == ["ref", "mine", "ref"]
    sent(client, *[over("mine")] * RUNS, over())
    assert sent(client, long("page"), long("other", "other")) == ["page", "other"]


def test_a_run_that_was_cut_off_makes_nothing_forgotten(client):
    sent(client, long("a"), *[over(how=ForwardMsg.FINISHED_EARLY_FOR_RERUN)] * (2 * RUNS))
    assert sent(client, long("a")) == ["ref"]


def test_a_message_that_is_too_large_for_the_connection_is_nothing_to_refer_to(client):
    client.largest = 500
    assert sent(client, long("a" * 1000), long("a" * 1000)) == ["too large", "too large"]


def test_each_connection_has_its_own_account(client):
    sent(client, long("a"))
    assert sent(Client(), long("a")) == ["a"]


@pytest.mark.parametrize("mended", [True, False])
def test_a_run_itself_refers_to_nothing(mended, without):
    if not mended:
        without(known_messages)
    message = long("a")
    assert (script_run_context.create_reference_msg(message) is message) == mended
