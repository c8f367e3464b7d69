// Texts with wildcards, matched without backtracking over the whole text: the pieces between the stars are looked for from left to right, each
// at its first place, which finds a match whenever there is one (invariants S5).

const anyText = '*';
const anyCharacter = '?';

export class TextPattern {
  /** Pieces between the stars, at least one. */
  readonly #pieces: readonly Piece[];

  private constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  /** `*` stands for any text; `?` for one character where `questionMark` says so. A backslash makes the next character plain. */
  static parse(text: string, options: { questionMark: boolean; ignoreCase: boolean }): TextPattern {
    const pieces: Piece[] = [];
    let piece = new Piece();
    for (let i = 0; i < text.length; i++) {
      const character = text[i] as string;
      if (character === '\\' && i + 1 < text.length) piece.add(text[++i] as string, false, options);
      else if (character === anyText) {
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

  get length(): number {
    return this.#text.length;
  }

  add(character: string, isOpen: boolean, options: { ignoreCase: boolean }): void {
    if (isOpen) this.#open.add(this.#text.length);
    this.#text += options.ignoreCase ? character.toLowerCase() : character;
  }

  addPlain(character: string): void {
    this.#text += character;
  }

  fitsAt(text: string, at: number): boolean {
    if (this.#open.size === 0) return text.startsWith(this.#text, at);
    if (at < 0 || at + this.#text.length > text.length) return false;
    for (let i = 0; i < this.#text.length; i++) {
      if (!this.#open.has(i) && text[at + i] !== this.#text[i]) return false;
    }
    return true;
  }

  /** First place at or after `from`, -1 when there is none. */
  find(text: string, from: number): number {
    if (this.#open.size === 0) return text.indexOf(this.#text, from);
    for (let at = from; at + this.#text.length <= text.length; at++) {
      if (this.fitsAt(text, at)) return at;
    }
    return -1;
  }
}
