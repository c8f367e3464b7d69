// The starter of the execution that a run of a system task belongs to, by the signal that ends the
// run. Plug-ins pass the signal on to all that they use, so places that callers share need no other
// word of theirs.
const callers = new WeakMap<AbortSignal, string>();

export function noteCaller(signal: AbortSignal, caller: string): void {
  callers.set(signal, caller);
}

/** '' for a signal of no run, and where the starter is not known. */
export function callerOf(signal: AbortSignal): string {
  return callers.get(signal) ?? '';
}
