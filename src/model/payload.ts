// A user's map (input, output, variables) in whichever form is at hand. A payload from the store or
// a caller stays text until an expression needs the value; what the engine computes stays a value
// until a commit or an answer needs the text; each conversion happens at most once. Payloads are
// never changed in place: replace the Payload.
import type { JsonMap } from './json.js';
import { parseJson, toJsonText } from './json-text.js';

export class Payload {
  static readonly empty: Payload = new Payload({}, '{}');
  #value: JsonMap | undefined;
  #text: string | undefined;

  private constructor(
    value: JsonMap | undefined,
    text: string | undefined,
    /**
     * The JSON text in UTF-8, of a large one that another thread has read: within the limits of
     * values, and as this server writes it.
     */
    readonly bytes?: Buffer,
  ) {
    this.#value = value;
    this.#text = text;
  }

  static of(value: JsonMap): Payload {
    return new Payload(value, undefined);
  }

  /** `text` is the JSON text of an object, already checked. */
  static ofText(text: string): Payload {
    return text === '{}' ? Payload.empty : new Payload(undefined, text);
  }

  /** See `bytes`. */
  static ofBytes(bytes: Buffer): Payload {
    return new Payload(undefined, undefined, bytes);
  }

  /** The map; treat it as frozen. */
  get value(): JsonMap {
    return (this.#value ??= parseJson(this.text) as JsonMap);
  }

  get text(): string {
    return (this.#text ??=
      this.bytes === undefined ? toJsonText(this.#value as JsonMap) : this.bytes.toString());
  }

  /** Characters of the text where it is known already; a rough measure that never builds it. */
  get size(): number {
    return this.#text?.length ?? this.bytes?.length ?? 0;
  }

  /** The text is at hand: nothing has to be written for it. */
  get hasText(): boolean {
    return this.#text !== undefined || this.bytes !== undefined;
  }

  get isEmpty(): boolean {
    if (this === Payload.empty) return true;
    if (this.#value !== undefined) {
      for (const _ in this.#value) return false;
      return true;
    }
    return this.bytes === undefined ? this.#text === '{}' : this.bytes.length === 2;
  }
}
