// Remembers which required texts of a parsed record were not sent at all: the record itself carries
// an empty text, but a violation shows the rejected value only when there was one (contract-core
// 2.2: `invalidValue` is absent for null).
const absent = new WeakMap<object, Set<string>>();

/** The text, or an empty one with a note that `record` had none. */
export function markAbsentText(record: object, field: string): void {
  const fields = absent.get(record);
  if (fields === undefined) absent.set(record, new Set([field]));
  else fields.add(field);
}

/** Whether the empty text in this field stands for one that was not sent. */
export function isAbsentText(record: object, field: string): boolean {
  return absent.get(record)?.has(field) === true;
}
