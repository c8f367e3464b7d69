// The check of a live keyspace (docs/fsck.md): are the promises of invariants section 4 kept by
// what is stored? Two passes tell a lasting violation from a difference that is only under way:
// what the first pass finds wrong is inspected again some seconds later, longer than any ordinary
// step takes. A fault in both is reported, and repaired when that is asked for; then a third pass
// tells what the repair has mended.
//
// Everything is read in slices; nothing holds Redis up, and beside the suspects nothing is kept in
// memory.
import { sleep, type Clock } from '../std/clock.js';
import { humanTasksCheck } from './human-tasks.js';
import type { Check, FsckParts, Suspect } from './check.js';
import { namedEntriesCheck, partitionEntriesCheck } from './entries.js';
import { executionsCheck } from './executions.js';
import { findingKinds, nameOf, type Finding } from './finding.js';
import { leftoversCheck } from './leftovers.js';
import { limitedLeasesCheck, slotsCheck } from './limits.js';
import { loadMarksCheck } from './load-marks.js';
import { nodesCheck, ownersCheck } from './ownership.js';
import { queueListCheck } from './queue-list.js';
import { queueMembersCheck } from './queue-members.js';
import { permitsCheck } from './permits.js';
import type { ExecutionCheck } from './read-execution.js';
import { snapshotsCheck } from './snapshots.js';
import { partsOf } from '../std/parts.js';

/** The kernel's checks. */
function checksOf(parts: FsckParts, ofAreas: readonly ExecutionCheck[]): Check<unknown>[] {
  return [
    executionsCheck(parts, ofAreas),
    namedEntriesCheck(parts),
    queueListCheck(parts),
    slotsCheck(parts),
    permitsCheck(parts),
    leftoversCheck(parts),
    loadMarksCheck(parts),
    nodesCheck(parts),
    partitionEntriesCheck(parts),
    queueMembersCheck(parts),
    limitedLeasesCheck(parts),
    snapshotsCheck(parts),
    ownersCheck(parts),
    humanTasksCheck(parts),
  ] as Check<unknown>[];
}

export interface FsckOptions {
  readonly clock: Clock;
  /** Between two passes. */
  readonly settleMs: number;
  readonly repairs: boolean;
  /** Suspects of the first pass that are kept; what is found beyond them waits for the next run. */
  readonly suspectsMax: number;
  /** Ends the walk early; the report is then not complete. */
  readonly isOver?: () => boolean;
}

export const repairNames = [
  /** It was gone at the third pass. */
  'mended',
  /** The owner of the execution is asked to mend it. */
  'asked',
  /** A repair was tried and has changed nothing: something has moved, or it cannot be. */
  'left',
  /** Nothing can be derived from what is stored. */
  'none',
  /** No repair was asked for, and there is one. */
  'possible',
] as const;
export type Repair = (typeof repairNames)[number];

export interface Violation extends Pick<Finding, 'kind' | 'subject' | 'keys' | 'sentence'> {
  /** Promise that it breaks (invariants section 4). */
  readonly invariant: string;
  readonly repair: Repair;
}

export interface FsckReport {
  readonly violations: readonly Violation[];
  /** The number of inspected subjects, by check. */
  readonly inspected: { readonly [check: string]: number };
  /** Found at the first pass and gone at the second. */
  readonly passing: number;
  /** False when the walk ended before its end, or more was wrong than is reported. */
  readonly complete: boolean;
}

export interface AreaChecks {
  readonly checks: readonly Check<unknown>[];
  /** Compared with each execution that is read. */
  readonly ofExecutions: readonly ExecutionCheck[];
  /** Their findings, by kind, each with the promise that it breaks. */
  readonly findings: Readonly<Record<string, string>>;
}

export class Fsck {
  readonly #checks: Check<unknown>[];
  readonly #promises: Readonly<Record<string, string>>;
  readonly #inspected = new Map<string, number>();
  readonly #suspects = new Map<Check<unknown>, Map<string, Suspect<unknown>>>();
  #kept = 0;
  #isComplete = true;

  constructor(
    private readonly parts: FsckParts,
    areas: AreaChecks,
    private readonly options: FsckOptions,
  ) {
    this.#checks = [...checksOf(parts, areas.ofExecutions), ...areas.checks] as Check<unknown>[];
    this.#promises = { ...findingKinds, ...areas.findings };
  }

