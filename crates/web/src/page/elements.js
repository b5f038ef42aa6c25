// Helpers for DOM elements and number formats.

export const $ = id => document.getElementById(id);

// Creates an HTML element.
export function make(name, properties = {}, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

// Creates an SVG element.
export function draw(name, attributes = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Formats a score, from White's point of view: +0.37, −M4.
export function scoreText(score) {
  const [kind, value] = score.split(" ");
  if (kind === "mate") return `${Number(value) < 0 ? "−" : "+"}M${Math.abs(value)}`;
  const units = Number(value) / 100;
  return (units < 0 ? "−" : "+") + Math.abs(units).toFixed(2);
}

// Formats a share from 0 to 1.
export const percent = share => `${Math.round(100 * share)} %`;

// Formats a count briefly: 12, 3.4 k, 5.6 M.
export function countText(count) {
  if (count < 1000) return String(count);
  return count < 1e6 ? `${(count / 1e3).toFixed(1)} k` : `${(count / 1e6).toFixed(1)} M`;
}
