// How many executions of a workflow may run at the same time (contract-admin 9.7). One value stands
// behind both ways that clients set it: the rate limit routes and tags of type RATE_LIMIT.
import { AppError } from '../../model/errors.js';
import { RecordReader, refused } from '../../model/record-reader.js';
import type { Tag } from '../../model/tag.js';
import { rateLimitConfig, type RateLimitConfig } from '../../model/workflow-def.js';
import { jsonCodec, type RecordTable } from '../records/record-table.js';
import type { RecordTables } from '../records/record-tables.js';

export interface ExecutionLimit extends RateLimitConfig {
  /** Name of the workflow. */
  readonly name: string;
  /** Executions are counted per value of this text, which may hold expressions. */
  readonly rateLimitKey: string;
}

export class ExecutionLimits {
  readonly #table: RecordTable<ExecutionLimit>;

  constructor(tables: RecordTables) {
    this.#table = tables.open(jsonCodec<ExecutionLimit>('execution-limit', ({ name }) => name));
  }

  get(name: string): ExecutionLimit | undefined {
    return this.#table.get(name);
  }

  async put(limit: ExecutionLimit): Promise<void> {
    await this.#table.put(limit);
  }

  /** False when there was none. */
  async remove(name: string): Promise<boolean> {
    return await this.#table.remove(name);
  }

  /** The limit as the tag that stands for it. */
  tagOf(name: string): Tag[] {
    const limit = this.get(name);
    return limit === undefined
      ? []
      : [{ key: limit.rateLimitKey, value: limit.concurrentExecLimit, type: 'RATE_LIMIT' }];
  }

  /** Sets the limit that a tag stands for. Throws AppError 'bad-request'. */
  async putTag(name: string, tag: Tag): Promise<void> {
    const concurrentExecLimit = Number(tag.value);
    checkLimit(concurrentExecLimit, 'value');
    const policy = this.get(name)?.policy ?? 'QUEUE';
    await this.put({ name, rateLimitKey: tag.key, concurrentExecLimit, policy });
  }
}

/** Throws AppError 'bad-request'. */
export function parseExecutionLimit(input: unknown, name: string): ExecutionLimit {
  const reader = new RecordReader(input, '');
  const concurrentExecLimit = reader.integer('concurrentExecLimit', 0);
  checkLimit(concurrentExecLimit, 'concurrentExecLimit');
  const { policy } = rateLimitConfig.parse(input, '');
  return { name, rateLimitKey: reader.text('rateLimitKey') ?? name, concurrentExecLimit, policy };
}

function checkLimit(limit: number, field: string): void {
  if (Number.isSafeInteger(limit) && limit >= 1 && limit <= limitMax) return;
  throw refused(field, `must be a whole number from 1 to ${limitMax}`);
}

const limitMax = 1_000_000;

/** Throws AppError 'not-found'. */
export function requireLimit(limits: ExecutionLimits, name: string): ExecutionLimit {
  const limit = limits.get(name);
  if (limit !== undefined) return limit;
  throw new AppError('not-found', `Workflow ${name} has no rate limit`);
}
