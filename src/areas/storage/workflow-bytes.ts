// How much of the store each workflow takes: executions are counted exactly, bytes are estimated
// from the oldest and newest ones. An estimate costs a few calls per name and is kept for a while;
// the metric shows the newest one.
import type { ExecutionId } from '../../std/ids.js';
import { integer, text } from '../../model/field.js';
import { record, type Values } from '../../model/record.js';
import type { Clock } from '../../std/clock.js';
import type { SearchStore } from '../../store/search-store.js';

const size = {
  name: text({ required: true }),
  executions: integer({ about: 'Running and finished ones', required: true }),
  bytes: integer({ about: 'Estimate of their memory in the store', required: true }),
  sampled: integer({ about: 'Executions that the estimate looked at', required: true }),
};
export const workflowSize = record('WorkflowSize', size);
type WorkflowBytes = Values<typeof size>;

export interface WorkflowBytesParts {
  readonly clock: Clock;
  readonly search: Pick<SearchStore, 'page'>;
  readonly bytesOf: (ids: readonly ExecutionId[]) => Promise<number[]>;
  /** Registered definitions. */
  readonly names: () => readonly string[];
}

/** From each end of the index of a name. */
const sampledPerEnd = 20;
const keptMs = 60_000;
/** Names that the metric shows: those with the most bytes. */
const shownMax = 100;

export class WorkflowSizes {
  #newest: readonly WorkflowBytes[] = [];
  #lookedAt = -Infinity;
  #looking: Promise<readonly WorkflowBytes[]> | undefined;

  constructor(private readonly parts: WorkflowBytesParts) {}

  /** Most bytes first; at most a minute old. */
  async all(): Promise<readonly WorkflowBytes[]> {
    if (this.parts.clock.monotonic() - this.#lookedAt < keptMs) return this.#newest;
    this.#looking ??= this.#look().finally(() => (this.#looking = undefined));
    return await this.#looking;
  }

  /** Bytes by name as of the newest estimate, for the metric; asks for another when it is old. */
  shown(): Record<string, number> {
    this.all().catch(() => undefined);
    return Object.fromEntries(
      this.#newest.slice(0, shownMax).map(({ name, bytes }) => [name, bytes]),
    );
  }

  async #look(): Promise<readonly WorkflowBytes[]> {
    const found: WorkflowBytes[] = [];
    for (const name of this.parts.names()) found.push(await this.#sizeOf(name));
    found.sort((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1));
    this.#newest = found;
    this.#lookedAt = this.parts.clock.monotonic();
    return found;
  }

  async #sizeOf(name: string): Promise<WorkflowBytes> {
    const { search, bytesOf } = this.parts;
    const range = { names: [name], statuses: undefined, fromAt: undefined, untilAt: undefined };
    const asked = { start: 0, size: sampledPerEnd };
    const newest = await search.page(range, { newestFirst: true, ...asked });
    const oldest = await search.page(range, { newestFirst: false, ...asked });
    const entries = [...newest.entries, ...oldest.entries];
    const sizes = await bytesOf([...new Set(entries.map(({ id }) => id))]);
    const known = sizes.filter((bytes) => bytes > 0);
    const total = known.reduce((sum, bytes) => sum + bytes, 0);
    const bytes = known.length === 0 ? 0 : Math.round((total / known.length) * newest.total);
    return { name, executions: newest.total, bytes, sampled: known.length };
  }
}
