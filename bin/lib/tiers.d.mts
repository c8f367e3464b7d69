// Types of tiers.mjs.

export interface TierGroup {
  readonly name: string;
  readonly why: string;
  /** How long its files take together, measured in a whole run with two files at once. */
  readonly seconds: number;
  /** Patterns of test files; each file is of one group at most. */
  readonly files: readonly string[];
  /** Patterns of paths whose change runs them; a change of the test files does so too. */
  readonly when: readonly string[];
}

export interface Tiers {
  /** What the files take together that are of no group. */
  readonly alwaysSeconds: number;
  /** What all files of a run of `npm test` may take together. */
  readonly secondsMax: number;
  readonly groups: readonly TierGroup[];
}

export interface Change {
  readonly base: string;
  readonly files: readonly string[];
}

export interface Choice {
  readonly run: readonly TierGroup[];
  /** Those that the change touches and that do not fit below the bound. */
  readonly beyond: readonly TierGroup[];
  readonly untouched: readonly TierGroup[];
  /** Of what runs each time and of the groups that run. */
  readonly seconds: number;
}

/** Of a report of vitest. */
export interface FileResult {
  readonly name: string;
  readonly startTime: number;
  readonly endTime: number;
}

export function readTiers(): Tiers;
export function chooseGroups(tiers: Tiers, change: Change | undefined): Choice;
export function fits(glob: string, file: string): boolean;
export function changeSinceLanding(folder?: string): Change | undefined;
export function noteWholeRun(passed: number, folder?: string): void;
export function describeChoice(choice: Choice, change: Change | undefined): string;
export function describeSeconds(
  tiers: Tiers,
  testResults: readonly FileResult[],
  folder?: string,
): string;
