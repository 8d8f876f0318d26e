"""Pins what somebody reads whose browser keeps no cookies, on the page where they would be needed."""

import pytest

from explorer.runtime.browser_token import BrowserToken
from explorer.session import runs
from tests.pages.helpers import fine, open_page, shown


@pytest.mark.parametrize(
    ("token", "given", "told"),
    [(None, True, 1), ("this browser", True, 0), (None, False, 0)],
    ids=["keeps none", "keeps them", "is given none"],
)
def test_what_works_and_what_does_not_is_said_where_files_and_runs_are_offered(monkeypatch, token, given, told):
    monkeypatch.setattr(runs, "browser_token", lambda: token)
    monkeypatch.setattr(BrowserToken, "given", given)
    at = open_page("training")
    assert fine(at)
    assert shown(at).count("keeps no cookies") == told
