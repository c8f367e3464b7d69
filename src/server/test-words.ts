// Words of the command line that only a test server knows: `--clock auto` and `--seed N`. All
// others are settings of the server.
import type { TestSetup } from './test-parts.js';

interface TestWords {
  readonly setup: TestSetup;
  /** The remaining words: settings of the server. */
  readonly words: readonly string[];
  /** A sentence about the first wrong word; undefined: all are right. */
  readonly refusal: string | undefined;
}

const seedMax = Number.MAX_SAFE_INTEGER;

export function testSetupOf(given: readonly string[]): TestWords {
  const words: string[] = [];
  let isAuto = false;
  let seed: number | undefined;
  let refusal: string | undefined;
  for (let i = 0; i < given.length; i++) {
    const word = given[i] as string;
    const [name = '', inline] = splitAt(word, '=');
    if (name !== '--clock' && name !== '--seed') {
      words.push(word);
      continue;
    }
    const value = inline ?? given[++i];
    if (name === '--clock') {
      if (value === 'auto' || value === 'manual') isAuto = value === 'auto';
      else refusal ??= `--clock must be auto or manual, not ${shown(value)}`;
    } else if (value !== undefined && /^\d{1,16}$/.test(value) && Number(value) <= seedMax) {
      seed = Number(value);
    } else {
      refusal ??= `--seed must be a whole number from 0 to ${seedMax}, not ${shown(value)}`;
    }
  }
  return { setup: { isAuto, seed }, words, refusal };
}

function splitAt(word: string, sign: string): [string, string?] {
  const at = word.indexOf(sign);
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function shown(value: string | undefined): string {
  return value === undefined ? 'nothing' : `'${value}'`;
}
