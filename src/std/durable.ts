// A type marks what the store has confirmed (invariants M4). Each way out of an execution takes a
// `Durable`, so an output that has not passed the gate does not compile there. The mark is there
// for the compiler alone: the value is the same, and nothing is made or checked when the server
// runs.

declare const mark: unique symbol;

export type Durable<T> = T & { readonly [mark]: true };

/**
 * Marks a value that the store has just confirmed, or that was read from it. Only the modules that
 * eslint.config.js names may call it.
 */
export function durable<T extends object>(value: T): Durable<T> {
  return value as Durable<T>;
}

/** A value that says no more than something durable does. */
export function madeOf<T extends object>(_source: Durable<object>, value: T): Durable<T> {
  return value as Durable<T>;
}
