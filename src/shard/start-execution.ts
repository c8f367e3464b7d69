// Starts executions: an actor with an empty state gets the command `start`, whose commit is the
// execution's first. Its first step runs where the start is called, so ten calls that came at once
// would hold the thread for all ten steps. That is as short as can be for ordinary steps. Who had a
// slow one last waits in the line for the thread (std/thread-turns.ts) with the next ones.
import type { FillRandom } from '../std/seeded-bytes.js';
import type { Clock } from '../std/clock.js';
import { Lru } from '../std/lru.js';
import type { ThreadTurns } from '../std/thread-turns.js';
import { shardOf, type ExecutionId } from '../std/ids.js';
import { contextIn, currentTrace } from '../telemetry/trace.js';
import type { Command } from '../engine/command.js';
import { createExecution, openExecution } from '../engine/load-execution.js';
import type { ExecutionAttributes, ExecutionTrace } from '../model/execution.js';
import { spansOf } from './execution-spans.js';
import type { ActorCache } from './actor-cache.js';
import type { CommitPipeline } from './commit-pipeline.js';
import { ExecutionActor, type StepWorld } from './execution-actor.js';
import type { StartRequest } from './executions.js';
import type { OwnedShards } from './owned-shards.js';
import { RandomIds } from './random-ids.js';
import { shardMoved, unavailable } from './refusals.js';
import { traceAtStart } from './trace-at-start.js';

/** The values that the first commit writes to the record of an idempotency key. */
export interface KeyUse {
  readonly name: string;
  readonly key: string;
  readonly counter: number;
}

/** A first step that held the thread for longer is slow, ms. */
const slowStepMs = 50;
/** Callers with slow first steps that are remembered. */
const slowCallersMax = 1000;

export interface StartExecutionParts {
  readonly clock: Pick<Clock, 'monotonic'>;
  readonly turns: Pick<ThreadTurns, 'take'>;
  readonly shards: number;
  readonly world: StepWorld;
  readonly owned: OwnedShards;
  readonly cache: ActorCache;
  readonly pipeline: CommitPipeline;
  /** Where ids are drawn from; undefined: the system. */
  readonly fillIds: FillRandom | undefined;
}

export class StartExecution {
  readonly #randomIds: RandomIds;
  /** Callers whose last first step was slow; without a name the definitions. */
  readonly #slow = new Lru<string, true>(slowCallersMax);

  constructor(private readonly parts: StartExecutionParts) {
    this.#randomIds = new RandomIds(parts.fillIds);
  }

  /** Under an id drawn at random; nobody else can ask for it. */
  startRandom(request: StartRequest): Promise<ExecutionActor> {
    return this.#inTurn(request, () => {
      const id = this.#randomIds.next(this.parts.owned.accepting);
      if (id === undefined) throw unavailable();
      return this.#start(id, request, undefined);
    });
  }

  /**
   * Under an id that the store is known not to have. Two callers that start it at the same time
   * start the same execution.
   */
  startAs(
    id: ExecutionId,
    request: StartRequest,
    keyUse: KeyUse | undefined,
  ): Promise<ExecutionActor> {
    return this.#inTurn(request, async () => {
      const live = this.parts.cache.live(id);
      if (live === undefined) return this.#start(id, request, keyUse);
      await confirmed(live);
      return live;
    });
  }

  /** `start` runs the first step before it returns. */
  #inTurn(
    { attributes: { createdBy = '' }, snapshot }: StartRequest,
    start: () => Promise<ExecutionActor>,
  ): Promise<ExecutionActor> {
    const { clock, turns } = this.parts;
    const name = createdBy || snapshot.def.name;
    const measured = (): Promise<ExecutionActor> => {
      const beganAt = clock.monotonic();
      const started = start();
      if (clock.monotonic() - beganAt > slowStepMs) this.#slow.set(name, true);
      else this.#slow.delete(name);
      return started;
    };
    return this.#slow.get(name) === undefined ? measured() : turns.take(name, measured);
  }

  async #start(
    id: ExecutionId,
    request: StartRequest,
    keyUse: KeyUse | undefined,
  ): Promise<ExecutionActor> {
    const { shards, world, owned, cache, pipeline } = this.parts;
    const shard = shardOf(id, shards);
    if (!owned.accepts(shard)) throw shardMoved();
    const actor = new ExecutionActor(
      id,
      shard,
      openExecution(createExecution(id)),
      undefined,
      world,
    );
    cache.add(actor);
    actor.collecting().idempotency = keyUse;
    const trace = this.#traceOf(request);
    const { attributes: given } = request;
    const attributes = trace === undefined ? given : { ...given, trace };
    actor.spans = spansOf(world.tracing, actor.open, trace);
    const { spans } = actor;
    const beganAt = spans?.now() ?? 0;
    try {
      await pipeline.submit(actor, commandOf(request, attributes), { trace: currentTrace() });
      spans?.started(beganAt);
    } catch (error) {
      // Refused: nothing of it is stored, and nothing of it may be found.
      if (actor.stored.head === '') {
        cache.remove(actor);
        actor.drop(unavailable());
      }
      throw error;
    }
    return actor;
  }

  /** An imported execution neither starts nor runs here. */
  #traceOf({ snapshot, traced, ended }: StartRequest): ExecutionTrace | undefined {
    if (ended !== undefined) return undefined;
    return traceAtStart(this.parts.world.tracing, {
      name: snapshot.def.name,
      parent: traced === undefined ? contextIn(currentTrace()) : traced.parent,
      isOrdered: traced !== undefined,
    });
  }
}

function commandOf(
  { snapshot, input, ended }: StartRequest,
  attributes: ExecutionAttributes,
): Command {
  if (ended === undefined) return { kind: 'start', snapshot, attributes, input };
  return { kind: 'import', snapshot, attributes, input, ended };
}

/** Resolves when everything that the execution has decided so far is durable. */
export function confirmed(actor: ExecutionActor): Promise<void> {
  return new Promise((pass, fail) => actor.gate({ pass: () => pass(), fail }));
}
