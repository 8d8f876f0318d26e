// The parts of the page that Streamlit draws and our scripts rely on. Look here first when its version changes: none of them is
// documented. tests/test_house.py allows no other script to name one; tests/explorer/shell/test_streamlit_names.py says which one
// Streamlit has renamed, of those in style sheets, too.

export const APP = "[data-testid=stApp]";
export const MAIN = "[data-testid=stMain]"; // scrolls
export const PAGE = "[data-testid=stMainBlockContainer]"; // in the main part, what a page has drawn
export const WRITTEN = "[data-testid=stMarkdownContainer]";
export const ICON = "[role=img]"; // in what is written; its text is the icon's name
export const WIDGET_LABEL = "[data-testid=stWidgetLabel]";
export const SIDEBAR = "[data-testid=stSidebar]"; // data-collapsed: "true" or "false"
export const UNFOLD_SIDEBAR = "[data-testid=stExpandSidebarButton]";
export const FOLD_SIDEBAR = "[data-testid=stSidebarCollapseButton] button";
export const PAGE_LINK = "[data-testid=stSidebarNavLink]"; // of a phone's menu
export const MENU_LINK = `:is(${PAGE_LINK}, [data-testid=stTopNavPopover] a, [data-testid=stHeader] a)`;
export const CLOSE_DIALOG = "[data-testid=stDialog] button[aria-label=Close]";

// Attributes of the app.
export const SCRIPT_STATE = "data-test-script-state";
export const CONNECTION_STATE = "data-test-connection-state";

// "running", "notRunning" and others; undefined before React has begun.
export const scriptState = () => document.querySelector(APP)?.getAttribute(SCRIPT_STATE);

// "CONNECTED" and others; likewise.
export const connectionState = () => document.querySelector(APP)?.getAttribute(CONNECTION_STATE);

// Selects what Python has drawn with `key=`.
export const keyed = (key) => `.st-key-${key}`;
export const keyedFrom = (start) => `[class*=st-key-${start}]`;

// The chosen part of a page.
export const PART = `${keyed("part")} [role=radio][aria-checked=true]`;

// The whole key of the box round an element.
export const keyOf = (element) => element.closest(keyedFrom(""))?.className.match(/st-key-(\S+)/)[1];

// The box round an element that was drawn with a key, and this key; undefined where there is none.
export function keyedBox(element) {
  const box = element.closest?.(keyedFrom(""));
  return box && { box, key: box.className.match(/st-key-([a-z_]+)/)[1] };
}
