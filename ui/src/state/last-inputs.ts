// The last inputs that were run from this browser, by definition.

const inputsMax = 5;
const keyOf = (name: string): string => `downbeat.inputs.${name}`;

/** JSON texts, newest first. */
export function lastInputs(name: string): readonly string[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(keyOf(name)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((each) => typeof each === 'string') : [];
  } catch {
    return [];
  }
}

export function rememberInput(name: string, text: string): void {
  const others = lastInputs(name).filter((each) => each !== text);
  localStorage.setItem(keyOf(name), JSON.stringify([text, ...others].slice(0, inputsMax)));
}
