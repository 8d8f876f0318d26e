"""Pins that Streamlit's options are the app's, wherever its server is started from; what the folder there says comes first."""

import json
import subprocess
import sys

import pytest

from explorer.root import ROOT
from explorer.streamlit_patches.options import by_name

# What `uvicorn app:app` does before it serves.
_IMPORT = """
import json, app
from streamlit import config
print(json.dumps({name: config.get_option(name) for name in json.loads(input())}))
"""


@pytest.mark.slow
def test_started_elsewhere_it_has_the_options_of_the_app_and_of_that_folder(tmp_path):
    shipped = by_name()
    assert shipped["browser.gatherUsageStats"] is False and shipped["client.showErrorDetails"] == "none"
    assert shipped["server.maxUploadSize"] == 50 and shipped["theme.light.primaryColor"] == "#0067A3"
    folder, home = tmp_path / "folder", tmp_path / "home"
    for each, said in {folder: "[server]\nmaxUploadSize = 7", home: "[server]\nmaxUploadSize = 8\nmaxMessageSize = 9"}.items():
        (each / ".streamlit").mkdir(parents=True)
        (each / ".streamlit" / "config.toml").write_text(said, encoding="utf-8")
    started = subprocess.run(
        [sys.executable, "-c", _IMPORT],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "HOME": str(home)},
        input=json.dumps([*shipped]),
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(started.stdout) == shipped | {"server.maxUploadSize": 7}
