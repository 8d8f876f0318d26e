"""Pins the pictures of which a browser makes a film of a run: those of the kept steps, with the numbers of the run."""

import json
from dataclasses import replace

import numpy as np
import pytest
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match

from explorer import i18n, limits, resources
from explorer.learning.run import TrainingRun
from explorer.pictures.run_attention import MOST, ROUTE, Watched, evenly, film
from explorer.shell import run_film
from tests.explorer.learning.helpers import finish, plan

MEAN = Watched(0, "cross", 0, "mean")


@pytest.fixture
def run() -> TrainingRun:
    """A run that is over, on the server."""
    run = resources.training_scheduler().add_run(TrainingRun(plan(), "me"))
    finish(run)
    return run


def asked(address: str) -> Response:
    """The answer of the route, as a browser gets it."""
    scope = {"type": "http", "method": "GET", "path": f"/{address}", "query_string": b"", "headers": []}
    found, more = run_film.route().matches(scope)
    return run_film._pictures(Request(scope | more)) if found is Match.FULL else Response(status_code=404)


def frames(answer: Response) -> list[tuple[int, np.ndarray, dict]]:
    """Reads a frame as shared/arrays.js does: the steps, the values drawn, and the rest of each picture."""
    size = int.from_bytes(answer.body[:4], "little")
    found = []
    for each in json.loads(answer.body[4 : 4 + size])["frames"]:
        values = each["numbers"]["values"]
        shape = [int(length) for length in values["shape"].split(",")]
        data = np.frombuffer(answer.body, values["dtype"], int(np.prod(shape)), 4 + size + values["at"])
        found.append((each["step"], data.reshape(shape), each["numbers"]))
    return found


def test_every_kept_step_has_its_own_attention(run):
    kept = run.history().snapshots
    found = frames(asked(MEAN.address(run)))
    assert [step for step, _values, _rest in found] == [each.step for each in kept] and len(kept) > 3
    for (_step, values, rest), seen in zip(found, kept, strict=True):
        attention = seen.attention_map(run.plan, "cross", 0, 0)
        assert np.allclose(values[0], attention.mean(), atol=1e-6)
        assert (rest["rows"], rest["columns"]) == (list(attention.query_labels), list(attention.key_labels))
    each = frames(asked(replace(MEAN, heads="each").address(run)))
    assert [values.shape[0] for _step, values, _rest in each] == [run.plan.cfg.n_heads] * len(kept)


def test_it_speaks_the_language_of_the_page(run):
    with i18n.speaking("zh_CN"):
        address = MEAN.address(run)
    (_step, _values, rest), *_others = frames(asked(address))
    assert "解码器" in rest["axes"]


@pytest.mark.parametrize(
    ("asked_for", "status"),
    [
        ("99/cross/0/mean/en", 400),
        ("0/x/0/mean/en", 400),
        ("0/cross/1/mean/en", 400),
        ("0/cross/0/all/en", 400),
        ("-1/cross/0/mean/en", 404),
        ("a/cross/0/mean/en", 404),
        ("0/cross/0/mean", 404),
    ],
)
def test_nonsense_gets_no_answer(run, asked_for, status):
    assert asked(f"{ROUTE}/{run.id}/{asked_for}").status_code == status


def test_a_run_that_is_gone_and_one_without_a_picture(run):
    assert asked(MEAN.address(run).replace(run.id, "another")).status_code == 404
    with pytest.raises(ValueError, match="no such attention"):
        film(TrainingRun(plan(), "me"), MEAN)


@pytest.mark.parametrize("count", [1, 2, 59, 60, 61, 100, limits.SNAPSHOTS + limits.PICTURES])
def test_of_many_steps_some_are_chosen_evenly(count):
    chosen = evenly(tuple(range(count)), MOST)
    assert chosen[0] == 0 and chosen[-1] == count - 1 and len(set(chosen)) == len(chosen) == min(count, MOST)
    gaps = np.diff(chosen)
    assert count == 1 or gaps.max() - gaps.min() <= 1
