// A canvas that notes what is drawn on it: each call with its arguments, fills with the colour they had, and whether a box was filled
// behind what is there. It has `ratio` pixels for each of the page.

const LETTER = 7; // px of every letter

globalThis.ImageData ??= class {
  constructor(width, height) {
    Object.assign(this, { width, height, data: new Uint8ClampedArray(4 * width * height) });
  }
};
globalThis.Path2D ??= class {
  moveTo() {}
  bezierCurveTo() {}
};

export function canvas(ratio = 1) {
  const calls = [];
  const pen = new Proxy(
    { calls, font: "", behind: [] },
    {
      get(target, name) {
        if (name === "measureText") return (text) => ({ width: LETTER * text.length });
        if (name === "getTransform") return () => ({ a: ratio });
        if (name in target) return target[name];
        if (name === "fillRect") target.behind.push(target.globalCompositeOperation === "destination-over");
        return (...given) => calls.push([name, ...given, ...(name.startsWith("fill") ? [target.fillStyle] : [])]);
      },
    },
  );
  const box = { left: 100, top: 50 };
  return { pen, width: 0, height: 0, style: {}, getContext: () => pen, getBoundingClientRect: () => box };
}
