"""Pins: a browser can draw what it is sent of a page whose fragment has run again before all of the page was sent."""

import pytest
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.testing.v1 import AppTest

from explorer.streamlit_patches import fragment_queue


def page():
    import streamlit as st

    from explorer.ui.fragment import fragment

    st.title("above")
    with st.container():

        @fragment
        def outer():
            st.write("one")

            @fragment
            def inner():
                st.write("two")
                st.write("three")

            inner()
            st.write("four")

        outer()
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
        assert block is root or last <= len(block), list(message.metadata.delta_path)
        block[last] = {}
    return root


@pytest.mark.parametrize("texts", [["two"], ["one", "two"]])  # of the inner one; of that round it, which draws both
def test_what_runs_again_before_it_has_been_sent_leaves_no_hole(sent, texts):
    messages, again = drawn_twice(sent, texts)
    draw(messages)
    assert messages[-len(again) :] == again  # nothing of it stands where the run before has put it


def test_without_the_mend_there_is_a_hole(sent, without):
    without(fragment_queue)
    messages, _again = drawn_twice(sent, ["one", "two"])
    with pytest.raises((AssertionError, KeyError)):
        draw(messages)


def drawn_twice(sent, texts):
    """Returns what is sent where fragments run again before the page has been sent, and what they draw then."""
    queue = ForwardMsgQueue()
    for message in sent:
        queue.enqueue(message)
    deltas = [each for each in sent if each.HasField("delta")]
    drawn = [each.delta.fragment_id for each in deltas if each.delta.new_element.markdown.body in texts]
    queue.clear(retain_lifecycle_msgs=True, fragment_ids_this_run=drawn[:1])  # as at the start of a fragment's own run
    again = [each for each in deltas if each.delta.fragment_id in drawn]
    for message in again:
        queue.enqueue(message)
    return queue.flush(), again


def test_all_of_a_page_that_runs_again_makes_what_waits_superfluous(sent):
    queue = ForwardMsgQueue()
    for message in sent:
        queue.enqueue(message)
    queue.clear(retain_lifecycle_msgs=True)
    assert not any(each.HasField("delta") for each in queue.flush())
