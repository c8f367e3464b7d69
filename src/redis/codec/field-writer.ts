// Writes the fields of an execution's hash one after the other into a packer, names and values in
// turn, and remembers where each begins, so that they can be divided among commands or segments
// without being written again.
import type { Payload } from '../../model/payload.js';
import type { KnownTexts } from './known-texts.js';
import { textFormatCode } from './record.js';
import type { Packer, PackValue } from './packer.js';

/** Bytes in the packer of a commit: arguments of a command. */
export interface PackedArguments {
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

/**
 * Characters of one text. Nothing that a limit of values lets through comes near; Redis takes no
 * more than 512 MB at once, and a packer needs three bytes a character.
 */
const textCharsMax = 128 * 1024 * 1024;

export class FieldWriter {
  readonly names: string[] = [];
  /** Where each field begins. */
  readonly #starts: number[] = [];
  /** Huge values by field: their bytes are not in the packer, they follow what is there. */
  readonly #apart = new Map<number, Buffer>();
  #bytesApart = 0;
  #record = -1;

  constructor(
    readonly packer: Packer,
    /** Texts of fields written before: they are not written again. */
    private readonly texts?: KnownTexts,
  ) {}

  /** Forgets the fields written so far; their bytes stay. */
  begin(): void {
    this.names.length = 0;
    this.#starts.length = 0;
    this.#apart.clear();
    this.#bytesApart = 0;
  }

  get bytes(): number {
    const first = this.#starts[0];
    return first === undefined ? 0 : this.packer.position - first + this.#bytesApart;
  }

  /** Fields have bytes apart: they can be staged only. */
  get hasApart(): boolean {
    return this.#apart.size > 0;
  }

  /** The text after the field in the packer. */
  apart(index: number): Buffer | undefined {
    return this.#apart.get(index);
  }

  /** A value that is no record. */
  value(name: string, value: PackValue): void {
    this.#name(name);
    this.packer.value(value);
  }

  /** JSON text; or the number of the field that has the same, where texts are remembered. */
  text(name: string, text: string): void {
    if (text.length > textCharsMax) throw new RangeError('Invalid string length');
    this.#name(name);
    const known = this.texts?.find(text, this.names.length - 1);
    if (known !== undefined) return this.packer.number(known);
    this.packer.text(text, textFormatCode);
  }

  /** The JSON text of a payload. */
  payload(name: string, payload: Payload): void {
    const { bytes } = payload;
    if (bytes === undefined || this.texts !== undefined) return this.text(name, payload.text);
    this.#name(name);
    this.packer.startText(bytes.length, textFormatCode);
    this.#apart.set(this.names.length - 1, bytes);
    this.#bytesApart += bytes.length;
  }

  /** Begins a field that is a record of `length` values; `end` ends it. */
  start(name: string, length: number): Packer {
    this.#name(name);
    this.#record = this.packer.startRecord(length);
    return this.packer;
  }

  end(): void {
    this.packer.endRecord(this.#record);
  }

  /** Fields `from` up to `to` (excluded), names and values. */
  slice(from: number, to: number): PackedArguments {
    const { position } = this.packer;
    const start = this.#starts[from] ?? position;
    const end = this.#starts[to] ?? position;
    return { start, end, count: 2 * (Math.min(to, this.names.length) - from) };
  }

  #name(name: string): void {
    this.names.push(name);
    this.#starts.push(this.packer.position);
    this.packer.text(name);
  }
}
