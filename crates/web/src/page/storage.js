// What the browser keeps for the page. It may have no room for it, or forbid it: then nothing is kept.

// What is kept under a name; null if nothing is.
export function recall(name) {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

// Keeps a text under a name. Returns why it could not, or null.
export function keep(name, text) {
  try {
    localStorage.setItem(name, text);
    return null;
  } catch (problem) {
    return problem.message;
  }
}
