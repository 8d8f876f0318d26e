// Parsing of the numbers on sliders.

const RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹";
const PLAIN = "-0123456789";

// Parses a number as the page writes it: "1.70", "1,000", "1 × 10⁻⁵" (see `ui/format.py`). Undefined for anything else.
export function numberIn(text) {
  const [digits, raised = "⁰"] = text.replaceAll(",", "").replace("−", "-").split(" × 10");
  const exponent = [...raised].map((sign) => PLAIN[RAISED.indexOf(sign)]).join("");
  const number = digits.trim() ? Number(`${digits}e${exponent}`) : NaN;
  return Number.isNaN(number) ? undefined : number;
}
