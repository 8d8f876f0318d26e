"""From `streamlit run` to the first pages: seconds until the server answers, until the first page of a server that nobody has
used yet stands in Chromium, and until pages of one that somebody has, ten seconds (`--settled`) later, each in a browser that
has never seen the app. By turns with an app of one line, which is what Streamlit itself takes on this machine, and with one
that has as many elements of the same kinds as the measured page, which is what Streamlit takes to draw these.
"""

import tempfile
import time
from pathlib import Path

from benchmarks import harness
from benchmarks.harness import quantile

_PAGE = "heads?part=side_by_side"
_LINE = 'import streamlit as st\n\nst.button("Hello")\n'
# The elements of the page that is measured, by kind; components stand for the views, and for our parts beside the page.
_ELEMENTS = """import streamlit as st

st.set_page_config(layout="wide")
names = [st.components.v2.component(f"part{i}", html="<p>part</p>", js="export default () => {}") for i in range(6)]
for i in range(4):
    st.html(f"<p>words {i}</p>")
st.title("Heads")
for i in range(6):
    st.markdown(f"Some **words**, number {i}, as long as a caption is, so that they take a line of the page.")
for i in range(4):
    st.segmented_control(f"choice {i}", ["one", "two", "three", "four"], default="one")
st.selectbox("picture", ["one", "two", "three"])
for i in range(3):
    names[i](key=f"part{i}")
with st.sidebar:
    st.header("Model")
    st.markdown("Words")
    st.markdown("More words")
    st.selectbox("task", ["one", "two", "three"])
    st.text_input("sentence", "i am tired")
    for i in range(4):
        st.slider(f"slider {i}", 0, 10, 5)
    st.segmented_control("norm", ["pre", "post"], default="pre")
    for i in range(3, 6):
        names[i](key=f"part{i}")
    st.button("Hello")
"""
_LINE_STANDS = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && document.querySelector("[data-testid=stButton]")
"""
_STANDS = """() => document.querySelector("[data-testid=stApp]")?.dataset.testScriptState === "notRunning"
  && document.querySelector(".matrices[data-drawn]") && document.querySelector("[data-testid=stSidebar] .scrubber")
  && [...document.querySelectorAll(":is(.explorer-plot, .matrices)")].every((node) => node.dataset.drawn)
"""


def first_page(browser: harness.Browser, url: str, stands: str) -> float:
    """Returns the seconds until a page is complete, in a browser without a cache."""
    page = browser.new_page(viewport={"width": 1440, "height": 1000})
    start = time.perf_counter()
    page.goto(url)
    page.wait_for_function(stands, polling="raf", timeout=120_000)
    taken = time.perf_counter() - start
    page.context.close()
    return taken


def times(
    browser: harness.Browser, script: Path, page: str, stands: str, pages: int, settled: float
) -> tuple[float, list[float]]:
    """Returns the seconds until a new server of a script answers, until its first page is complete, and so many more."""
    start = time.perf_counter()
    with harness.running(script=script) as server:
        ready, found = time.perf_counter() - start, []
        for i in range(1 + pages):
            found.append(first_page(browser, f"{server.url}/{page}", stands))
            time.sleep(settled if i == 0 else 0)
    return ready, found


def main() -> None:
    parser = harness.parser(__doc__)
    parser.add_argument("--starts", type=int, default=3, help="servers that are started of each (default: %(default)s)")
    parser.add_argument("--pages", type=int, default=3, help="pages of each after the first (default: %(default)s)")
    harness.add_settled(parser)
    args = parser.parse_args()
    print(harness.machine())
    found: dict[str, list[tuple[float, list[float]]]] = {"app": [], "elements": [], "one line": []}
    with tempfile.TemporaryDirectory() as folder, harness.Browser() as browser:
        line, elements = Path(folder) / "line.py", Path(folder) / "elements.py"
        line.write_text(_LINE, encoding="utf-8")
        elements.write_text(_ELEMENTS, encoding="utf-8")
        browser.new_page().goto("about:blank")  # the first page of a Chromium takes longer
        for _ in range(args.starts):
            found["app"].append(times(browser, harness.ROOT / "app.py", _PAGE, _STANDS, args.pages, args.settled))
            found["elements"].append(times(browser, elements, "", _LINE_STANDS, args.pages, args.settled))
            found["one line"].append(times(browser, line, "", _LINE_STANDS, args.pages, args.settled))
    for name, all_times in found.items():
        rows = {
            "ready": [ready for ready, _pages in all_times],
            "first page of a cold server": [pages[0] for _ready, pages in all_times],
            "of a warm one": [each for _ready, pages in all_times for each in pages[1:]],
        }
        for row, seconds in rows.items():
            print(f"{name:9} {row:28} p50 {quantile(seconds, 0.5):.2f} longest {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
