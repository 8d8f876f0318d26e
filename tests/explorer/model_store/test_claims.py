"""Pins: of several copies of the app that share a folder, one learns a model at a time; one that has died stands in nobody's
way; and where the folder keeps no claims, nobody waits."""

import json
import os
import subprocess
import sys
import threading
import time

import pytest

from explorer.model_store import claims as claims_module
from explorer.model_store import processes
from explorer.model_store.claims import Claims
from explorer.root import ROOT
from tests.explorer.training.helpers import wait_until
from transformer_core.training.folder import CLAIM, LocalFiles
from transformer_core.training.remote import Connection, RemoteFiles

pytestmark = pytest.mark.slow

KEY = "0123456789abcdef"
BEAT = 0.2


@pytest.fixture(params=["path", "file", "memory"])
def files(request, tmp_path):
    if request.param == "path":
        return LocalFiles(tmp_path)
    return RemoteFiles(Connection(f"file://{tmp_path}" if request.param == "file" else f"memory://{tmp_path.name}"))


@pytest.fixture
def copy(files):
    """copy(): the claims of another copy of the app."""
    made = []

    def one() -> Claims:
        made.append(Claims(files, BEAT))
        return made[-1]

    yield one
    for each in made:
        for key in list(each._held):
            each.release(key)
        wait_until(lambda each=each: each._thread is None, "the end of its thread")


class Door:
    """A lock that says when somebody comes to it."""

    def __init__(self, lock, comes):
        self._lock, self._comes = lock, comes

    def __enter__(self):
        self._comes.set()
        return self._lock.__enter__()

    def __exit__(self, *error):
        return self._lock.__exit__(*error)


def dies(copy: Claims) -> None:
    """As when it is killed: its file stays as it is."""
    copy._held.clear()


def test_one_has_it_until_it_is_released(copy, files):
    one, two = copy(), copy()
    assert one.take(KEY) and one.take(KEY) and not two.take(KEY)
    assert two.elsewhere(KEY) is None, "it may be what a copy that has ended left"
    assert two.take("another key00000")
    one.release(KEY)
    assert files.read(KEY + CLAIM) is None and two.take(KEY) and not one.take(KEY)
    one.release(KEY)
    assert files.read(KEY + CLAIM) is not None, "nobody releases what is another's"


def test_one_that_lives_keeps_it_and_says_how_far_it_is(copy, files, monkeypatch):
    beats = claims_module._DEAD
    monkeypatch.setattr(claims_module, "_DEAD", 1000)  # what counts is that there is news, however fast this machine is
    one, two = copy(), copy()
    step = [0]
    assert one.take(KEY) and two.elsewhere(KEY) is None
    one.follow(KEY, lambda: step[0])
    said = set()

    def goes_on() -> bool:
        assert not two.take(KEY)
        said.add(files.read(KEY + CLAIM))
        return len(said) > beats

    wait_until(goes_on, "news of it")
    step[0] = 730

    def seen() -> bool:
        assert not two.take(KEY)
        return two.elsewhere(KEY) == 730

    wait_until(seen, "its step")
    assert one.elsewhere(KEY) is None


def test_one_that_has_died_is_in_nobodys_way(copy):
    one, two, three = copy(), copy(), copy()
    assert one.take(KEY)
    dies(one)
    start = time.monotonic()
    assert not two.take(KEY), "it may be alive"
    wait_until(lambda: two.take(KEY), "the end of patience")
    assert time.monotonic() - start >= claims_module._DEAD * BEAT
    assert two.elsewhere(KEY) is None and not three.take(KEY)


@pytest.fixture
def another_process(tmp_path):
    """A process of another copy that has claimed a model in this folder."""
    words = "; ".join((
        "import sys", "from pathlib import Path", "from explorer.model_store.claims import Claims",
        "from transformer_core.training.folder import LocalFiles",
        f"Claims(LocalFiles(Path(sys.argv[1])), 1000.0).take('{KEY}')", "print('taken', flush=True)", "sys.stdin.read()",
    ))  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, "-c", words, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT
    )
    assert process.stdout.readline() == b"taken\n"
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def patient(monkeypatch):
    """No claim is found dead because it is old."""
    monkeypatch.setattr(claims_module, "_DEAD", 10**6)


def test_what_a_process_of_this_machine_has_left_is_no_claim_and_one_that_lives_keeps_its_own(
    tmp_path, another_process, patient
):
    one = Claims(LocalFiles(tmp_path), BEAT)
    assert not one.take(KEY) and one.elsewhere(KEY) is None
    another_process.kill()
    another_process.wait()
    assert one.take(KEY) and one.elsewhere(KEY) is None
    one.release(KEY)


