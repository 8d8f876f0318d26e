"""`python -m explorer`, `python app.py` and the installed command `transformer-explorer` do as `streamlit run app.py` does."""

import runpy
import sys

from explorer.root import ROOT


def main() -> None:
    """Starts the app with the options of `streamlit run`, such as `--server.port 8080`. Returns when the server has ended."""
    sys.argv[:1] = ["streamlit", "run", str(ROOT / "app.py")]
    runpy.run_module("streamlit", run_name="__main__")


if __name__ == "__main__":
    main()
