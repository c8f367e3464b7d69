// Starts under an idempotency key (semantics 8.1, architecture section 3). The key's record lives
// in the shard that hash(name, key) names and holds the current execution and a counter; the
// execution's id is an HMAC of (deployment secret, name, key, counter) with that shard's bits, so
// record and execution change in one commit, and a start that is repeated after an unclear outcome
// meets the same id.
import { createHash, createHmac } from 'node:crypto';
import { executionIdOf, type ExecutionId } from '../std/ids.js';
import { KeyedChain } from '../std/keyed-chain.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { AppError } from '../model/errors.js';
import { nameOfKeys } from '../model/name-registration.js';
import type { WorkflowStatus } from '../model/status.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { Executions, StartRequest } from './executions.js';
import type { StartExecution } from './start-execution.js';

export interface IdempotentStartParts {
  /** Of the deployment: ids cannot be guessed from keys. */
  readonly secret: Buffer;
  readonly shards: number;
  readonly store: Pick<ExecutionStore, 'idempotency'>;
  readonly executions: Pick<Executions, 'read'>;
  readonly starts: StartExecution;
}

/**
 * The shard that holds the record of a key, and the executions that are started under it. `name`:
 * `nameOfKeys`.
 */
export function idempotencyShard(name: string, key: string, shards: number): number {
  const digest = createHash('sha256').update(`${name}\u0000${key}`).digest();
  return digest.readUInt16BE(0) % shards;
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
    const name = nameOfKeys(request.snapshot.def.name, request.attributes.nameOwner);
    const turn = `${name}\u0000${idempotency.key}`;
    return this.#turns.run(turn, () => this.#start(name, request, idempotency));
  }

  async #start(
    name: string,
    request: StartRequest,
    { key, strategy }: NonNullable<StartRequest['idempotency']>,
  ): Promise<ExecutionId> {
    const shard = idempotencyShard(name, key, this.parts.shards);
    const record = await this.parts.store.idempotency(shard, name, key);
    if (record !== undefined) {
      const { executionId } = record;
      const status = await this.parts.executions.read(executionId, statusOf);
      if (status !== undefined) {
        if (strategy === 'RETURN_EXISTING') return record.executionId;
        const running = status === 'RUNNING' || status === 'PAUSED';
        if (strategy === 'FAIL' || running) {
          throw conflict(request.snapshot.def.name, key, record.executionId);
        }
      }
    }
    const counter = (record?.counter ?? 0) + 1;
    const bytes = createHmac('sha256', this.parts.secret)
      .update(`${name}\u0000${key}\u0000${counter}`)
      .digest();
    const id = executionIdOf(shard, bytes);
    await this.parts.starts.startAs(id, request, { name, key, counter });
    return id;
  }
}

function statusOf(open: OpenExecution): WorkflowStatus {
  return open.execution.state.status;
}

function conflict(name: string, key: string, id: string): AppError {
  return new AppError(
    'conflict',
    `Workflow ${name} with idempotency key '${key}' already exists: ${id}`,
  );
}
