// Why something could not be put into the form in which it is stored or sent (invariants M19). A
// value that fails there is one that the limits of values should have refused: too deep for a
// writer that calls itself, too long for a text, or no JSON.

const clauseCharsMax = 300;

/** A clause that completes "it could not be written: ...". */
export function whyUnwritable(error: unknown): string {
  const { message } = error instanceof Error ? error : new Error(String(error));
  if (error instanceof RangeError) {
    return message.includes('call stack')
      ? 'one of its values is nested too deeply'
      : 'one of its values is too large';
  }
  return `one of its values is of no kind that can be stored (${message.slice(0, clauseCharsMax)})`;
}
