// A canvas that notes what is drawn on it: each call with its arguments, and fills with the colour they had. It has one pixel for
// each of the page.

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

export function canvas() {
  const calls = [];
  const pen = new Proxy(
    { calls, font: "" },
    {
      get(target, name) {
        if (name === "measureText") return (text) => ({ width: LETTER * text.length });
        if (name === "getTransform") return () => ({ a: 1 });
        if (name in target) return target[name];
        return (...given) => calls.push([name, ...given, ...(name.startsWith("fill") ? [target.fillStyle] : [])]);
      },
    },
  );
  const box = { left: 100, top: 50 };
  return { pen, width: 0, height: 0, style: {}, getContext: () => pen, getBoundingClientRect: () => box };
}
