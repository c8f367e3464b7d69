// The rule files that this server keeps, so that not every BUSINESS_RULE loads its file again. A
// file is kept for the time that the task that loads it asks for, and no task is given one that is
// older than it asks for itself: else anybody could keep the old rules of others. Files used
// longest ago make room.
import {
  type Json,
  type JsonMap,
  numberFrom,
  textFrom,
  isGiven,
  type PluginServices,
} from '@downbeat/plugin';
import { ruleFileBytesMax, RuleFileError, ruleFormatOf, type RuleTable } from './rule-table.js';
import type { TableOrder } from './table-program.js';

const program = new URL('./table-program.js', import.meta.url);
/** Cells of all files that are kept. */
const cellsKeptMax = 1_000_000;
const cacheMinutes = 60;
const readTimeoutMs = 30_000;

export type RuleFileServices = Pick<PluginServices, 'client' | 'isolatedJobs' | 'clock'>;

interface KeptFile {
  readonly table: RuleTable;
  readonly cells: number;
  /** Monotonic ms. */
  readonly loadedAt: number;
  readonly until: number;
}

export class RuleFiles {
  /** By address, those used longest ago first. */
  readonly #kept = new Map<string, KeptFile>();
  #cells = 0;

  constructor(private readonly services: RuleFileServices) {}

  /** The file that a task names. Rejects with RuleFileError or OutboundError. */
  async table(input: JsonMap, signal: AbortSignal): Promise<RuleTable> {
    const address = textFrom(input['ruleFileLocation'] ?? '');
    if (!URL.canParse(address)) throw new RuleFileError('ruleFileLocation is no address');
    const kept = this.#kept.get(address);
    if (kept !== undefined) this.#forget(address, kept);
    const { clock } = this.services;
    const lifeMs = lifeMsOf(input['cacheTimeoutMinutes']);
    if (kept !== undefined && clock.monotonic() < Math.min(kept.until, kept.loadedAt + lifeMs)) {
      this.#keep(address, kept);
      return kept.table;
    }
    const table = await this.#load(new URL(address), signal);
    const loadedAt = clock.monotonic();
    const cells = table.rows.reduce((sum, row) => sum + row.length, 0);
    this.#keep(address, { table, cells, loadedAt, until: loadedAt + lifeMs });
    return table;
  }

  async #load(url: URL, signal: AbortSignal): Promise<RuleTable> {
    const answer = await this.services.client.request({
      ...{ url, method: 'GET', body: undefined, headers: new Map(), followRedirects: true, signal },
      connectTimeoutMs: readTimeoutMs,
      readTimeoutMs,
    });
    if (answer.statusCode !== 200) {
      throw new RuleFileError(`${url.href} answered with status ${answer.statusCode}`);
    }
    const type = Object.entries(answer.headers).find(([name]) => /^content-type$/i.test(name));
    const format = ruleFormatOf(url, type?.[1][0] ?? '');
    if (format === undefined) {
      throw new RuleFileError('neither its name nor its content type says csv or xlsx');
    }
    const bytes = answer.body;
    if (bytes.length > ruleFileBytesMax) {
      throw new RuleFileError(`it has more than ${ruleFileBytesMax} bytes`);
    }
    try {
      const order: TableOrder = { bytes, format };
      return (await this.services.isolatedJobs.run(program, order, signal)) as RuleTable;
    } catch (cause) {
      throw new RuleFileError(cause instanceof Error ? cause.message : String(cause), { cause });
    }
  }

  #keep(address: string, file: KeptFile): void {
    const replaced = this.#kept.get(address);
    if (replaced !== undefined) this.#forget(address, replaced);
    this.#kept.set(address, file);
    this.#cells += file.cells;
    for (const [oldest, { cells }] of this.#kept) {
      if (this.#cells <= cellsKeptMax) break;
      this.#kept.delete(oldest);
      this.#cells -= cells;
    }
  }

  #forget(address: string, { cells }: KeptFile): void {
    this.#kept.delete(address);
    this.#cells -= cells;
  }
}

function lifeMsOf(minutes: Json | undefined): number {
  const given = isGiven(minutes) ? numberFrom(minutes) : cacheMinutes;
  return (given >= 0 ? given : cacheMinutes) * 60_000;
}
