// Reads the words of a jq program one after the other; the base of the parser (parse.ts).
import { JqSyntaxError, type Token } from './lex.js';

export class TokenReader {
  /** Index of the next word. */
  protected at = 0;

  constructor(readonly tokens: readonly Token[]) {}

  protected unexpected(): never {
    const token = this.tokens[this.at];
    const what =
      token === undefined ? 'end of file' : token.kind === 'text' ? 'string' : `"${token.text}"`;
    const where = token === undefined ? '' : ` at character ${token.at + 1}`;
    throw new JqSyntaxError(`syntax error, unexpected ${what}${where}`);
  }

  protected isSymbol(text: string, offset = 0): boolean {
    const token = this.tokens[this.at + offset];
    return token?.kind === 'symbol' && token.text === text;
  }

  protected takeSymbol(text: string): boolean {
    if (!this.isSymbol(text)) return false;
    this.at++;
    return true;
  }

  protected expectSymbol(text: string): void {
    if (!this.takeSymbol(text)) this.unexpected();
  }

  protected takeKeyword(text: string): boolean {
    const token = this.tokens[this.at];
    if (token?.kind !== 'keyword' || token.text !== text) return false;
    this.at++;
    return true;
  }

  protected expectKeyword(text: string): void {
    if (!this.takeKeyword(text)) this.unexpected();
  }

  protected take(kind: 'name' | 'field' | 'variable' | 'format' | 'number'): string | undefined {
    const token = this.tokens[this.at];
    if (token?.kind !== kind) return undefined;
    this.at++;
    return token.text;
  }
}
