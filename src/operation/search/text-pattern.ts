// Texts with wildcards, matched without backtracking over the whole text: the pieces between the
// stars are looked for from left to right, each at its first place, which finds a match whenever
// there is one (invariants S5). A piece is looked for in time that does not grow with its length
// times that of the text: `indexOf` alone took 39 s for 7,000 characters in 9 MB of one letter.
import { AppError } from '../../model/errors.js';

/**
 * Each piece between stars is a search of its own, which costs more than reading a character.
 * This bounds the steps of a pattern on one text.
 */
export const starsMax = 64;

function tooManyStars(): AppError {
  const message = `A pattern of a search may have at most ${starsMax} stars (*)`;
  return new AppError('bad-request', message);
}

const anyText = '*';
const anyCharacter = '?';

export class TextPattern {
  /** Pieces between the stars, at least one. */
  readonly #pieces: readonly Piece[];

  private constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /**
   * `*` stands for any text; `?` for one character where `questionMark` says so. A backslash makes
   * the next character plain. Throws AppError 'bad-request' for more than `starsMax` stars.
   */
  static parse(text: string, options: { questionMark: boolean; ignoreCase: boolean }): TextPattern {
    const pieces: Piece[] = [];
    let piece = new Piece();
    let stars = 0;
    for (let i = 0; i < text.length; i++) {
      const character = text[i] as string;
      if (character === '\\' && i + 1 < text.length) piece.add(text[++i] as string, false, options);
      else if (character === anyText) {
        // Stars side by side stand for what one stands for.
        if (pieces.length > 0 && piece.length === 0) continue;
        if (++stars > starsMax) throw tooManyStars();
        pieces.push(piece);
        piece = new Piece();
      } else piece.add(character, options.questionMark && character === anyCharacter, options);
    }
    pieces.push(piece);
    return new TextPattern(pieces);
  }

  /** A plain text that may stand anywhere in the other, in any case. */
  static containing(text: string): TextPattern {
    const piece = new Piece();
    for (const character of text.toLowerCase()) piece.addPlain(character);
    return new TextPattern([new Piece(), piece, new Piece()]);
  }

