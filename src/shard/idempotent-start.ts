// Starts under an idempotency key (semantics 8.1, architecture section 3). The key's record lives
// in the shard that hash(name, key) names and holds the current execution and a counter; the
// execution's id is an HMAC of (deployment secret, name, key, counter) with that shard's bits, so
// record and execution change in one commit, and a start that is repeated after an unclear outcome
// meets the same id.
//
// A name may have been registered anew since the key was used: then the execution may belong to
// others, and its id is told to nobody who begins under the new registration (docs/access.md).
import { createHash, createHmac } from 'node:crypto';
import { executionIdOf, type ExecutionId } from '../std/ids.js';
import { KeyedChain } from '../std/keyed-chain.js';
import { illFormedMessage, isWellFormed } from '../std/well-formed.js';
import { AppError, wrongField } from '../model/errors.js';
import type { ExecutionAttributes } from '../model/execution.js';
import { earlierRegistration, nameOfKeys } from '../model/name-registration.js';
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
   * AppError 'conflict', and 'bad-request' for a key with the character that divides it from names.
   */
  async start(
    request: StartRequest,
    idempotency: NonNullable<StartRequest['idempotency']>,
  ): Promise<ExecutionId> {
    if (idempotency.key.includes('\u0000')) {
      throw wrongField('idempotencyKey', 'may not hold the character U+0000');
    }
    if (!isWellFormed(idempotency.key)) throw wrongField('idempotencyKey', illFormedMessage);
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
      const known = await this.parts.executions.read(executionId, ({ execution }) => ({
        status: execution.state.status,
        attributes: execution.attributes,
      }));
      if (known !== undefined) {
        const running = known.status === 'RUNNING' || known.status === 'PAUSED';
        const { def } = request.snapshot;
        if (!hasSameOwner(known.attributes, request.attributes)) {
          // The key is free once that execution has ended.
          if (running) throw conflict(def.name, key, 'under an earlier registration of the name');
        } else {
          if (strategy === 'RETURN_EXISTING') return executionId;
          if (strategy === 'FAIL' || running) throw conflict(def.name, key, executionId);
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

/**
 * Whether an execution under a key is told to who starts under it: both began under one
 * registration of the name, or it is that starter's own.
 */
function hasSameOwner(
  { nameOwner, createdBy }: ExecutionAttributes,
  starting: ExecutionAttributes,
): boolean {
  const starter = starting.createdBy ?? '';
  if ((createdBy ?? '') === starter) return true;
  // Started by an earlier version, which kept no registration: so such a one registered it too.
  const { registration = earlierRegistration, owner } = nameOwner ?? {};
  return registration === starting.nameOwner?.registration || owner === starter;
}

function conflict(name: string, key: string, which: string): AppError {
  return new AppError(
    'conflict',
    `Workflow ${name} with idempotency key '${key}' already exists: ${which}`,
  );
}
