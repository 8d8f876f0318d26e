// Shares in words.

// Formats a share in per cent with so many decimals. What is not all does not read "100%", nor what is not nothing "0%": it gets a
// decimal, "99.6%", or is "> 99.9%" or "< 0.1%". The server's `i18n.share_text` does the same.
export function percent(share, digits = 0) {
  const part = share > 0 && share < 1;
  const text = (100 * share).toFixed(digits);
  if (!part || (Number(text) !== 0 && Number(text) !== 100)) return `${text}%`;
  if (digits === 0) return percent(share, 1);
  const least = 10 ** -digits;
  return share < 0.5 ? `< ${least.toFixed(digits)}%` : `> ${(100 - least).toFixed(digits)}%`;
}
