// The policy REJECT of a limit on executions (contract-admin 9.7, semantics 2.12): a start beyond
// the limit is refused with 429, which client libraries repeat. An execution takes its permit after
// its start (engine/permits.ts), so starts of this node that are under way count too; where starts
// at different nodes pass in the same moment, the later one waits for its permit. The limit itself
// is never exceeded. Starts with the policy QUEUE all pass.
import type { EngineContext } from '../engine/context.js';
import type { ExpressionDocument } from '../engine/expression/document.js';
import { AccessRefusal } from '../engine/expression/refusal.js';
import { poolIn } from '../engine/permits.js';
import { AppError } from '../model/errors.js';
import type { ExecutionAttributes } from '../model/execution.js';
import type { Payload } from '../model/payload.js';
import type { WorkflowDef } from '../model/workflow-def.js';
import type { Clock } from '../std/clock.js';
import type { ExecutionId } from '../std/ids.js';
import type { PermitStore } from '../store/permit-store.js';

export interface LimitedStart {
  readonly def: WorkflowDef;
  readonly attributes: ExecutionAttributes;
  readonly input: Payload;
}

export interface StartPermitsParts {
  readonly store: Pick<PermitStore, 'look'>;
  readonly engine: Pick<
    EngineContext,
    'executionLimit' | 'environment' | 'environmentVariable' | 'mayReadVariable'
  >;
  readonly clock: Clock;
}

/** A start that was let through and may not have taken its place yet. */
interface Started {
  readonly room: string;
  /** Monotonic ms. */
  readonly at: number;
  /** undefined: under way. */
  id: ExecutionId | undefined;
}

/** Later its place is taken, or it has failed for good. */
const startedMsMax = 10_000;

export class StartPermits {
  /** In the order of the requests. */
  readonly #started = new Set<Started>();

  constructor(private readonly parts: StartPermitsParts) {}

  /** Runs `begin` if a permit is free. Rejects with AppError 'too-many', or as `begin` does. */
  async admit(start: LimitedStart, begin: () => Promise<ExecutionId>): Promise<ExecutionId> {
    const { engine, clock } = this.parts;
    const { def } = start;
    const limit = engine.executionLimit?.(def.name) ?? def.rateLimitConfig;
    if (limit?.policy !== 'REJECT' || limit.concurrentExecLimit < 1) return await begin();
    const room = poolIn(def.name, limit, this.#documentOf(start));
    const own: Started = { room, at: clock.monotonic(), id: undefined };
    const before = this.#recent(room);
    this.#started.add(own);
    try {
      if ((await this.#taken(room, before)) >= limit.concurrentExecLimit) {
        const count = limit.concurrentExecLimit;
        throw new AppError('too-many', `${count} executions of ${def.name} are running already`);
      }
      own.id = await begin();
      return own.id;
    } catch (error) {
      this.#started.delete(own);
      throw error;
    }
  }

  #recent(room: string): Started[] {
    const oldest = this.parts.clock.monotonic() - startedMsMax;
    for (const each of this.#started) {
      if (each.at >= oldest) break;
      this.#started.delete(each);
    }
    return [...this.#started].filter((each) => each.room === room);
  }

  /** Places that are taken, or will be by earlier starts of this node. */
  async #taken(room: string, before: readonly Started[]): Promise<number> {
    const done = before.filter((each): each is Started & { id: ExecutionId } => {
      return each.id !== undefined;
    });
    const ids = done.map(({ id }) => id);
    const { taken, known } = await this.parts.store.look(room, ids);
    const counted = new Set<Started>(done.filter((_each, i) => known[i]));
    for (const each of counted) this.#started.delete(each);
    return taken + before.filter((each) => !counted.has(each)).length;
  }

  #documentOf({ def, attributes, input }: LimitedStart): ExpressionDocument {
    const { environment, environmentVariable, mayReadVariable } = this.parts.engine;
    const fields: Readonly<Record<string, unknown>> = {
      input: input.value,
      workflowType: def.name,
      version: def.version,
      correlationId: attributes.correlationId,
      idempotencyKey: attributes.idempotencyKey,
      taskToDomain: attributes.taskToDomain,
    };
    return {
      workflow: (field) => fields[field] as ReturnType<ExpressionDocument['workflow']>,
      task: () => undefined,
      environment,
      environmentVariable: (name) => {
        if (mayReadVariable(name, attributes.createdBy)) return environmentVariable(name);
        throw new AccessRefusal(attributes.createdBy, `ENV_VARIABLE ${name}`);
      },
    };
  }
}
