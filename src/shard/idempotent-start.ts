// Starts under an idempotency key (semantics 8.1, architecture section 3). The key's record lives
// in the shard that hash(name, key) names and holds the current execution and a counter; the
// execution's id is an HMAC of (deployment secret, name, key, counter) with that shard's bits, so
// record and execution change in one commit, and a start that is repeated after an unclear outcome
// meets the same id.
import { createHash, createHmac } from 'node:crypto';
import { executionIdOf, type ExecutionId } from '../std/ids.js';
import { KeyedChain } from '../std/keyed-chain.js';
import { AppError } from '../model/errors.js';
import type { WorkflowStatus } from '../model/status.js';
import type { StartRequest } from './executions.js';

export interface IdempotentStartParts {
  secret: () => Buffer;
  shards: number;
  record: (
    shard: number,
    name: string,
    key: string,
  ) => Promise<{ executionId: ExecutionId; counter: number } | undefined>;
  /** undefined when there is no such execution any more. */
  statusOf: (id: ExecutionId) => Promise<WorkflowStatus | undefined>;
  start: (
    id: ExecutionId,
    request: StartRequest,
    idempotency: { name: string; key: string; counter: number },
  ) => Promise<void>;
}

export class IdempotentStart {
  /** One start per key at a time; the shard has one owner, so this is enough. */
  readonly #turns = new KeyedChain();

  constructor(private readonly parts: IdempotentStartParts) {}

  /**
   * The id of the started or, with RETURN_EXISTING, of the existing execution. Refuses with
   * AppError 'conflict'.
   */
  async start(
    request: StartRequest,
    idempotency: NonNullable<StartRequest['idempotency']>,
  ): Promise<ExecutionId> {
    const { name } = request.snapshot.def;
    const turn = `${name}\u0000${idempotency.key}`;
    return this.#turns.run(turn, () => this.#start(name, request, idempotency));
  }

  async #start(
    name: string,
    request: StartRequest,
    { key, strategy }: NonNullable<StartRequest['idempotency']>,
  ): Promise<ExecutionId> {
    const digest = createHash('sha256').update(`${name}\u0000${key}`).digest();
    const shard = digest.readUInt16BE(0) % this.parts.shards;
    const record = await this.parts.record(shard, name, key);
    if (record !== undefined) {
      const status = await this.parts.statusOf(record.executionId);
      if (status !== undefined) {
        if (strategy === 'RETURN_EXISTING') return record.executionId;
        const running = status === 'RUNNING' || status === 'PAUSED';
        if (strategy === 'FAIL' || running) throw conflict(name, key, record.executionId);
      }
    }
    const counter = (record?.counter ?? 0) + 1;
    const bytes = createHmac('sha256', this.parts.secret())
      .update(`${name}\u0000${key}\u0000${counter}`)
      .digest();
    const id = executionIdOf(shard, bytes);
    await this.parts.start(id, request, { name, key, counter });
    return id;
  }
}

function conflict(name: string, key: string, id: string): AppError {
  return new AppError(
    'conflict',
    `Workflow ${name} with idempotency key '${key}' already exists: ${id}`,
  );
}
