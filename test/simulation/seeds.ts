// Which seeds have a wider choice. What the simulation has learned since many seeds were run (faults,
// definitions with rates) is met by every fourth seed alone: all others go the way they always went.

const wideEvery = 4;

export function isWide(seed: number): boolean {
  return seed % wideEvery === 0;
}
