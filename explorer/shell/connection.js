// Says why the page stays empty where it cannot connect: all that it shows comes over a WebSocket, and some networks let none through.

globalThis.explorerConnection = (told, language, patience) => {
  const state = () => document.querySelector("[data-testid=stApp]")?.dataset.testConnectionState; // none before React has begun
  const isConnected = () => state() === "CONNECTED";
  const box = document.createElement("p");
  box.setAttribute("role", "alert"); // it is read aloud when its words come
  box.lang = language;
  box.style = `position: fixed; z-index: 1000000; inset: 4.5rem 1rem auto; max-width: 40rem; margin: auto; padding: 1rem 1.25rem;
    border: 2px solid currentColor; border-radius: 0.5rem; font: 1.125rem/1.5 sans-serif; color: CanvasText; background: Canvas;
    color-scheme: light dark;`;

  async function look() {
    if (isConnected()) return box.remove();
    const asked = fetch("_stcore/health", { cache: "no-store", signal: AbortSignal.timeout(5000) }); // it lies beside the page
    const answer = await asked.catch(() => null);
    const words = answer?.ok ? told.blocked : told.away;
    if (isConnected()) return box.remove();
    if (!box.isConnected) document.body.append(box);
    if (box.textContent !== words) box.textContent = words;
    setTimeout(look, 1000);
  }
  const begin = () => setTimeout(...(state() ? [look, patience] : [begin, 1000]));
  begin();
};
