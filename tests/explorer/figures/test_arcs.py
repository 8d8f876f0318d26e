"""Pins arcs: from which token to which they lead, how thick they are, and what is said of them in words."""

import numpy as np

from explorer.figures.arcs import Arc, arcs

TOKENS = ["▸", "K", "D", "F", "K", "D"]


def test_an_arc_leads_from_its_query_to_its_key_with_its_share():
    drawn = arcs(TOKENS, [Arc(4, 2, 0.75), Arc(2, 1, 0.5, is_below=True)], marked={1, 2, 4}, at=4, says="D")
    above, below, read, unread = drawn["data"]
    assert (above["x"][0], above["x"][-1]) == (4, 2) and min(above["y"]) > 0
    assert (below["x"][0], below["x"][-1]) == (2, 1) and max(below["y"]) < 0
    assert above["line"]["width"] > below["line"]["width"]
    assert [*read["text"]] == ["▸", "<b>K</b>", "<b>D</b>", "F", "<b>K</b>"] and [*unread["text"]] == ["D"]
    np.testing.assert_array_equal(unread["x"], [5])
    texts = [each["text"] for each in drawn["layout"]["annotations"]]
    assert "<b>75%</b>" in texts and "<b>50%</b>" in texts and "says <b>D</b>" in texts
    assert drawn["layout"]["meta"]["alt"] == (
        "K (place 4) looks at D (place 2) with 75%; D (place 2) looks at K (place 1) with 50%. "
        "Read so far: ▸ K D F K; it says D."
    )


def test_words_with_signs_of_html_are_shown_as_they_are():
    drawn = arcs(["<b>", "x"], [Arc(1, 0, 0.1)], marked=(), at=1, says="<end>")
    assert drawn["data"][1]["text"][0] == "&lt;b&gt;" and drawn["layout"]["annotations"][-1]["text"].endswith("&lt;end&gt;</b>")