def test_another_process_under_the_number_of_one_that_has_ended_is_not_that(tmp_path, patient):
    files = LocalFiles(tmp_path)
    mine = processes.name(os.getpid())
    assert mine and not processes.has_ended(mine) and processes.name(2**30) == ""
    before, elsewhere = f"{mine}1", mine.replace(mine.split()[0], "another-start-of-the-machine")
    assert processes.has_ended(before) and not processes.has_ended(elsewhere)
    for process, is_taken in ((elsewhere, False), ("", False), (before, True)):
        one = Claims(files, BEAT)
        files.write(KEY + CLAIM, json.dumps({"copy": "gone", "beat": 1, "step": 3, "process": process}).encode())
        assert one.take(KEY) is is_taken
    one.release(KEY)


def test_of_several_who_find_it_dead_one_takes_over(copy, monkeypatch):
    monkeypatch.setattr(claims_module, "_SETTLED", 1.0)  # however far apart this machine has them write
    gone, rest = copy(), [copy() for _ in range(4)]
    gone.take(KEY)
    dies(gone)
    for each in rest:
        each._beat = 1.0  # its file stands for the moment in which all of them look
        assert not each.take(KEY)
        each._seen[KEY].since -= claims_module._DEAD
    start, taken = threading.Barrier(4), []

    def take(each: Claims) -> None:
        start.wait()
        taken.append(each.take(KEY))

    threads = [threading.Thread(target=take, args=(each,)) for each in rest]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [False, False, False, True]


def test_one_that_stood_still_gives_way_to_who_came_in_its_place(copy, files):
    one, two = copy(), copy()
    one.take(KEY)
    held = dict(one._held)
    dies(one)
    wait_until(lambda: two.take(KEY), "the end of patience")
    one._held |= held  # it goes on, as a machine that was asleep
    one._say(KEY, held[KEY])
    assert KEY not in one._held and not one.take(KEY)
    one.release(KEY)
    assert two.take(KEY) and files.read(KEY + CLAIM) is not None


def test_a_claim_ends_with_what_it_follows(copy, files):
    one = copy()
    one.take(KEY)
    one.follow(KEY, lambda: None)
    wait_until(lambda: files.read(KEY + CLAIM) is None, "its end")
    one.follow(KEY, lambda: 1)  # too late, and nobody's


@pytest.mark.parametrize("jump", [-1e9, 1e9])
def test_clocks_and_times_of_files_do_not_matter(tmp_path, jump, monkeypatch):
    files = LocalFiles(tmp_path)
    one, two = Claims(files, 1000.0), Claims(files, 1000.0)
    monkeypatch.setattr(time, "time", lambda: jump)
    assert one.take(KEY)
    for _ in range(3):
        os.utime(tmp_path / (KEY + CLAIM), (abs(jump), abs(jump)))
        assert not two.take(KEY)
    dies(one)


def test_a_file_that_says_nothing_is_a_claim_until_it_is_old(copy, files):
    files.write(KEY + CLAIM, b"")
    one = copy()
    assert not one.take(KEY) and one.elsewhere(KEY) is None
    wait_until(lambda: one.take(KEY), "the end of patience")


def test_where_nothing_can_be_written_everybody_has_it(tmp_path):
    (tmp_path / "file").write_text("no folder")
    for files in (LocalFiles(tmp_path / "file"), RemoteFiles(Connection(f"file://{tmp_path}/file/models"))):
        one, two = Claims(files, BEAT), Claims(files, BEAT)
        assert one.take(KEY) and two.take(KEY)
        one.release(KEY)


def test_nothing_is_left_where_a_claim_is_released_while_it_is_said(copy, files, monkeypatch):
    one = copy()
    one.take(KEY)
    write, started, goes_on = files.write, threading.Event(), threading.Event()

    def slow(name: str, data: bytes) -> None:
        started.set()
        goes_on.wait()
        write(name, data)

    monkeypatch.setattr(files, "write", slow)
    started.wait()
    comes = threading.Event()
    one._writing = Door(one._writing, comes)
    release = threading.Thread(target=one.release, args=(KEY,))
    release.start()
    comes.wait()  # it is at the lock, unless it needs none
    goes_on.set()
    release.join()
    assert files.read(KEY + CLAIM) is None
