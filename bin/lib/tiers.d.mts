// Types of tiers.mjs.

export interface TierGroup {
  readonly name: string;
  readonly why: string;
  /** Patterns of test files; each file is of one group at most. */
  readonly files: readonly string[];
  /** Patterns of paths whose change runs them; a change of the test files does so too. */
  readonly when: readonly string[];
}

export interface Change {
  readonly base: string;
  readonly files: readonly string[];
}

export interface Choice {
  readonly run: readonly TierGroup[];
  readonly leftOut: readonly TierGroup[];
}

export function tierGroups(): readonly TierGroup[];
export function chooseGroups(groups: readonly TierGroup[], change: Change | undefined): Choice;
export function fits(glob: string, file: string): boolean;
export function changeSinceLanding(folder?: string): Change | undefined;
export function noteWholeRun(passed: number, folder?: string): void;
export function describeChoice(choice: Choice, change: Change | undefined): string;
