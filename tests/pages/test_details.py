"""Pins what is folded: it is not computed until it is unfolded, the address says that it is, and whatever leads to a folded
piece unfolds it."""

import re
from urllib.parse import parse_qsl

import pytest

from explorer import glossary, i18n
from explorer.exhibits.reference.questions import QUESTIONS
from tests.pages.helpers import ROOT, figures, fine, session_of, turn, visit

TEACHING = sorted(set(re.findall(r"`/(\w+)\?([^`]+)`", (ROOT / "docs" / "teaching.md").read_text(encoding="utf-8"))))
FOLDED = sorted(
    {(each.page, each.part) for each in QUESTIONS if each.folded}
    | {each.place for each in glossary.terms(i18n.ENGLISH) if each.folded}
)


def test_what_is_folded_is_computed_when_it_is_unfolded_and_the_address_says_so():
    at = visit({}, "layers", folded=True)
    assert fine(at) and at.query_params == {}
    first = len(figures(at))
    turn(at, **{"details-residual_stream": True})
    assert fine(at) and len(figures(at)) > first
    assert at.query_params == {"details-residual_stream": "on"}
    again = visit(dict(at.query_params), "layers", folded=True)
    assert [each.data for each in figures(again)] == [each.data for each in figures(at)]
    turn(again, **{"details-residual_stream": False})
    assert len(figures(again)) == first and again.query_params == {}


@pytest.mark.parametrize(("page", "part"), FOLDED)
def test_what_leads_to_a_folded_piece_names_a_box_that_is_there(page, part):
    at = visit({"part": part, f"details-{part}": "on"}, page, folded=True)
    assert not at.exception and at.query_params[f"details-{part}"] == "on"
    assert session_of(at).rerun.drawn[f"details-{part}"] == (True, False)


@pytest.mark.parametrize(("page", "said"), TEACHING)
def test_every_address_for_teaching_opens_its_piece(page, said):
    link = dict(parse_qsl(said))
    at = visit(link, page, folded=True)
    assert not at.exception
    drawn = session_of(at).rerun.drawn
    assert all(name in drawn for name in link), "the page takes all that the address says"
