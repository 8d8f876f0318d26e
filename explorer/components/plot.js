// Draws a Plotly figure on a node that stays: zoom, hover and focus survive every update, and nothing flickers.
// A figure says in layout.meta what differs in the dark and on a narrow screen: {dark: {"path": value}, narrow: {...}}.

const NARROW = 560;  // px

function loadPlotly(url) {
  // One script tag for the whole page, however many figures ask for it.
  window.explorerPlotly ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = url;
    script.onload = () => resolve(window.Plotly);
    script.onerror = () => reject(new Error("plotly.js could not be loaded from " + url));
    document.head.appendChild(script);
  });
  return window.explorerPlotly;
}

function luminance(colour) {
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = colour;
  const [r, g, b] = canvas.fillStyle.match(/[0-9a-f]{2}/gi).map((hex) => parseInt(hex, 16));
  return (0.2126 * r + 0.7152 * g + 0.0722 * b) / 255;
}

function set(target, path, value) {
  const keys = path.split(".");
  const last = keys.pop();
  for (const key of keys) target = target[key] ??= {};
  target[last] = value;
}

function themed(figure, node, narrow) {
  const css = getComputedStyle(node);
  const word = (name) => css.getPropertyValue(name).trim();
  const text = word("--st-text-color"), background = word("--st-background-color");
  const dark = luminance(background) < 0.5;
  const meta = figure.layout.meta ?? {};
  const overrides = { ...(dark ? meta.dark : {}), ...(narrow ? meta.narrow : {}) };
  for (const [path, value] of Object.entries(overrides)) set(figure, path, value);

  const layout = figure.layout;
  layout.paper_bgcolor = "rgba(0,0,0,0)";
  layout.plot_bgcolor ??= "rgba(0,0,0,0)";
  layout.font = { family: word("--st-font"), size: narrow ? 11 : 13, ...layout.font, color: text };
  layout.hoverlabel = { font: { family: word("--st-font"), size: 13 }, ...layout.hoverlabel };
  const line = `color-mix(in srgb, ${text} 18%, ${background})`;
  const canvas = document.createElement("canvas").getContext("2d");
  canvas.fillStyle = text;
  const grid = canvas.fillStyle + "26";  // 15 % of the text's own colour
  for (const key of Object.keys(layout)) {
    if (!/^[xy]axis\d*$/.test(key)) continue;
    layout[key] = { gridcolor: grid, zerolinecolor: grid, linecolor: grid, automargin: true, ...layout[key] };
  }
  return figure;
}

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const node = parentElement.querySelector(".explorer-plot");
  node.setAttribute("aria-label", data.alt);
  const draw = () => {
    const width = node.clientWidth;
    const figure = themed(JSON.parse(data.figure), node, width < NARROW);
    node.style.height = figure.layout.height + "px";
    figure.layout.width = width;
    return window.Plotly.react(node, figure.data, figure.layout, {
      displaylogo: false, showSendToCloud: false, responsive: false, displayModeBar: width < NARROW ? false : "hover",
      modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
      toImageButtonOptions: { format: "svg", filename: data.name },
    });
  };
  loadPlotly(data.plotly).then(draw).then(() => {
    node.dataset.drawn = Number(node.dataset.drawn ?? 0) + 1;
    node.removeAllListeners("plotly_click");
    if (data.clickable) {
      node.on("plotly_click", (event) => {
        const { x, y, data: trace } = event.points[0];
        const panel = Number((trace.xaxis ?? "x").slice(1) || 1) - 1;
        setTriggerValue("click", { x, y, panel });
      });
    }
    if (!node.observer) {
      node.observer = new ResizeObserver(() => {
        if (node.clientWidth && Math.abs(node.clientWidth - node._fullLayout.width) > 1) node.redrawAtWidth();
      });
      node.observer.observe(node);
    }
    node.redrawAtWidth = draw;
  }).catch((error) => { node.textContent = error.message; });

  return () => {
    if (node.isConnected) return;  // also called for a drawing that the next one has overtaken: the node lives on
    node.observer?.disconnect();
    if (node._fullLayout) window.Plotly.purge(node);
  };
}
