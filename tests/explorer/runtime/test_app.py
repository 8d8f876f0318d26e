"""Pins what a server is started with: visitors never read a traceback, and pages compute on one core."""

import os
import re
import subprocess
import sys

import pytest
from streamlit.testing.v1 import AppTest

import app
from explorer.root import ROOT


def _failing() -> None:
    raise ValueError("a secret in /srv/app/secret.py")


def test_a_visitor_reads_no_traceback():
    at = AppTest.from_function(_failing).run()
    (error,) = at.exception
    assert "secret" not in error.message + error.value
    assert not list(error.stack_trace)


def test_a_visitor_reads_one_plain_sentence_with_the_number_of_a_line_in_the_log(caplog):
    def page() -> None:
        import app

        assert app.tell(ValueError("a secret in /srv/app/secret.py"))

    at = AppTest.from_function(page).run()
    assert not at.exception
    (error,) = at.error
    assert "went wrong" in error.value and "secret" not in error.value
    (line,) = (record.getMessage() for record in caplog.records if record.name == "explorer.shell.failure")
    number = re.search(r"\(error ([0-9a-f]{6})\)", error.value)[1]
    assert line.startswith(f"error {number}, page : ValueError: a secret in /srv/app/secret.py")
    assert app.app._on_script_error is app.tell


def test_the_line_says_where_it_went_wrong(caplog):
    def page() -> None:
        import app
        from explorer.model_on_screen.settings import read

        try:
            read({})
        except ValueError as error:
            app.tell(error)

    first, second = (AppTest.from_function(page).run().error[0].value for _ in range(2))
    assert first != second, "each has its own number"
    lines = [record.getMessage() for record in caplog.records if record.name == "explorer.shell.failure"]
    assert len(lines) == 2 and all(re.search(r"at explorer/model_on_screen/settings\.py:\d+$", line) for line in lines)


_FIRST_PRODUCT = """
from threading import Thread
import app, psutil, torch

x = torch.randn(64, 64)
def multiply():
    before = psutil.Process().num_threads()
    x @ x
    print(psutil.Process().num_threads() - before)

torch.set_num_threads(1)
Thread(target=multiply).start()
"""


@pytest.mark.slow
def test_the_first_matrix_product_of_a_new_thread_starts_no_other_threads():
    variables = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    command = [sys.executable, "-c", _FIRST_PRODUCT]
    done = subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0"
