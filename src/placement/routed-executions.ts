// Executions of the whole cluster: what this node owns is answered here, everything else travels to
// its owner over the peer links (architecture section 4).
//
// A call that meets a shard on the move waits for news of its owner and is then sent on, at most
// `hopsMax` times and `acceptMs` in all. It is repeated only when it is certain that nothing was
// done: the link was down, or the node that was asked does not serve the shard. When the link is
// lost after the call was sent, a command may have been carried out: the caller gets 503 with
// `outcome: unknown` (invariants M3, I18). Views and waits change nothing and are simply asked
// again. A view that an owner of an earlier version does not have is run here on what is stored.
import { executionIdOf, parseExecutionId, shardOf, type ExecutionId } from '../std/ids.js';
import { randomBytes } from 'node:crypto';
import type { Clock } from '../std/clock.js';
import { AppError, isNotFound, noSuchWorkflow } from '../model/errors.js';
import { importedIdOf, isForeignId } from '../model/imported-id.js';
import type { Command } from '../engine/command.js';
import type { Reply } from '../engine/decision.js';
import { openExecution } from '../engine/load-execution.js';
import type { WorkflowStatus } from '../model/status.js';
import { currentTrace } from '../telemetry/trace.js';
import type { ExecutionStore } from '../store/execution-store.js';
import type { QuarantineStore } from '../store/quarantine-store.js';
import type { ShardStore } from '../store/shard-store.js';
import type {
  CommandOptions,
  Executions,
  StartRequest,
  WatchOptions,
  StoreCapacity,
} from '../shard/executions.js';
import { nameOfKeys } from '../model/name-registration.js';
import { idempotencyShard } from '../shard/idempotent-start.js';
import { refuseWithoutCapacity } from '../shard/admission.js';
import { refusalOf } from '../shard/quarantine.js';
import { unknownOutcome } from '../shard/refusals.js';
import type { View } from '../shard/named-views.js';
import type { OwnedShards } from '../shard/owned-shards.js';
import {
  isNotOwner,
  isUnknownQuestion,
  NotOwner,
  ownerCall,
  type StartAsCall,
  type StartCall,
} from './owner-calls.js';
import { PeerError, type Peers } from './peer/peers.js';
import type { ShardMap } from './shard-map.js';

/** How often a call may be sent on. */
const hopsMax = 5;
/** How long a call may look for the owner of its shard, ms. */
const acceptMs = 3000;
/** How long an owner may take to answer, beside the time that a caller waits on purpose, ms. */
const answerMs = 30_000;
/** Between two reads of an owner record, ms. */
const readOwnerEveryMs = 250;

/** They change nothing, whatever has become of the owner that was asked. */
const questions: ReadonlySet<string> = new Set([ownerCall.view, ownerCall.wait]);

export interface RoutedExecutionsParts {
  readonly clock: Clock;
  readonly nodeId: string;
  readonly shards: number;
  readonly local: Executions;
  readonly owned: OwnedShards;
  readonly map: ShardMap;
  readonly peers: Peers;
  readonly store: ExecutionStore;
  readonly quarantine: QuarantineStore;
  readonly shardStore: ShardStore;
  /** Absent: the store always has room. */
  readonly capacity?: StoreCapacity;
}

interface RemoteCall {
  readonly operation: string;
  readonly body: unknown;
  /** It may be carried out twice. */
  readonly isRepeatable: boolean;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

interface Place {
  /** As the caller named the execution. */
  readonly given: string;
  readonly id: string;
  readonly shard: number | undefined;
}

export class RoutedExecutions implements Executions {
  /** The newest id and its shard: a report asks for the right first, then to be carried out. */
  #newest: Place = { given: '', id: '', shard: undefined };

  constructor(private readonly parts: RoutedExecutionsParts) {}

