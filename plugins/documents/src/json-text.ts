// A JSON document as text from which chunks can be cut: a line for each value. The indentation of
// deep documents makes the text many times longer, so it is built where it may fail.
import { decodedText } from '@downbeat/plugin';

/** Throws an Error when the bytes are no JSON. */
export function jsonText(bytes: Uint8Array, charset: string): string {
  let value: unknown;
  try {
    value = JSON.parse(decodedText(bytes, charset));
  } catch {
    throw new Error('it is not JSON');
  }
  return JSON.stringify(value, undefined, 2);
}
