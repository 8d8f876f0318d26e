"""Pins what holds of a folder of models on this machine and at an address: files are whole, shared, and within a bound; and
what cannot be reached is said once and keeps nobody waiting."""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import ClassVar

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from transformer_core.__main__ import main
from transformer_core.errors import InputError
from transformer_core.training import files as files_of_a_folder
from transformer_core.training.files import Connection, Disk, Files, Unreachable
from transformer_core.training.folder import SUFFIX, ModelFolder, default_folder, open_folder, shrink
from transformer_core.training.whole_file import PART

KEYS = [f"{number:016x}" for number in range(8)]


@pytest.fixture(params=["path", "file", "memory"])
def files(request, tmp_path):
    """A folder that is not there yet."""
    if request.param == "path":
        return Files(Disk(tmp_path / "a" / "b"))
    address = f"file://{tmp_path}/a/b" if request.param == "file" else f"memory://{tmp_path.name}/a/b"
    return Files(Connection(address))


@pytest.fixture
def copies(tmp_path):
    """Two copies of the app, on machines of their own, and the address they share."""
    address = f"file://{tmp_path}/shared"
    return [ModelFolder(tmp_path / name, 1000, Files(Connection(address))) for name in ("one", "two")]


def test_files_come_out_as_they_went_in(files):
    assert files.read("x") is None and files.entries() == [] and "x" not in files
    files.remove("x")
    files.write("x.part", b"one")
    files.write("y", b"")
    files.write("y", b"two")
    files.look_again()
    assert (files.read("x.part"), files.read("y")) == (b"one", b"two") and "y" in files and "z" not in files
    sizes = {each.name: each.size for each in files.entries()}
    assert sizes.pop("x.part") == 3 and set(sizes.values()) <= {3}
    assert all(abs(each.used - time.time()) < 600 for each in files.entries())
    files.remove("x.part")
    assert "x.part" not in files and files.read("x.part") is None


def test_a_folder_in_a_folder(files):
    inner = files.subfolder("opened").subfolder("more")
    inner.write("x.y", b"1")
    files.write("x.z", b"22")
    assert [each.name for each in inner.entries()] == ["x.y"]
    assert "x.z" in [each.name for each in files.entries()] and "x.y" not in [each.name for each in files.entries()]
    assert str(inner) == f"{files}/opened/more"


@pytest.mark.parametrize("where", ["path", "file"])
def test_what_was_used_last_stays_and_all_is_within_the_bound(where, tmp_path):
    files = Files(Disk(tmp_path)) if where == "path" else Files(Connection(f"file://{tmp_path}"))
    for age, key in enumerate(KEYS[:4]):
        files.write(key + SUFFIX, b"x" * 100)
        os.utime(tmp_path / (key + SUFFIX), (1000 + age, 1000 + age))
    files.write(f"a{PART}", b"left by one that was killed")
    os.utime(tmp_path / f"a{PART}", (1000, 1000))
    files.write(f"new-a{PART}", b"under way")
    files.look_again()
    files.use(KEYS[0] + SUFFIX)
    shrink(files, 200)
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {KEYS[0] + SUFFIX, KEYS[3] + SUFFIX, f"new-a{PART}"}


@pytest.mark.parametrize("where", ["path", "file"])
def test_use_makes_no_file_and_needs_no_folder_that_can_be_written(where, tmp_path, monkeypatch):
    files = Files(Disk(tmp_path)) if where == "path" else Files(Connection(f"file://{tmp_path}"))
    files.use("x")
    assert not list(tmp_path.iterdir())

    def refuse(path):
        raise OSError(30, "Read-only file system")

    files.write("x", b"1")
    monkeypatch.setattr(os, "utime", refuse)
    files.use("x")
    assert files.read("x") == b"1" and not files.is_away


def test_a_file_is_never_seen_in_part(copies):
    one, two = copies
    data, seen, done = bytes(range(256)) * 4000, [], threading.Event()

    def look():
        while not done.is_set():
            seen.append(two.shared.read(KEYS[0] + SUFFIX))

    thread = threading.Thread(target=look)
    thread.start()
    for _ in range(50):
        one.write(KEYS[0], data)
    done.set()
    thread.join()
    assert data in seen and set(seen) <= {None, data}


def test_what_one_copy_keeps_the_other_fetches_and_then_has(copies, tmp_path):
    one, two = copies
    assert two.read(KEYS[0]) is None
    one.write(KEYS[0], b"model")
    two.shared.look_again()
    assert KEYS[0] in two and two.read(KEYS[0]) == b"model"
    assert {place: (tmp_path / place / (KEYS[0] + SUFFIX)).read_bytes() for place in ("one", "two", "shared")} == dict.fromkeys(
        ("one", "two", "shared"), b"model"
    )
    one.remove(KEYS[0])
    two.shared.look_again()
    assert two.read(KEYS[0]) == b"model", "from its own folder"
    assert (tmp_path / "shared" / (KEYS[0] + SUFFIX)).read_bytes() == b"model", "what a copy uses is there for all"


