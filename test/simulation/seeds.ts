// Which seeds have more than the first ones had. What the simulation has learned since many seeds
// were run is met by some seeds alone: the others go as they went before. Every fourth seed has a
// wider choice (faults, rates, events), every sixth one the world outside.

const wideEvery = 4;

export function isWide(seed: number): boolean {
  return seed % wideEvery === 0;
}

const punctualEvery = 3;

/** Whether a worker polls as punctually as can be once everything is mended (punctual.ts). */
export function isPunctual(seed: number): boolean {
  return seed % punctualEvery === 1;
}

const outsideEvery = 6;

/** Whether executions are also started, moved on and followed from outside (outside/visits.ts). */
export function meetsOutside(seed: number): boolean {
  return seed % outsideEvery === 0;
}
