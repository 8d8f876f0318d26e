"""Pins the pictures of which a browser makes a film of a run: those of the kept steps, with the numbers of the run."""

import json

import numpy as np
import pytest
from starlette.requests import Request
from starlette.responses import Response

from explorer import limits, resources
from explorer.pictures.run_attention import MOST, ROUTE, Watched, evenly, film
from explorer.shell import run_film
from explorer.training.run import TrainingRun
from tests.explorer.training.helpers import finish, plan

MEAN = Watched(0, "cross", 0, "mean")


@pytest.fixture
def run() -> TrainingRun:
    """A run that is over, on the server."""
    run = resources.training_scheduler().add_run(TrainingRun(plan(), "me"))
    finish(run)
    return run


def asked(run_id: str, query: str) -> Response:
    scope = {"type": "http", "method": "GET", "path": f"/{ROUTE}/{run_id}", "query_string": query.encode(), "headers": []}
    return run_film._pictures(Request(scope | {"path_params": {"run": run_id}}))


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
    path, _mark, query = MEAN.address(run).partition("?")
    assert path == f"{ROUTE}/{run.id}"
    kept = run.history().snapshots
    found = frames(asked(run.id, query))
    assert [step for step, _values, _rest in found] == [each.step for each in kept] and len(kept) > 3
    for (_step, values, rest), seen in zip(found, kept, strict=True):
        attention = seen.attention_map(run.plan, "cross", 0, 0)
        assert np.allclose(values[0], attention.mean(), atol=1e-6)
        assert (rest["rows"], rest["columns"]) == (list(attention.query_labels), list(attention.key_labels))
    each = frames(asked(run.id, query.replace("heads=mean", "heads=each")))
    assert [values.shape[0] for _step, values, _rest in each] == [run.plan.cfg.n_heads] * len(kept)


def test_it_speaks_the_language_of_the_page(run):
    (_step, _values, rest), *_others = frames(asked(run.id, "row=0&kind=cross&layer=0&heads=mean&lang=zh_CN"))
    assert "解码器" in rest["axes"]


@pytest.mark.parametrize(
    "query",
    [
        "",
        "row=0",
        "row=99&kind=cross&layer=0&heads=mean",
        "row=-1&kind=cross&layer=0&heads=mean",
        "row=a&kind=cross&layer=0&heads=mean",
        "row=0&kind=x&layer=0&heads=mean",
        "row=0&kind=cross&layer=1&heads=mean",
        "row=0&kind=cross&layer=0&heads=all",
    ],
)
def test_nonsense_gets_no_answer(run, query):
    assert asked(run.id, query).status_code == 400


def test_a_run_that_is_gone_and_one_without_a_picture(run):
    assert asked("another", MEAN.address(run).partition("?")[2]).status_code == 404
    with pytest.raises(ValueError, match="no such attention"):
        film(TrainingRun(plan(), "me"), MEAN)


@pytest.mark.parametrize("count", [1, 2, 59, 60, 61, 100, limits.SNAPSHOTS + limits.PICTURES])
def test_of_many_steps_some_are_chosen_evenly(count):
    chosen = evenly(tuple(range(count)), MOST)
    assert chosen[0] == 0 and chosen[-1] == count - 1 and len(set(chosen)) == len(chosen) == min(count, MOST)
    gaps = np.diff(chosen)
    assert count == 1 or gaps.max() - gaps.min() <= 1