  async run(): Promise<FsckReport> {
    await this.#walkKeys();
    for (const check of this.#checks) await this.#walk(check);
    const lasting = await this.#secondPass();
    const violations: Violation[] = [];
    for (const [check, suspects] of lasting) {
      violations.push(...(await this.#repair(check, suspects)));
    }
    return {
      violations,
      inspected: Object.fromEntries(this.#inspected),
      passing: this.#kept - violations.length,
      complete: this.#isComplete,
    };
  }

  get #isOver(): boolean {
    if (this.options.isOver?.() !== true) return false;
    this.#isComplete = false;
    return true;
  }

  async #walkKeys(): Promise<void> {
    for await (const keys of this.parts.reader.keys()) {
      for (const check of this.#checks) {
        const subjects = await check.ofKeys?.(keys);
        if (subjects !== undefined) await this.#inspect(check, subjects);
      }
      if (this.#isOver) return;
    }
  }

  async #walk(check: Check<unknown>): Promise<void> {
    if (check.walk === undefined) return;
    for await (const subjects of check.walk()) {
      if (this.#isOver) return;
      await this.#inspect(check, subjects);
    }
  }

  async #inspect(check: Check<unknown>, subjects: readonly unknown[]): Promise<void> {
    if (subjects.length === 0) return;
    this.#inspected.set(check.name, (this.#inspected.get(check.name) ?? 0) + subjects.length);
    for (const suspect of await check.inspect(subjects)) this.#keep(check, suspect);
  }

  #keep(check: Check<unknown>, suspect: Suspect<unknown>): void {
    let known = this.#suspects.get(check);
    if (known === undefined) this.#suspects.set(check, (known = new Map()));
    const name = nameOf(suspect.finding);
    if (known.has(name)) return;
    if (this.#kept >= this.options.suspectsMax) {
      this.#isComplete = false;
      return;
    }
    this.#kept += 1;
    known.set(name, suspect);
  }

  /** Those that are still wrong, as they are now. */
  async #secondPass(): Promise<Map<Check<unknown>, Suspect<unknown>[]>> {
    const lasting = new Map<Check<unknown>, Suspect<unknown>[]>();
    if (this.#kept > 0) await sleep(this.options.clock, this.options.settleMs);
    for (const [check, suspects] of this.#suspects) {
      lasting.set(check, await inspectAgain(check, [...suspects.values()]));
    }
    return lasting;
  }

  async #repair(
    check: Check<unknown>,
    suspects: readonly Suspect<unknown>[],
  ): Promise<Violation[]> {
    if (!this.options.repairs) {
      return suspects.map(({ finding }) =>
        this.#violation(finding, finding.mend === undefined ? 'none' : 'possible'),
      );
    }
    for (const { finding } of suspects) await finding.mend?.();
    const left = new Set(
      (await inspectAgain(check, suspects)).map(({ finding }) => nameOf(finding)),
    );
    return suspects.map(({ finding }) => {
      if (finding.mend === undefined) return this.#violation(finding, 'none');
      if (finding.byOwner === true) return this.#violation(finding, 'asked');
      return this.#violation(finding, left.has(nameOf(finding)) ? 'left' : 'mended');
    });
  }

  #violation({ kind, subject, keys, sentence }: Finding, repair: Repair): Violation {
    const invariant = this.#promises[kind];
    if (invariant === undefined) throw new Error(`No promise is named for the finding ${kind}`);
    return { kind, invariant, subject, keys, sentence, repair };
  }
}

const subjectsPerCall = 100;

/** Those of `suspects` that are still found; their subjects are inspected once each. */
async function inspectAgain(
  check: Check<unknown>,
  suspects: readonly Suspect<unknown>[],
): Promise<Suspect<unknown>[]> {
  const names = new Set(suspects.map(({ finding }) => nameOf(finding)));
  const subjects = new Map(suspects.map(({ subject }) => [JSON.stringify(subject), subject]));
  const all = [...subjects.values()];
  const found = new Map<string, Suspect<unknown>>();
  for (const some of partsOf(all, subjectsPerCall)) {
    for (const suspect of await check.inspect(some)) {
      const name = nameOf(suspect.finding);
      if (names.has(name)) found.set(name, suspect);
    }
  }
  return [...found.values()];
}

/** The check of a keyspace with what all areas check, ready to be run. */
export interface KeyspaceCheck {
  readonly prepare: (options: FsckOptions) => Pick<Fsck, 'run'>;
  /** Between two passes, ms. */
  readonly settleMs: number;
  /** Kinds of what the checks of areas can find. */
  readonly areaFindings: readonly string[];
}
