// Texts that can be written as UTF-8. Half of a surrogate pair cannot: stores write U+FFFD in its
// place, so names that differ in memory would be one name there, and who registers the later one
// would take the record of the earlier.

const loneSurrogate = /\p{Surrogate}/u;

/** Whether the text reads the same after it was written as UTF-8. */
export function isWellFormed(text: string): boolean {
  return !loneSurrogate.test(text);
}

/** Follows the name of a field. */
export const illFormedMessage = 'may not hold half of a surrogate pair, which no text has';
