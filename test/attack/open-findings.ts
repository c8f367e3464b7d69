// Findings that are known and not mended yet: they are told and do not fail the test. An entry goes
// with the change that mends it; one that nothing matches any more is told too.
export const openFindings: readonly RegExp[] = [
  // Restarts cost as much as starts, and bulk jobs have no bound of their own in a node's time:
  // reads of others took 27 to 29 ms of the processor at p90 beside them.
  /bulk-restarts: (reads|starts) of others/,
];

/** Findings that nobody knows of yet. */
export function newFindings(findings: readonly string[]): string[] {
  return findings.filter((text) => !openFindings.some((open) => open.test(text)));
}

/** Entries that no finding needs any more. */
export function mendedFindings(findings: readonly string[]): string[] {
  const unused = openFindings.filter((open) => !findings.some((text) => open.test(text)));
  return unused.map(({ source }) => source);
}
