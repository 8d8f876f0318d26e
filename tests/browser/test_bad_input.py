"""Pins that words typed or in a link are never read as markup."""

from urllib.parse import quote_plus

from tests.browser.window import SMALL, Window


def test_words_are_never_markup(window: Window) -> None:
    words = "<img src=x onerror=alert(1)> <b>cat</b> $x^2$ :red[dog] **big** `a`"
    typed = f"src={quote_plus(words)}&tgt={quote_plus('<script>alert(1)</script>')}"
    # A language refuses words that it does not have; elsewhere they are read as unknown.
    for model, errors in ((SMALL, 1), ("task=pronoun-en&step=0", 0)):
        window.visit(f"attention?{model}&{typed}")
        assert len(window.alerts("Error")) == errors
        main = window.page.locator("[data-testid=stMain]")
        assert main.locator("img[src=x], script:not([data-bar])").count() == 0