def test_both_folders_are_within_the_bound(copies, tmp_path):
    one, two = copies
    for key in KEYS:
        one.write(key, b"x" * 300)
        two.shared.look_again()
        assert two.read(key) is not None
    for place in ("one", "two", "shared"):
        assert 0 < sum(file.stat().st_size for file in (tmp_path / place).iterdir()) <= 1000


def test_others_see_it_a_moment_later_by_themselves(copies, monkeypatch):
    one, two = copies
    assert KEYS[0] not in two
    one.write(KEYS[0], b"model")
    assert KEYS[0] not in two, "an address is not asked at every look"
    monkeypatch.setattr(files_of_a_folder, "_SEEN", 0.0)
    assert KEYS[0] in two


def test_an_address_that_cannot_be_reached_is_said_once_and_not_waited_for(tmp_path, caplog, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    folder = ModelFolder(tmp_path / "here", 1000, Files(Connection(f"file://{tmp_path}/file/models")))
    for key in KEYS[:3]:
        with pytest.raises(Unreachable):
            folder.write(key, b"model")
        folder.shared.look_again()
        assert folder.read(key) == b"model" and key in folder, "it is on this machine"
        assert folder.subfolder("opened").read(key) is None
    assert [record.message.count("cannot be reached") for record in caplog.records] == [1]
    asked = []
    monkeypatch.setattr(folder.shared._place._opened[0], "cat_file", asked.append)
    with pytest.raises(Unreachable):
        folder.shared.read("x")
    assert not asked
    monkeypatch.undo()
    (tmp_path / "file").unlink()
    folder.shared._place._again = 0.0  # the pause is over
    folder.shared.look_again()
    assert folder.read(KEYS[0]) == b"model"
    assert (tmp_path / "file" / "models" / (KEYS[0] + SUFFIX)).read_bytes() == b"model", "what others lacked meanwhile"
    assert "can be reached again" in caplog.text


class Mute(MemoryFileSystem):
    """A file system whose server takes every connection, and answers when a test says so."""

    protocol, cachable = "mute", False
    goes_on = threading.Event()
    asked: ClassVar[list[str]] = []

    def __getattribute__(self, name):
        found = super().__getattribute__(name)
        if name not in ("cat_file", "ls", "pipe_file", "mv", "rm_file", "touch", "makedirs"):
            return found

        def answer(*given, **more):
            Mute.asked.append(name)
            Mute.goes_on.wait()
            return found(*given, **more)

        return answer


@pytest.fixture
def mute(monkeypatch):
    fsspec.register_implementation("mute", Mute, clobber=True)
    Mute.goes_on.clear()
    Mute.asked.clear()
    monkeypatch.setattr(files_of_a_folder, "_SILENCE", 600.0)
    yield Mute
    Mute.goes_on.set()
    wait_for(lambda: "model-folder" not in {thread.name for thread in threading.enumerate()})


def wait_for(condition):
    until = time.monotonic() + 600
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.01)


def test_an_address_that_never_answers_keeps_nobody_waiting_and_is_said_once(tmp_path, mute, caplog, monkeypatch):
    folder = ModelFolder(tmp_path / "here", 1000, Files(Connection("mute://models")))
    connection = folder.shared._place
    monkeypatch.setattr(files_of_a_folder, "_SILENCE", 0.1)
    assert KEYS[0] not in folder and connection.fails
    assert folder.read(KEYS[0]) is None
    with pytest.raises(Unreachable):
        folder.write(KEYS[0], b"model")
    assert folder.read(KEYS[0]) == b"model", "it is on this machine"
    asked = list(mute.asked)
    assert asked == ["ls"], "after the first silence nobody asks for a while"
    connection._again = 0.0  # the pause is over
    folder.shared.look_again()
    assert mute.asked == ["ls", "ls"]
    assert connection._again - time.monotonic() > files_of_a_folder._PAUSE, "it is tried ever more rarely"
    (record,) = caplog.records
    assert "mute://models cannot be reached" in record.message and "no answer" in record.message
    mute.goes_on.set()
    monkeypatch.setattr(files_of_a_folder, "_SILENCE", 600.0)
    connection._again = 0.0
    folder.shared.look_again()
    assert not connection.fails and "can be reached again" in caplog.text
    assert folder.read(KEYS[0]) == b"model" and KEYS[0] + SUFFIX in folder.shared


