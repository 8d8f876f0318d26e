// Steps back and forward in the browser's history that are quicker than the server's answers. Streamlit writes the address when an
// answer comes, wherever the browser has gone meanwhile: that would be an entry which nobody has made, and end all that lay ahead.
// So it hears of one step at a time, and writes nothing before the page has followed the last one.

import { connectionState, keyed, scriptState } from "../components/shared/streamlit_dom.js";

globalThis.explorerSteps = (() => {
  const LOOK = 50; // ms between two looks whether the page has followed
  const LOST = 100; // looks in a row that find nothing under way, and no answer

  const place = () => location.pathname + location.search;
  const write = { pushState: history.pushState.bind(history), replaceState: history.replaceState.bind(history) };

  let here = place();
  let followed = 0; // as many steps as the page has followed
  let step = null; // the one that is on its way
  let isMine = false; // whether the event under way is one of ours
  let turn = null; // the way on through a lesson that was pressed last, until something else is

  function begin() {
    if (!step) setTimeout(look, LOOK);
    step = { isAnswered: false, isOld: false, idle: 0 };
  }

  // Has Streamlit ask for where the browser is now.
  function ask() {
    begin();
    isMine = true;
    dispatchEvent(new PopStateEvent("popstate", { state: history.state }));
    isMine = false;
  }

  function look() {
    const isIdle = scriptState() === "notRunning" && connectionState() === "CONNECTED";
    step.idle = isIdle ? step.idle + 1 : 0;
    if (isIdle && step.isAnswered) step = null;
    else if (step.idle >= LOST) ask(); // what was used meanwhile took its place, or the connection was away
    if (step) setTimeout(look, LOOK);
  }

  addEventListener(
    "popstate",
    (event) => {
      if (isMine || place() === here) return; // within a page, to another heading
      here = place();
      if (!step || step.isAnswered) return begin();
      step.isOld = true;
      event.stopImmediatePropagation();
    },
    { capture: true },
  );

  // Streamlit writes another page with another address twice: the address first. A step of a lesson is one entry all the same.
  const WAYS = ["lesson-ways", "lesson-try"].map(keyed).join();
  addEventListener("click", ({ target }) => (turn = target.closest?.(WAYS) ? { isWritten: false } : null), { capture: true });

  for (const name of ["pushState", "replaceState"]) {
    history[name] = (...entry) => {
      if (step && !step.isAnswered) {
        step.isOld = true; // Streamlit takes for the address what it was about to write
        return;
      }
      const isFor = step || turn?.isWritten || new URLSearchParams(location.search).has("draft"); // see draft.js
      write[isFor ? "replaceState" : name](...entry); // what a step leads to takes its place
      if (turn) turn.isWritten = true;
      here = place();
    };
  }

  return {
    // The page says how many steps it has followed.
    follow(steps) {
      const isNews = steps !== followed;
      followed = steps;
      if (!step || step.isAnswered || !isNews) return;
      if (step.isOld) ask();
      else step.isAnswered = true;
    },
    get areOnTheirWay() {
      return step !== null && !step.isAnswered;
    },
  };
})();