  async start(request: StartRequest): Promise<ExecutionId> {
    const { local, owned, shards, capacity } = this.parts;
    // Without its store a node owns nothing and would look for an owner for seconds.
    refuseWithoutCapacity(capacity);
    const { idempotency, snapshot, attributes } = request;
    if (idempotency === undefined) {
      // This node draws the id: in a shard of its own, where there is one, so that nothing travels.
      if (owned.acceptsAny) return await local.start(request);
      const id = executionIdOf(Math.floor(Math.random() * shards), randomBytes(12));
      await this.startAs(id, request);
      return id;
    }
    const name = nameOfKeys(snapshot.def.name, attributes.nameOwner);
    const shard = idempotencyShard(name, idempotency.key, shards);
    const body: StartCall = { shard, request, trace: currentTrace() };
    return await this.#at(shard, () => local.start(request), {
      operation: ownerCall.start,
      body,
      isRepeatable: false,
      timeoutMs: answerMs,
    });
  }

  async startAs(
    id: ExecutionId,
    request: StartRequest,
    isFirst?: boolean,
  ): Promise<WorkflowStatus> {
    const { local, shards } = this.parts;
    const body: StartAsCall = { id, request, isFirst, trace: currentTrace() };
    return await this.#at(shardOf(id, shards), () => local.startAs(id, request, isFirst), {
      operation: request.ended === undefined ? ownerCall.startAs : ownerCall.importAs,
      body,
      // The same id meets the execution that is there already (invariants M6).
      isRepeatable: true,
      timeoutMs: answerMs,
    });
  }

  command(given: string, command: Command, options: CommandOptions): Promise<Reply> {
    const { id, shard } = this.#placeOf(given);
    if (id !== given) return namedAs(given, this.command(id, command, options));
    const { local, owned } = this.parts;
    if (shard === undefined) return local.command(id, command, options);
    const here = (): Promise<Reply> => local.command(id, command, options);
    const remote = (): RemoteCall => ({
      operation: ownerCall.command,
      body: { id, command, options, trace: currentTrace() },
      isRepeatable: false,
      timeoutMs: answerMs,
    });
    // On the path of every report: one promise where the shard is served here.
    if (!owned.accepts(shard)) return this.#at(shard, here, remote());
    return here().catch((error: unknown) => {
      if (!this.#mayAskAgain(error, remote())) throw toRefusal(error);
      return this.#at(shard, here, remote());
    });
  }

  peek<T>(given: string, view: View<T>): T | undefined {
    const { id, shard } = this.#placeOf(given);
    if (shard !== undefined && !this.parts.owned.accepts(shard)) return undefined;
    return this.parts.local.peek(id, view);
  }

  async read<T>(given: string, view: View<T>): Promise<T | undefined> {
    const { local, owned } = this.parts;
    const { id, shard } = this.#placeOf(given);
    if (shard === undefined) return await local.read(id, view);
    if (owned.accepts(shard)) {
      try {
        return await local.read(id, view);
      } catch (error) {
        if (!isUnanswered(error)) throw error;
      }
    }
    if (view.named === undefined) return await this.#readStored(shard, id as ExecutionId, view);
    const remote: RemoteCall = {
      operation: ownerCall.view,
      body: { id, ...view.named },
      isRepeatable: true,
      timeoutMs: answerMs,
    };
    const here = async (): Promise<[T] | null> => {
      const seen = await local.read(id, (open) => ({ answer: view(open) }));
      return seen === undefined ? null : [seen.answer];
    };
    try {
      return (await this.#at(shard, here, remote))?.[0];
    } catch (error) {
      if (!isUnknownQuestion(error, view.named.name)) throw error;
      return await this.#readStored(shard, id as ExecutionId, view);
    }
  }

  async watch<Args, T>(options: WatchOptions<Args, T>): Promise<T> {
    const { local } = this.parts;
    const { wait, args, timeoutMs, signal } = options;
    const { id, shard } = this.#placeOf(options.id);
    if (id !== options.id) return await namedAs(options.id, this.watch({ ...options, id }));
    if (shard === undefined) return await local.watch(options);
    const remote: RemoteCall = {
      operation: ownerCall.wait,
      body: { id, name: wait.name, args, timeoutMs },
      isRepeatable: true,
      timeoutMs: timeoutMs + answerMs,
      ...(signal === undefined ? {} : { signal }),
    };
    return await this.#at(shard, () => local.watch(options), remote);
  }

  async remove(given: string): Promise<void> {
    const { local } = this.parts;
    const { id, shard } = this.#placeOf(given);
    if (id !== given) return await namedAs(given, this.remove(id));
    if (shard === undefined) return await local.remove(id);
    const remote: RemoteCall = {
      operation: ownerCall.remove,
      body: id,
      isRepeatable: false,
      timeoutMs: answerMs,
    };
    await this.#at(shard, () => local.remove(id), remote);
  }

  async release(given: string): Promise<boolean> {
    const { local } = this.parts;
    const { id, shard } = this.#placeOf(given);
    if (shard === undefined) return await local.release(id);
    const remote: RemoteCall = {
      operation: ownerCall.release,
      body: id,
      isRepeatable: true,
      timeoutMs: answerMs,
    };
    return await this.#at(shard, () => local.release(id), remote);
  }

  ownerTrouble(id: string): string | undefined {
    const { owned, map, peers, nodeId } = this.parts;
    const { shard } = this.#placeOf(id);
    if (shard === undefined || owned.accepts(shard)) return undefined;
    const owner = map.ownerOf(shard)?.nodeId;
    if (owner === undefined || owner === nodeId) {
      return `Shard ${shard}, in which the execution is, has no owner now`;
    }
    if (peers.connected.includes(owner)) return undefined;
    return (
      `Node ${owner} owns shard ${shard}, in which the execution is, ` +
      `and node ${nodeId} has no link to it`
    );
  }

  /**
   * The id here and its shard, also by the id that an imported execution has at another server; no
   * shard for what is no id: refused by the executions themselves.
   */
  #placeOf(given: string): Place {
    if (given !== this.#newest.given) {
      const id = parseExecutionId(given) ?? (isForeignId(given) ? importedIdOf(given) : undefined);
      const shard = id === undefined ? undefined : shardOf(id, this.parts.shards);
      this.#newest = { given, id: id ?? given, shard };
    }
    return this.#newest;
  }

  /** Carries the call out at the shard's owner, here or elsewhere. */
  async #at<T>(shard: number, here: () => Promise<T>, remote: RemoteCall): Promise<T> {
    const { owned, clock } = this.parts;
    const startAt = clock.monotonic();
    for (let hop = 0; hop < hopsMax; hop++) {
      try {
        if (owned.accepts(shard)) return await here();
        return (await this.#ask(shard, remote)) as T;
      } catch (error) {
        if (!this.#mayAskAgain(error, remote)) throw toRefusal(error);
      }
      const leftMs = acceptMs - (clock.monotonic() - startAt);
      if (leftMs <= 0 || !(await this.#findOwner(shard, leftMs))) break;
    }
    throw new AppError(
      'unavailable',
      'The owner of the execution cannot be reached, please repeat',
      {
        retryAfterSeconds: 1,
      },
    );
  }

  async #ask(shard: number, remote: RemoteCall): Promise<unknown> {
    const { map, peers, nodeId } = this.parts;
    const owner = map.ownerOf(shard);
    if (owner === undefined || owner.nodeId === nodeId) throw new NotOwner();
    const { operation, body, timeoutMs, signal } = remote;
    try {
      return await peers.call(owner.nodeId, operation, body, {
        timeoutMs,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      // It may have taken the shard again since the call was sent.
      if (isNotOwner(error)) map.forget(shard, owner.nodeId, owner.epoch);
      throw error;
    }
  }

  #mayAskAgain(error: unknown, remote: RemoteCall): boolean {
    if (remote.signal?.aborted === true) return false;
    if (isNotOwner(error)) return true;
    if (error instanceof PeerError) return error.outcome === 'not-sent' || remote.isRepeatable;
    return questions.has(remote.operation) && isUnanswered(error);
  }

  /** Waits for news of the shard's owner; reads its record in between. False without any. */
  async #findOwner(shard: number, leftMs: number): Promise<boolean> {
    const { map, owned, clock, shardStore, peers, nodeId } = this.parts;
    const endAt = clock.monotonic() + leftMs;
    const isKnown = (): boolean => {
      const owner = map.ownerOf(shard);
      return (
        owned.accepts(shard) || (owner !== undefined && peers.connected.includes(owner.nodeId))
      );
    };
    while (!isKnown() && clock.monotonic() < endAt) {
      await map.news(shard, Math.min(readOwnerEveryMs, Math.max(1, endAt - clock.monotonic())));
      if (isKnown()) break;
      const found = await shardStore.ownerOf(shard);
      // A record that names this node, which does not have the shard, is ignored: placement gives
      // it back.
      if (found !== undefined && found.nodeId !== nodeId) {
        map.set(shard, found.nodeId, found.epoch);
      }
    }
    return isKnown();
  }

  /** Reads from the store, which is at least as new as any answer that has left the owner. */
  async #readStored<T>(shard: number, id: ExecutionId, view: View<T>): Promise<T | undefined> {
    const { store, quarantine } = this.parts;
    const refusal = refusalOf(id, await quarantine.find(id));
    if (refusal !== undefined) throw refusal;
    const stored = await store.load(shard, id);
    return stored === undefined ? undefined : view(openExecution(stored.execution));
  }
}

/** The owner that was asked has given the shard up meanwhile. */
function isUnanswered(error: unknown): boolean {
  return isNotOwner(error) || (error instanceof AppError && error.kind === 'unknown-outcome');
}

function toRefusal(error: unknown): unknown {
  return error instanceof PeerError && error.outcome === 'unknown' ? unknownOutcome() : error;
}

/** A refusal names the id that the caller gave, such as that of another server. */
async function namedAs<T>(given: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw isNotFound(error) ? noSuchWorkflow(given) : error;
  }
}
