// What the server itself starts in a simulation, for a schedule or an event: what such a start uses
// of the operations' context, and what the store has of it afterwards.
import { everythingAllowed } from '../../src/access/access-rules.js';
import { systemCaller } from '../../src/model/caller.js';
import { defaultOperationLimits } from '../../src/operation/context.js';
import type { ScheduledStartContext } from '../../src/areas/schedules/start-scheduled-run.js';
import { executionIdOfShort } from '../../src/redis/codec/short-id.js';
import type { Executions } from '../../src/shard/executions.js';
import type { Clock } from '../../src/std/clock.js';
import type { StaticDefinitions } from './definitions.js';
import type { MemoryRedis } from './store/memory-redis.js';

export interface ServerStartParts {
  readonly clock: Clock;
  readonly executions: Executions;
  readonly definitions: StaticDefinitions;
}

export function startContext(parts: ServerStartParts): ScheduledStartContext {
  const { clock, executions, definitions } = parts;
  const used = {
    ownerOf: () => systemCaller,
    ...{ access: everythingAllowed, executions, clock, limits: defaultOperationLimits },
    definitions: {
      exactDef: (name: string) => definitions.workflowDef(name),
      snapshot: definitions.snapshot.bind(definitions),
      nameOwner: definitions.nameOwner.bind(definitions),
      prepareSnapshot: () => undefined,
    },
  };
  return used as unknown as ScheduledStartContext;
}

/** Ids of all executions of a definition, running or ended. */
export function startedOf(redis: MemoryRedis, name: string): string[] {
  const lists = redis.keys.filter((key) => key.endsWith(`:name:${name}`));
  const ids = lists.flatMap((key) => redis.call('ZRANGE', key, 0, -1) as string[]);
  return ids.map(executionIdOfShort);
}
