// Limits of one value, be it a payload or what a script or an expression gives (invariants S10):
// what is beyond them can be written by no recursive writer, or holds the event loop while it is.
// The bytes of a payload have settings of their own, by what it is.

export interface ValueLimits {
  /** Lists and maps inside each other. */
  readonly valueDepthMax: number;
  /** Keys of one map. */
  readonly valueKeysMax: number;
  /** Bytes of one key, nearly: counted as characters. */
  readonly valueKeyBytesMax: number;
  /** Texts, numbers, flags, nulls, lists and maps together. */
  readonly valueCountMax: number;
}

export const defaultValueLimits: ValueLimits = {
  valueDepthMax: 500,
  valueKeysMax: 100_000,
  valueKeyBytesMax: 64 * 1024,
  valueCountMax: 2_000_000,
};
