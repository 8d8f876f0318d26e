"""Pins: a browser can draw what is left of a page whose fragment has run again before all of the page was sent."""

import pytest
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from explorer.ui.fragment import fragment

    st.title("above")
    with st.container():

        @fragment
        def view():
            st.write("one")
            st.write("two")

        view()
        st.write("below")


@pytest.fixture
def sent():
    """All that the page has sent, in order."""
    messages = []
    ForwardMsgQueue.on_before_enqueue_msg(messages.append)
    try:
        assert not AppTest.from_function(page).run().exception
    finally:
        ForwardMsgQueue.on_before_enqueue_msg(None)
    return messages


def draw(messages) -> dict:
    """What a browser makes of them: blocks by place. A place that does not follow on those before it is an error there."""
    root: dict = {0: {}}
    for message in (each for each in messages if each.HasField("delta")):
        *way, last = message.metadata.delta_path
        block = root
        for place in way:
            block = block.setdefault(place, {}) if block is root else block[place]
        assert block is root or last <= len(block), message.metadata.delta_path
        block[last] = {}
    return root


def test_what_a_fragment_sends_anew_leaves_no_hole(sent):
    (fragment,) = {each.delta.fragment_id for each in sent if each.HasField("delta")} - {""}
    draw(sent)
    queue = ForwardMsgQueue()
    for message in sent:
        queue.enqueue(message)
    before = len(queue)
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=[fragment])  # as at the start of a fragment's own run
    assert len(queue) < before
    draw(queue.flush())
