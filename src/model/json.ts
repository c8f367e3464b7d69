// JSON values as the product carries them. Integers beyond 2^53 are BigInt so that they keep their
// digits (contract-core 1.2); everything else is what JSON.parse gives. User maps are plain objects
// parsed from JSON.

export type Json = null | boolean | number | bigint | string | Json[] | JsonMap;
export type JsonMap = { [key: string]: Json };

/** Whether a value is a map: an object that is neither null nor a list. */
export function isMap(value: Json | undefined): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What a user's map has under a name; never what all objects inherit, such as `constructor`. */
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
