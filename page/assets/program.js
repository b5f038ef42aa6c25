// The program, and its memory.

// The memory of a program with threads, as the build fills in: its sizes in pages of 64 KiB, and where in the
// file its flags are. Null for a program that has memory of its own, and one thread.
const memory = SHARED_MEMORY;

// The flag of memory that is shared.
const SHARED = 2;

// Whether the program has threads on a page that is cross-origin isolated, and whether this one is.
export const hasThreads = memory !== null;
export const isIsolated = globalThis.crossOriginIsolated === true;

// Compiles the program. Where it must not share its memory, the flag that asks for that is cleared.
export async function compile() {
  const response = await fetch("labrys_bg.wasm");
  if (!response.ok) throw new Error(`labrys_bg.wasm: ${response.status}`);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (hasThreads && !isIsolated) bytes[memory.flags] &= ~SHARED;
  return WebAssembly.compile(bytes);
}

// Memory to start the program with, if it does not have its own.
export function newMemory() {
  if (!hasThreads) return undefined;
  // A browser may be unable to reserve the maximum.
  for (let { initial, maximum } = memory; ; maximum /= 2) {
    try {
      return new WebAssembly.Memory({ initial, maximum, shared: isIsolated });
    } catch (problem) {
      if (maximum < 4 * initial) throw problem;
    }
  }
}
