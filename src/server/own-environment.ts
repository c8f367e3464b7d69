// The environment of the process, as far as the setting `environmentNames` lets it be read.

/** Values of the variables that are named; undefined for all others. */
export function ownEnvironment(names: readonly string[]): (name: string) => string | undefined {
  const readable = new Set(names);
  return (name) => (readable.has(name) ? process.env[name] : undefined);
}
