// Bounds what one answer may hold: its parts are counted while they are read, so that a call for
// many large executions is refused before the node's memory is full of them, or its text longer
// than a string can be.
import { AppError } from '../model/errors.js';

/**
 * Characters of an answer that lists executions or tasks; such an answer takes about a second to
 * send.
 */
const listCharsMax = 128 * 1024 * 1024;

export class AnswerSize {
  #chars = 0;

  constructor(private readonly charsMax = listCharsMax) {}

  /** Gives back `text`. Throws AppError 'bad-request' when the answer becomes too long with it. */
  add(text: string): string {
    this.note(text);
    this.check();
    return text;
  }

  note(text: string): void {
    this.#chars += text.length;
  }

  get isPassed(): boolean {
    return this.#chars > this.charsMax;
  }

  /** Throws AppError 'bad-request' when the answer has become too long. */
  check(): void {
    if (!this.isPassed) return;
    throw new AppError(
      'bad-request',
      `The answer would be longer than ${this.charsMax} characters: ask for fewer executions or tasks at once`,
    );
  }
}
