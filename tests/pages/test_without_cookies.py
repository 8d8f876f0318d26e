"""Pins what somebody reads whose browser keeps no cookies, on the pages where they would be needed."""

import pytest

from explorer.runtime.browser_token import BrowserToken
from explorer.session import runs
from tests.pages.helpers import fine, open_page, shown

PLACES = [("training", {}), ("compare", {"part": "sweep"})]


@pytest.mark.parametrize(("page", "link"), PLACES)
@pytest.mark.parametrize(
    ("token", "given", "told"), [(None, True, 1), ("this browser", True, 0), (None, False, 0)],
    ids=["keeps none", "keeps them", "is given none"],
)  # fmt: skip
def test_what_works_and_what_does_not_is_said_where_files_and_runs_are_offered(monkeypatch, page, link, token, given, told):
    monkeypatch.setattr(runs, "browser_token", lambda: token)
    monkeypatch.setattr(BrowserToken, "given", given)
    at = open_page(page, link)
    assert fine(at)
    assert shown(at).count("keeps no cookies") == told
