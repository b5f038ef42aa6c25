// Arrows on the board, in units of squares.

import { draw } from "./elements.js";

// An arrow; `weight`, from 0 to 1, sets its width.
export function arrow([x, y], [toX, toY], weight, attributes) {
  const length = Math.hypot(toX - x, toY - y);
  const width = 0.07 + 0.11 * weight;
  const head = 0.2 + 0.16 * weight;
  // Drawn along the x axis, then rotated and translated.
  const end = length - 0.12;
  const shape = `M0.2 ${-width / 2}H${end - head}V${-head / 1.6}L${end} 0L${end - head} ${head / 1.6}V${width / 2}H0.2z`;
  const angle = (Math.atan2(toY - y, toX - x) * 180) / Math.PI;
  return draw("path", { d: shape, transform: `translate(${x} ${y}) rotate(${angle})`, ...attributes });
}
