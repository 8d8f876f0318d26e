"""Pins that nothing in the address bar breaks a page: what cannot be is left out, or answered with one clear sentence."""

from collections.abc import Callable
from urllib.parse import quote_plus

import pytest

from tests.browser.window import Window

GARBAGE = "d_model=abc&n_heads=-3&n_layers=1e9&d_ff=&norm=zzz&seed=1e99&dropout=nan&kind=nope&layer=77&head=99&scale=<b>&x=%00"


@pytest.mark.parametrize(
    ("address", "says"),
    [
        ("heads?d_model=64&n_heads=7", "d_model 64"),
        ("masks?tgt=+", "empty"),
        (f"attention?src={quote_plus('cat ' * 10_000)}", "10,000"),
        ("training?n_layers=6&d_model=512&d_ff=2048", "parameters"),
    ],
    ids=["heads that do not fit", "no target", "10,000 words", "too large to train"],
)
def test_what_cannot_be_shown_is_said_in_one_sentence(open_window: Callable[..., Window], address: str, says: str) -> None:
    window = open_window(address)
    errors = window.alerts("Error")
    assert len(errors) == 1
    assert says in errors[0]
    assert len(errors[0]) < 300
    assert "Traceback" not in window.page.inner_text("body")
    window.no_complaint()


def test_garbage_is_left_out(open_window: Callable[..., Window]) -> None:
    plain = open_window("heads?model=random")
    window = open_window(f"heads?{GARBAGE}")
    assert window.controls() == plain.controls()
    assert window.seen("held-word") == plain.seen("held-word")
    assert window.alerts("Error") == []
    window.no_complaint()


def test_links_to_what_is_gone(open_window: Callable[..., Window]) -> None:
    window = open_window("training?run=../../etc&model=nosuchmodel&rate=inf&symbols=-1")
    assert len(window.alerts("Warning")) == 2  # the run, and the model
    assert window.alerts("Error") == []
    window.wait("() => !/run=|nosuchmodel/.test(location.search)")
    window.no_complaint()


def test_words_are_never_markup(open_window: Callable[..., Window]) -> None:
    words = "<img src=x onerror=alert(1)> <b>cat</b> $x^2$ :red[dog] **big** `a`"
    window = open_window(f"attention?src={quote_plus(words)}&tgt={quote_plus('<script>alert(1)</script>')}")
    assert window.alerts("Error") == []
    main = window.page.locator("[data-testid=stMain]")
    assert main.locator("img[src=x], script").count() == 0
    window.no_complaint()
