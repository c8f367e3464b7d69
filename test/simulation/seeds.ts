// Which seeds have a wider choice. What the simulation has learned since many seeds were run
// (faults, rates, events) is met by every fourth seed alone: the others go as they went before.

const wideEvery = 4;

export function isWide(seed: number): boolean {
  return seed % wideEvery === 0;
}