  /** With other letters, of which there must be as many. */
  mapped(map: (text: string) => string): TextPattern {
    return new TextPattern(this.#pieces.map((piece) => piece.mapped(map)));
  }

  /** A plain text that may stand anywhere: it fits where `longest` does. */
  get isPlain(): boolean {
    const [first, middle, last] = this.#pieces;
    const isBare = this.#pieces.length === 3 && first?.length === 0 && last?.length === 0;
    return isBare && middle?.longest.length === middle?.length;
  }

  /** Texts that stand in whatever fits; none for wildcards alone. */
  get parts(): string[] {
    return this.#pieces.map((piece) => piece.longest).filter((text) => text !== '');
  }

  /** Looks at each character of a text; more with many `?`. */
  get looksPerChar(): number {
    return Math.max(...this.#pieces.map((piece) => piece.looksPerChar));
  }

  /** Whether the whole of `text` fits; `text` in lower case where the pattern ignores case. */
  matches(text: string): boolean {
    const [first, ...rest] = this.#pieces as readonly [Piece, ...Piece[]];
    const last = rest.pop();
    if (last === undefined) return first.length === text.length && first.fitsAt(text, 0);
    if (!first.fitsAt(text, 0)) return false;
    let from = first.length;
    for (const piece of rest) {
      const at = piece.find(text, from);
      if (at < 0) return false;
      from = at + piece.length;
    }
    const lastAt = text.length - last.length;
    return lastAt >= from && last.fitsAt(text, lastAt);
  }
}

/** A text in which some characters may be anything. */
class Piece {
  #text = '';
  /** Positions that may be anything. */
  readonly #open = new Set<number>();
  #borders: Int32Array | undefined;
  #codes: Uint16Array | undefined;
  #masks: Masks | undefined;

  get length(): number {
    return this.#text.length;
  }

  add(character: string, isOpen: boolean, options: { ignoreCase: boolean }): void {
    if (isOpen) this.#open.add(this.#text.length);
    this.#text += options.ignoreCase ? character.toLowerCase() : character;
  }

  /** The longest part without characters that may be anything. */
  get longest(): string {
    if (this.#open.size === 0) return this.#text;
    let most = '';
    let start = 0;
    for (let i = 0; i <= this.#text.length; i++) {
      if (i < this.#text.length && !this.#open.has(i)) continue;
      if (i - start > most.length) most = this.#text.slice(start, i);
      start = i + 1;
    }
    return most;
  }

  addPlain(character: string): void {
    this.#text += character;
  }

  mapped(map: (text: string) => string): Piece {
    const piece = new Piece();
    piece.#text = map(this.#text);
    for (const at of this.#open) piece.#open.add(at);
    return piece;
  }

  fitsAt(text: string, at: number): boolean {
    if (this.#open.size === 0) return text.startsWith(this.#text, at);
    if (at < 0 || at + this.#text.length > text.length) return false;
    for (let i = 0; i < this.#text.length; i++) {
      if (!this.#open.has(i) && text[at + i] !== this.#text[i]) return false;
    }
    return true;
  }

  get looksPerChar(): number {
    if (this.#open.size === 0) return this.#text.length <= shortCharsMax ? 1 : 4;
    return 4 * Math.ceil(this.#text.length / bitsPerWord);
  }

  /** First place at or after `from`, -1 when there is none. */
  find(text: string, from: number): number {
    if (this.#open.size > 0) return this.#findOpen(text, from);
    if (this.#text.length <= shortCharsMax) return text.indexOf(this.#text, from);
    const at = text.indexOf(this.#text.slice(0, shortCharsMax), from);
    return at < 0 ? -1 : this.#findLong(text, at);
  }

  /** Knuth, Morris and Pratt: no character of the text is looked at twice. */
  #findLong(text: string, from: number): number {
    const sought = (this.#codes ??= codesOf(this.#text));
    const borders = (this.#borders ??= bordersOf(sought));
    let fit = 0;
    for (let i = from; i < text.length; i++) {
      const code = text.charCodeAt(i);
      while (fit > 0 && sought[fit] !== code) fit = borders[fit - 1] as number;
      if (sought[fit] === code) fit++;
      if (fit === sought.length) return i - fit + 1;
    }
    return -1;
  }

  /**
   * Bit n of the state says that the last n + 1 characters fit the first n + 1 of the piece
   * (shift-and).
   */
  #findOpen(text: string, from: number): number {
    const { length } = this.#text;
    const { ofCode, ofOther } = (this.#masks ??= this.#toMasks());
    const state = new Int32Array(ofOther.length);
    const last = state.length - 1;
    const end = 1 << ((length - 1) % bitsPerWord);
    for (let i = from; i < text.length; i++) {
      const mask = ofCode.get(text.charCodeAt(i)) ?? ofOther;
      let carry = 1;
      for (let word = 0; word <= last; word++) {
        const bits = state[word] as number;
        state[word] = ((bits << 1) | carry) & (mask[word] as number);
        carry = bits >>> (bitsPerWord - 1);
      }
      if (((state[last] as number) & end) !== 0) return i - length + 1;
    }
    return -1;
  }

  #toMasks(): Masks {
    const words = Math.ceil(this.#text.length / bitsPerWord);
    const ofOther = new Int32Array(words);
    const add = (mask: Int32Array, at: number): void => {
      const word = Math.floor(at / bitsPerWord);
      mask[word] = (mask[word] as number) | (1 << (at % bitsPerWord));
    };
    for (const at of this.#open) add(ofOther, at);
    const ofCode = new Map<number, Int32Array>();
    for (let at = 0; at < this.#text.length; at++) {
      if (this.#open.has(at)) continue;
      const code = this.#text.charCodeAt(at);
      let mask = ofCode.get(code);
      if (mask === undefined) ofCode.set(code, (mask = ofOther.slice()));
      add(mask, at);
    }
    return { ofCode, ofOther };
  }
}

/** Up to this length `indexOf` is quick whatever the texts. */
const shortCharsMax = 16;
const bitsPerWord = 32;

/** Positions at which a character may stand, as bits. */
interface Masks {
  readonly ofCode: ReadonlyMap<number, Int32Array>;
  /** Of a character that the piece does not hold. */
  readonly ofOther: Int32Array;
}

/** For each prefix the length of its longest proper prefix that also ends it. */
function bordersOf(text: Uint16Array): Int32Array {
  const borders = new Int32Array(text.length);
  let length = 0;
  for (let i = 1; i < text.length; i++) {
    while (length > 0 && text[i] !== text[length]) length = borders[length - 1] as number;
    if (text[i] === text[length]) length++;
    borders[i] = length;
  }
  return borders;
}

function codesOf(text: string): Uint16Array {
  const codes = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) codes[i] = text.charCodeAt(i);
  return codes;
}
