// The starter of the execution that a run of a system task belongs to, by the signal that ends the
// run. Plug-ins pass the signal on to all that they use, so places that callers share need no other
// word of theirs. A plug-in that passes a signal of its own shares as one further caller does.
const callers = new WeakMap<AbortSignal, string>();

export function noteCaller(signal: AbortSignal, caller: string): void {
  callers.set(signal, caller);
}

/** All signals that a plug-in made itself count as this one caller. */
const unknownCaller = '\0unknown';

/** '' where the starter is not known, as where authentication is off. */
export function callerOf(signal: AbortSignal): string {
  return callers.get(signal) ?? unknownCaller;
}
