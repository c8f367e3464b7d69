// JSON values as programs see them. Integers that a double cannot hold are BigInt, so that they
// keep their digits. This folder depends on nothing else of the project.

export type Json = null | boolean | number | bigint | string | Json[] | JsonMap;
export type JsonMap = { [key: string]: Json };

/** Reads JSON text; throws SyntaxError. The caller brings it, so that both read numbers alike. */
export type ParseJson = (text: string) => Json;

export function isMap(value: Json): value is JsonMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sets an own property whatever its name. */
export function setOwn(map: JsonMap, key: string, value: Json): void {
  if (key !== '__proto__') map[key] = value;
  else {
    const attributes = { enumerable: true, configurable: true, writable: true };
    Object.defineProperty(map, key, { value, ...attributes });
  }
}

/** JSON text of `value`; NaN is null and infinities are the largest doubles, as jq prints them. */
export function toText(value: Json): string {
  const writer = new JsonWriter(Number.POSITIVE_INFINITY);
  writer.write(value);
  return writer.text;
}

/**
 * The first `charsMax` characters of the JSON text, or a few more. Costs no more than that, however
 * large the value is.
 */
export function startOfText(value: Json, charsMax: number): string {
  const writer = new JsonWriter(charsMax);
  writer.write(value);
  return writer.text;
}

/** A number as jq prints it. */
export function printable(value: number): number | null {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? null : Math.sign(value) * Number.MAX_VALUE;
}

class JsonWriter {
  text = '';

  constructor(readonly charsMax: number) {}

  write(value: Json): void {
    if (this.text.length > this.charsMax) return;
    if (typeof value === 'string') {
      this.text += JSON.stringify(value.length > this.charsMax ? this.#start(value) : value);
    } else if (typeof value === 'number') this.text += String(printable(value));
    else if (typeof value !== 'object' || value === null) this.text += String(value);
    else if (Array.isArray(value)) this.#writeList(value);
    else this.#writeMap(value);
  }

  #start(text: string): string {
    return text.slice(0, this.charsMax);
  }

  #writeList(list: readonly Json[]): void {
    this.text += '[';
    for (let i = 0; i < list.length && this.text.length <= this.charsMax; i++) {
      if (i > 0) this.text += ',';
      this.write(list[i] as Json);
    }
    this.text += ']';
  }

  #writeMap(map: JsonMap): void {
    this.text += '{';
    let isFirst = true;
    for (const key of Object.keys(map)) {
      if (this.text.length > this.charsMax) break;
      if (!isFirst) this.text += ',';
      isFirst = false;
      this.write(key);
      this.text += ':';
      this.write(map[key] as Json);
    }
    this.text += '}';
  }
}