def test_what_is_large_has_more_time(tmp_path, mute, monkeypatch):
    connection = Connection("mute://models")
    monkeypatch.setattr(files_of_a_folder, "_SILENCE", 0.1)
    monkeypatch.setattr(files_of_a_folder, "_SLOWEST", 1e-3)
    threading.Timer(0.5, mute.goes_on.set).start()
    files = Files(connection)
    files.write("x", b"12")
    assert files.read("x") == b"12"


def test_one_that_cannot_be_reached_when_the_app_starts_is_tried_again(tmp_path, mute, monkeypatch, caplog):
    def refuse(self, *given, **more):
        raise ConnectionRefusedError("nobody listens")

    mute.goes_on.set()
    with monkeypatch.context() as patch:
        patch.setattr(Mute, "__init__", refuse)
        folder = ModelFolder(tmp_path / "here", 1000, Files(Connection("mute://models")))
        assert "nobody listens" in caplog.text and KEYS[0] not in folder
    folder.shared._place._again = 0.0
    folder.write(KEYS[0], b"model")
    assert folder.shared.read(KEYS[0] + SUFFIX) == b"model"


@pytest.mark.parametrize("address", ["nonsense://bucket/models", "s3://key:secret@bucket/models"])
def test_an_address_that_nothing_here_can_open_is_one_sentence(address, monkeypatch):
    if address.startswith("s3"):
        monkeypatch.setitem(sys.modules, "s3fs", None)
    with pytest.raises(InputError) as told:
        open_folder(address)
    words = str(told.value)
    assert "EXPLORER_MODELS" in words and "\n" not in words and "secret" not in words
    assert ("s3fs" in words) == address.startswith("s3")


def test_where_a_store_of_objects_cannot_touch_a_file_what_it_holds_is_read(tmp_path):
    class Objects(MemoryFileSystem):
        protocol = "s3"

        def touch(self, path, truncate=True, **more):
            raise ValueError("S3 files cannot be touched without being truncated")

    fsspec.register_implementation("objects", Objects, clobber=True)
    address = f"objects://{tmp_path.name}/models"
    one, two = (ModelFolder(tmp_path / name, 1000, Files(Connection(address))) for name in ("one", "two"))
    one.write(KEYS[0], b"model")
    two.shared.look_again()
    assert two.read(KEYS[0]) == two.read(KEYS[0]) == b"model" and not two.shared._place.fails


def test_what_has_been_read_counts_where_its_use_cannot_be_noted(copies, monkeypatch):
    def fails(self, name):
        raise Unreachable("just now")

    one, two = copies
    one.write(KEYS[0], b"model")
    two.shared.look_again()
    monkeypatch.setattr(Files, "use", fails)
    assert two.read(KEYS[0]) == b"model"


def test_a_path_is_a_path(tmp_path, monkeypatch):
    for given, path in [(str(tmp_path), tmp_path), (f" {tmp_path} ", tmp_path), ("~/models", Path.home() / "models")]:
        monkeypatch.setenv("EXPLORER_MODELS", given)
        folder = open_folder()
        assert folder.path == path == default_folder() and isinstance(folder.shared._place, Disk)


@pytest.fixture
def nobody(monkeypatch, tmp_path):
    """A user of whom the machine knows nothing, as in some containers."""
    for name in ("HOME", "USERPROFILE", "HOMEPATH", "XDG_CACHE_HOME", "LOCALAPPDATA", "EXPLORER_MODELS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setitem(sys.modules, "pwd", SimpleNamespace(getpwuid={}.__getitem__))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with pytest.raises(RuntimeError):
        Path.home()


def test_without_a_home_the_folder_is_a_temporary_one(nobody, tmp_path):
    assert open_folder().path == default_folder() == tmp_path / "transformer-explorer" / "models"
    open_folder().check()


def test_without_a_home_a_path_at_home_is_refused_in_a_sentence(nobody, monkeypatch, capsys):
    assert main(["prepare", "--around", "copy", "--folder", "~/models"]) == 2
    assert capsys.readouterr().err == "error: ~/models cannot be found: whoever runs this has no home folder here\n"
    monkeypatch.setenv("EXPLORER_MODELS", "~/models")
    with pytest.raises(InputError, match="no home folder"):
        open_folder()


def test_with_an_address_the_folder_here_is_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("EXPLORER_MODELS", f"file://{tmp_path}/shared")
    folder = open_folder()
    assert folder.path == default_folder() == tmp_path / "transformer-explorer" / "models"
    assert str(folder.shared) == f"file://{tmp_path}/shared"
    folder.check()
    assert not list((tmp_path / "shared").iterdir())
