// Who started the execution that a run of a system task belongs to, by the signal that ends the
// run: plug-ins pass the signal on to whatever they use, so what is shared between callers knows
// whose turn it is without a word of theirs.
const callers = new WeakMap<AbortSignal, string>();

export function noteCaller(signal: AbortSignal, caller: string): void {
  callers.set(signal, caller);
}

/** '' for a signal of no run, and where the starter is not known. */
export function callerOf(signal: AbortSignal): string {
  return callers.get(signal) ?? '';
}
