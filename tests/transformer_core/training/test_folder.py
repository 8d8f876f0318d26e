"""Pins what holds of a folder of models: files are whole, shared, and within a bound."""

import os
import sys
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from transformer_core.__main__ import main
from transformer_core.errors import InputError
from transformer_core.training.folder import SUFFIX, ModelFolder, default_folder, open_folder, shrink
from transformer_core.training.whole_file import PART

KEYS = [f"{number:016x}" for number in range(8)]


@pytest.fixture
def folder(tmp_path):
    """One that is not there yet."""
    return ModelFolder(tmp_path / "a" / "b", 1000)


def test_files_come_out_as_they_went_in(folder):
    assert folder.read("x") is None and "x" not in folder
    folder.remove("x")
    folder.write("x", b"one")
    folder.write("y", b"")
    folder.write("y", b"two")
    assert (folder.read("x"), folder.read("y")) == (b"one", b"two") and "y" in folder and "z" not in folder
    folder.remove("x")
    assert "x" not in folder and folder.read("x") is None


def test_a_folder_in_a_folder(folder):
    inner = folder.subfolder("opened").subfolder("more")
    inner.write("x", b"1")
    assert inner.read("x") == b"1" and "x" not in folder and inner.path == folder.path / "opened" / "more"


def test_what_was_used_last_stays_and_all_is_within_the_bound(tmp_path):
    folder = ModelFolder(tmp_path)
    for age, key in enumerate(KEYS[:4]):
        folder.write(key, b"x" * 100)
        os.utime(tmp_path / (key + SUFFIX), (1000 + age, 1000 + age))
    (tmp_path / f"a{PART}").write_bytes(b"left by one that was killed")
    os.utime(tmp_path / f"a{PART}", (1000, 1000))
    (tmp_path / f"new-a{PART}").write_bytes(b"under way")
    (tmp_path / "opened").mkdir()
    folder.read(KEYS[0])
    shrink(tmp_path, 200)
    left = {file.name for file in tmp_path.iterdir()}
    assert left == {KEYS[0] + SUFFIX, KEYS[3] + SUFFIX, f"new-a{PART}", "opened"}


def test_it_keeps_within_its_bound_by_itself(folder):
    for key in KEYS:
        folder.write(key, b"x" * 300)
        assert folder.read(key) is not None
        assert sum(file.stat().st_size for file in folder.path.iterdir()) <= 1000


def test_to_read_needs_no_folder_that_can_be_written(folder, monkeypatch):
    def refuse(path):
        raise OSError(30, "Read-only file system")

    folder.write("x", b"1")
    monkeypatch.setattr(os, "utime", refuse)
    assert folder.read("x") == b"1"


def test_a_file_is_never_seen_in_part(folder):
    other = ModelFolder(folder.path)
    data, seen, done = bytes(range(256)) * 4000, [], threading.Event()

    def look():
        while not done.is_set():
            seen.append(other.read(KEYS[0]))

    thread = threading.Thread(target=look)
    thread.start()
    for _ in range(50):
        folder.write(KEYS[0], data)
    done.set()
    thread.join()
    assert data in seen and set(seen) <= {None, data}


def test_a_folder_is_checked_before_hours_of_work(tmp_path):
    folder = ModelFolder(tmp_path / "new")
    folder.check()
    assert list(folder.path.iterdir()) == []
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(OSError, match="file"):
        ModelFolder(tmp_path / "file" / "models").check()
    assert ModelFolder(tmp_path / "file" / "models").read(KEYS[0]) is None


def test_a_path_is_a_path(tmp_path, monkeypatch):
    for given, path in [(str(tmp_path), tmp_path), (f" {tmp_path} ", tmp_path), ("~/models", Path.home() / "models")]:
        monkeypatch.setenv("EXPLORER_MODELS", given)
        assert open_folder().path == path == default_folder()


@pytest.mark.parametrize("address", ["s3://bucket/models", "file:///mnt/models"])
def test_an_address_is_refused_in_a_sentence(address, monkeypatch, capsys):
    """As a path it would be a folder beside the program."""
    assert main(["prepare", "--around", "copy", "--folder", address]) == 2
    assert (
        capsys.readouterr().err == f"error: {address} is no folder of this machine; mount it, and name the folder where it is\n"
    )
    monkeypatch.setenv("EXPLORER_MODELS", address)
    with pytest.raises(InputError, match="mount it"):
        open_folder()


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
