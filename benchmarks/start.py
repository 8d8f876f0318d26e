"""From `streamlit run` to the first pages: seconds until the server answers, until the first page of a server that nobody has
used yet stands in Chromium, and until pages of one that somebody has, each in a browser that has never seen the app.
"""

import argparse
import platform
import tempfile
import time
from pathlib import Path
from typing import Any

import streamlit
import torch

from benchmarks import harness
from benchmarks.interaction import quantile

_PAGE = "heads?part=side_by_side"
_STANDS = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && document.querySelector(".arithmetic canvas") && document.querySelector("[data-testid=stSidebar] .scrubber")
  && [...document.querySelectorAll(":is(.explorer-plot, .matrices)")].every((node) => node.dataset.drawn)
"""


def first_page(browser: Any, url: str) -> float:
    """Seconds until a page stands, in a browser without a memory."""
    page = browser.new_context(viewport={"width": 1440, "height": 1000}).new_page()
    start = time.perf_counter()
    page.goto(f"{url}/{_PAGE}")
    page.wait_for_function(_STANDS, polling="raf")
    taken = time.perf_counter() - start
    page.context.close()
    return taken


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--starts", type=int, default=3, help="servers that are started (default: %(default)s)")
    parser.add_argument("--pages", type=int, default=3, help="pages of each after the first (default: %(default)s)")
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    print(f"streamlit {streamlit.__version__}, torch {torch.__version__}, {platform.machine()}")
    ready, cold, warm = [], [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=harness.chromium(), args=harness.CHROMIUM_FLAGS)
        first_page_of_chromium = browser.new_page()
        first_page_of_chromium.goto("about:blank")
        for _ in range(args.starts):
            with tempfile.TemporaryDirectory() as folder:
                start = time.perf_counter()
                server = harness.start(Path(folder))
                try:
                    server.wait()
                    ready.append(time.perf_counter() - start)
                    cold.append(first_page(browser, server.url))
                    warm += [first_page(browser, server.url) for _ in range(args.pages)]
                finally:
                    server.stop()
        browser.close()
    for name, times in (("ready", ready), ("first page of a cold server", cold), ("of a warm one", warm)):
        print(f"{name:28} p50 {quantile(times, 0.5):.2f} longest {max(times):.2f} s")


if __name__ == "__main__":
    main()
