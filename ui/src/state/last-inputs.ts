// The last inputs that were run from this browser, by definition.

import { keep, kept } from './browser-store';

const inputsMax = 5;
/** Larger ones would fill what a browser keeps for a page. */
const inputCharsMax = 100_000;
const keyOf = (name: string): string => `downbeat.inputs.${name}`;

/** JSON texts, newest first. */
export function lastInputs(name: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(kept(keyOf(name)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

export function rememberInput(name: string, text: string): void {
  if (text.length > inputCharsMax) return;
  const others = lastInputs(name).filter((each) => each !== text);
  keep(keyOf(name), JSON.stringify([text, ...others].slice(0, inputsMax)));
}
