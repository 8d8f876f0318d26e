"""Pins how values are written into the address and read back, and that only a change is a step of the browser's history."""

from types import SimpleNamespace

import pytest

from explorer.session import address
from explorer.session.address import Address, as_option, as_text


class Bar(dict):
    """The address bar: like `st.query_params`, and counts how often it was written."""

    steps = 0

    def from_dict(self, said):
        self.clear()
        self.update(said)
        self.steps += 1


@pytest.fixture
def bar(monkeypatch) -> Bar:
    bar = Bar()
    monkeypatch.setattr(address, "st", SimpleNamespace(query_params=bar))
    return bar


@pytest.fixture
def opened(bar) -> Address:
    """A window that was opened by a link to heads, and has taken what it says."""
    bar.update(head="2", src="a cat")
    session = Address()
    assert session.read(arriving=True, history=False)
    session.news.clear()
    return session


@pytest.mark.parametrize(
    ("value", "text"),
    [(True, "on"), (False, "off"), (3, "3"), (0.05, "0.05"), (1e-5, "1e-05"), (0.1 + 0.2, "0.3"), ("a cat", "a cat"), ("", "")],
)
def test_a_value_is_written_and_read_back(value, text):
    assert as_text(value) == text
    assert as_option(text, [value]) == value
    assert as_option("another", [value]) is None


@pytest.mark.parametrize("after", [".", ")", ",", "”.", "**", "。"])
def test_what_follows_a_link_in_a_text_is_no_part_of_it(bar, after):
    bar.update(src="a cat.", head="2" + after)
    session = Address()
    session.read(arriving=True, history=False)
    assert session.news == {"src": "a cat.", "head": "2"}
    bar.clear()
    bar.update(head="2", src="a cat.")
    session = Address()
    session.read(arriving=True, history=False)
    assert session.news["src"] == "a cat.", "a sentence ends so"


def test_on_and_one_are_two_things():
    assert as_option("on", [1, True]) is True
    assert as_option("1", [True, 1]) == 1 and as_option("1", [True, 1]) is not True


def test_the_menu_leads_to_a_bare_address_which_is_given_the_last_words(bar, opened):
    Address().carry()
    assert bar.steps == 0, "a window that has just been opened has none"
    opened.carry()
    assert bar.steps == 0
    bar.clear()
    opened.carry()
    assert bar == {"head": "2", "src": "a cat"}


def test_only_a_change_is_a_step_of_the_history(bar, opened):
    opened.write({"head": "2", "src": "a cat"})
    assert bar.steps == 0
    opened.write({"head": "2"}, keep_more=True)
    assert bar.steps == 0 and bar == {"head": "2", "src": "a cat"}, "a link that says more is left as it is"
    opened.write({"head": "2"})
    assert bar.steps == 1 and bar == {"head": "2"}
    opened.write({"head": "3"}, keep_more=True)
    assert bar.steps == 2 and bar == opened.written == {"head": "3"}
