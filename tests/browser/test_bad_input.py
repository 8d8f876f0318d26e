"""Pins that nothing in the address bar breaks a page: what cannot be is left out, or answered with one clear sentence."""

from urllib.parse import quote_plus

from tests.browser.window import SMALL, Window

GARBAGE = "d_model=abc&n_heads=-3&n_layers=1e9&d_ff=&norm=zzz&seed=1e99&dropout=nan&kind=nope&layer=77&head=99&scale=<b>&x=%00"


def test_garbage_is_said_and_left_out(window: Window) -> None:
    plain = window.visit("heads")
    said, picture = plain.controls(), plain.seen("selected-word")
    window.visit(f"heads?{GARBAGE}")
    assert window.controls() == said
    assert window.seen("selected-word") == picture
    assert window.alerts("Error") == [] and "d_model=abc" in window.page.locator(".st-key-misread").inner_text()
    assert window.page.url.endswith("/heads")


def test_what_cannot_be_shown_is_said_in_one_sentence(window: Window) -> None:
    window.visit(f"attention?{SMALL}&src={quote_plus('cat ' * 2_000)}")
    (error,) = window.alerts("Error")
    assert "2,000" in error and len(error) < 300


def test_words_are_never_markup(window: Window) -> None:
    words = "<img src=x onerror=alert(1)> <b>cat</b> $x^2$ :red[dog] **big** `a`"
    typed = f"src={quote_plus(words)}&tgt={quote_plus('<script>alert(1)</script>')}"
    # A language refuses words that it does not have; elsewhere they are read as unknown.
    for model, errors in ((SMALL, 1), ("task=pronoun-en&step=0", 0)):
        window.visit(f"attention?{model}&{typed}")
        assert len(window.alerts("Error")) == errors
        main = window.page.locator("[data-testid=stMain]")
        assert main.locator("img[src=x], script:not([data-bar])").count() == 0


def test_a_number_is_typed_with_a_comma_and_what_is_none_is_declined(window: Window) -> None:
    window.visit("training?task=copy")
    window.page.get_by_role("button", name="Training settings").click()
    rate = window.knob("rate")
    for typed, held, shown in (("0,004", "0.004", "0.004"), ("1,000", "0.004", "1,000"), ("0,5", "0.5", "0.5")):
        rate.click()
        rate.fill("")
        window.page.keyboard.type(typed)  # as a person does, sign by sign
        window.page.keyboard.press("Enter")
        window.knob_in_address("rate", held)
        refused = window.page.get_by_test_id("stPopoverBody").get_by_text("“1,000” may mean 1 or 1000")
        refused.wait_for(state="visible" if shown == "1,000" else "detached")
        window.settle()
        assert rate.input_value() == shown
    window.page.keyboard.press("Escape")
    window.unfold("more", "d_ff")
    window.type("seed", "1.000.000")
    window.knob_in_address("seed", "1000000")
