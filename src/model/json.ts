// JSON values as the product carries them. Integers beyond 2^53 are BigInt so that they keep their
// digits (contract-core 1.2); everything else is what JSON.parse gives. User maps are plain objects
// parsed from JSON.

export type Json = null | boolean | number | bigint | string | Json[] | JsonMap;
export type JsonMap = { [key: string]: Json };

/**
 * `T` if JSON can hold it, with `never` in the place of each member that it cannot hold: a method,
 * a Date, a class, `unknown`. A function that takes `T extends JsonForm<T>` takes records, which
 * have no index signature and so are no `JsonMap` to the compiler, and refuses all else. Members
 * may be undefined: the text omits them.
 */
export type JsonForm<T> = {
  [K in keyof T]: JsonValue<Exclude<T[K], undefined>> | Extract<T[K], undefined>;
};
type JsonValue<T> = T extends Json
  ? T
  : T extends (...given: never[]) => unknown
    ? never
    : T extends object
      ? JsonForm<T>
      : never;

/**
 * Reads a value that the server itself wrote, as the type that it wrote: nothing is checked, so it
 * is for stored records and notes only, never for input of callers.
 */
export function ownRecord<T extends JsonForm<T>>(value: Json): T {
  const record: unknown = value;
  return record as T;
}

/** A record as the JSON that it is; the same value. Members that are undefined count as absent. */
export function asJson<T extends object & JsonForm<T>>(record: T): MapOrList<T> {
  const value: unknown = record;
  return value as MapOrList<T>;
}
type MapOrList<T> = T extends readonly object[]
  ? JsonMap[]
  : T extends readonly unknown[]
    ? Json[]
    : JsonMap;

/** Whether a value is a map: an object that is neither null nor a list. */
export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The value of a user's map under a name; never one that all objects inherit, such as
 * `constructor`.
 */
export function ownValue(map: JsonMap, key: string): Json | undefined {
  return Object.hasOwn(map, key) ? map[key] : undefined;
}

/** Sets a member whatever its name is, be it `__proto__` (invariants S3). */
export function setOwn(map: JsonMap, key: string, value: Json): void {
  if (key === '__proto__') {
    Object.defineProperty(map, key, {
      value,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  } else {
    map[key] = value;
  }
}
