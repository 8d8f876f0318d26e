"""`python -m explorer`, `python app.py` and the installed command `transformer-explorer` do as `streamlit run app.py` does."""

import sys

from streamlit.web import cli

from explorer.root import ROOT


def main() -> None:
    """Starts the app with the options of `streamlit run`, such as `--server.port 8080`. Returns when the server has ended."""
    cli.main(["run", str(ROOT / "app.py"), *sys.argv[1:]], prog_name="streamlit")


if __name__ == "__main__":
    main()
