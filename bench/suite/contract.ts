// The contract of a workload of the suite. It runs once on one subject, with the floor beside it,
// and says what it measured and what came out wrong. A time is never wrong; a result is.
import type { ApiClient } from '../../testkit/api-client.js';
import type { RunningServer, ServerSettings } from '../../testkit/server.js';

/** How much of each thing there is. */
export interface Sizes {
  /** Worker tasks of a flow. */
  readonly tasks: number;
  /** Branches, rounds and children of one execution. */
  readonly wide: number;
  /** Requests that are sent one by one. */
  readonly requests: number;
  /** Executions among which searches look. */
  readonly searched: number;
  readonly payloads: readonly number[];
  readonly polls: number;
  readonly waiting: number;
  readonly schedules: number;
}

/** A build of the server under measurement. */
export interface Subject {
  readonly name: string;
  /** Runs for all workloads that do not need one of their own. */
  readonly server: RunningServer;
  readonly client: ApiClient;
  /** Starts another server of this build. */
  start(settings?: Pick<ServerSettings, 'args'>): Promise<RunningServer>;
}

/** The findings of one run of a workload. */
export interface Found {
  /** By name with its unit, such as `us per task`. */
  readonly figures: Readonly<Record<string, number>>;
  /** The same work on the floor is 1: processor time, time or memory, as `of` says. */
  readonly multiple?: { readonly of: string; readonly value: number };
  /** Sentences about wrong results. */
  readonly wrong: readonly string[];
}

export interface Workload {
  readonly name: string;
  readonly about: string;
  run(subject: Subject, sizes: Sizes): Promise<Found>;
}

/** None where the floor's is below what the system measures: a run was too short. */
export function multipleOf(of: string, value: number, floor: number): Pick<Found, 'multiple'> {
  return floor > 0 ? { multiple: { of, value: value / floor } } : {};
}

/** Sentences for what does not hold. */
export function wrongIf(...checks: readonly (readonly [boolean, string])[]): string[] {
  return checks.filter(([isWrong]) => isWrong).map(([, sentence]) => sentence);
}
