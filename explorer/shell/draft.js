// A lesson that is being made is kept by the browser's window alone: a page that is loaded anew hands it to the server.

(() => {
  const address = new URL(location.href);
  let draft = null;
  try {
    draft = sessionStorage.getItem("draft");
  } catch {
    // a browser that keeps nothing
  }
  if (!draft || address.searchParams.has("draft")) return;
  address.searchParams.set("draft", draft);
  history.replaceState(history.state, "", address);
})();
