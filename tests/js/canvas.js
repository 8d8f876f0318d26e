// A canvas that notes what is drawn on it: each call with its arguments, and fills with the colour they had.

const LETTER = 7; // px of every letter

export function canvas() {
  const calls = [];
  const pen = new Proxy(
    { calls, font: "" },
    {
      get(target, name) {
        if (name === "measureText") return (text) => ({ width: LETTER * text.length });
        if (name in target) return target[name];
        return (...given) => calls.push([name, ...given, ...(name.startsWith("fill") ? [target.fillStyle] : [])]);
      },
    },
  );
  const box = { left: 100, top: 50 };
  return { pen, width: 0, height: 0, style: {}, getContext: () => pen, getBoundingClientRect: () => box };
}
