// The judgement of what the world outside was promised (docs/webhooks.md, docs/human-tasks.md,
// docs/outgoing.md): an acknowledged call has happened, an acknowledged claim was held by one
// person, an acknowledged completion stands, what ended is told of, and the index shows it.
import { WebhookKeys } from '../../../src/areas/webhooks/keys.js';
import { OutgoingKeys } from '../../../src/areas/outgoing/keys.js';
import { finalStatuses, type WireTask, type WireWorkflow } from '../../../testkit/wire.js';
import { unpackText } from '../../../src/redis/codec/record.js';
import type { Keys } from '../../../src/redis/keys.js';
import { startedOf } from '../server-starts.js';
import type { MemoryRedis } from '../store/memory-redis.js';
import type { Address, Told } from './address.js';
import {
  addressId,
  askedName,
  askedRef,
  calledName,
  hookedRef,
  hookedName,
  signedId,
  triggeredName,
  visitedNames,
} from './definitions.js';
import type { Holding } from './people.js';
import type { Call, Visit, Visits } from './visits.js';

export interface OutsideSeen {
  readonly visits: Visits;
  readonly address: Address;
  readonly redis: MemoryRedis;
  readonly keys: Keys;
  /** Of an execution as clients see it; undefined: there is none. */
  readonly read: (id: string) => Promise<WireWorkflow | undefined>;
}

/** No event and no delivery waits to be dealt with. */
export function isOutsideQuiet(redis: MemoryRedis, keys: Keys): boolean {
  const lengths = [
    new WebhookKeys(keys.prefix).events(),
    new OutgoingKeys(keys.prefix).pending(addressId),
  ].map((key) => redis.call('HLEN', key));
  return lengths.every((length) => length === 0);
}

/** Human tasks that the index shows otherwise than as ended; it follows the executions. */
export function staleInIndex({ visits, redis, keys }: OutsideSeen): string[] {
  const ids = [...visits.people.taskIds];
  return ids.flatMap((id) => {
    const bytes = redis.call('HGET', keys.humanTasks(), id) as string | null;
    const state = bytes === null ? 'absent' : stateIn(bytes);
    const sets = JSON.parse((redis.call('HGET', keys.humanTaskSets(), id) ?? '[]') as string);
    const places = redis.keys.filter(
      (key) => key.startsWith(keys.humanTaskSet('')) && redis.call('ZSCORE', key, id) !== null,
    );
    const isRight = state === 'COMPLETED' && places.length === (sets as string[]).length;
    return isRight ? [] : [`the index shows ${id} as ${state}, in ${places.join(', ')}`];
  });
}

function stateIn(bytes: string): string {
  const text = unpackText('human task', Buffer.from(bytes, 'latin1'));
  return (JSON.parse(text) as { state: string }).state;
}

/** After a failover only the ends of executions are judged: it may undo what was acknowledged. */
export async function judgeOutside(seen: OutsideSeen, hasFailover: boolean): Promise<string[]> {
  const { visits, redis, read } = seen;
  const found: string[] = [];
  const ended = new Map<string, WireWorkflow>();
  for (const visit of visits.visits) {
    const workflow = visit.id === undefined ? undefined : await read(visit.id);
    if (workflow !== undefined) ended.set(workflow.workflowId, workflow);
    if (workflow === undefined && !hasFailover) found.push(`visit ${visit.n} is gone`);
    if (workflow !== undefined && !finalStatuses.has(workflow.status)) {
      found.push(`${workflow.workflowId} is ${workflow.status} at its end`);
    }
    if (workflow !== undefined && !hasFailover) found.push(...judgeVisit(visit, workflow, visits));
  }
  if (hasFailover) return found;
  const calls = await fieldsOf(seen, calledName, ({ input }) => String(input['call']));
  found.push(...judgeCalls(visits.calls, calls));
  const about = ({ input }: WireWorkflow): string =>
    String((input['humanTask'] as { taskId?: string } | undefined)?.taskId);
  found.push(...judgeTriggers(visits, await fieldsOf(seen, triggeredName, about)));
  const started = visitedNames.flatMap((name) => startedOf(redis, name));
  if (started.length !== ended.size) found.push(`${started.length} visits were started`);
  found.push(...judgeHoldings(visits.people.holdings), ...judgeTold(seen.address.told, ended));
  return found;
}

/** Of each execution of a definition, as often as it is there. */
async function fieldsOf(
  { redis, read }: OutsideSeen,
  name: string,
  fieldOf: (workflow: WireWorkflow) => string,
): Promise<string[]> {
  const fields: string[] = [];
  for (const id of startedOf(redis, name)) {
    const workflow = await read(id);
    if (workflow !== undefined) fields.push(fieldOf(workflow));
  }
  return fields;
}

function judgeVisit(visit: Visit, workflow: WireWorkflow, visits: Visits): string[] {
  const { workflowId, status, tasks } = workflow;
  const found: string[] = [];
  if (status !== 'COMPLETED') found.push(`${workflowId} is ${status}, not COMPLETED`);
  const refs = tasks.map(({ referenceTaskName }) => referenceTaskName);
  if (new Set(refs).size !== refs.length) found.push(`${workflowId} has run ${refs.join()}`);
  const taskOf = (ref: string): WireTask | undefined =>
    tasks.find(({ referenceTaskName }) => referenceTaskName === ref);
  if (visit.name !== askedName) found.push(...judgeHooked(visit, taskOf(hookedRef), visits.calls));
  if (visit.name !== hookedName) found.push(...judgeAsked(taskOf(askedRef), visits));
  return found;
}

/** It was completed by a call for it. */
function judgeHooked(
  { group }: Visit,
  task: WireTask | undefined,
  calls: readonly Call[],
): string[] {
  const key = task?.outputData['call'];
  const call = calls.find((each) => each.key === key);
  if (task?.status === 'COMPLETED' && call?.group === group) return [];
  return [`${task?.taskId} of ${group} is ${task?.status} by ${String(key)} of ${call?.group}`];
}

/** It was completed once, by who was told so and who held it. */
function judgeAsked(task: WireTask | undefined, { people }: Visits): string[] {
  const by = String(task?.outputData['by']);
  const what = `${task?.taskId} is ${task?.status} by ${by}`;
  const found: string[] = [];
  if (task?.status !== 'COMPLETED') found.push(what);
  for (const { taskId, person } of people.completions) {
    if (taskId === task?.taskId && person !== by) found.push(`${what}, and ${person} completed it`);
  }
  for (const { taskId, person, isDenied } of people.holdings) {
    if (taskId === task?.taskId && isDenied) found.push(`${what}, and ${person} held it`);
  }
  return found;
}

/** `started`: keys of the calls that have started an execution, as often as they have. */
function judgeCalls(calls: readonly Call[], started: readonly string[]): string[] {
  const found: string[] = [];
  for (const { key, webhookId, attempts, isAcknowledged } of calls) {
    const count = started.filter((each) => each === key).length;
    const most = webhookId === signedId ? 1 : attempts;
    if (count > most) found.push(`${key}, sent ${attempts} times, has started ${count} executions`);
    if (count === 0 && isAcknowledged)
      found.push(`${key} was acknowledged and has started nothing`);
  }
  const known = new Set(calls.map(({ key }) => key));
  const unknown = started.filter((key) => !known.has(key));
  return [...found, ...unknown.map((key) => `nobody has called with ${key}`)];
}

/** The end of a human task starts one execution. */
function judgeTriggers({ people }: Visits, triggered: readonly string[]): string[] {
  return [...people.taskIds].flatMap((taskId) => {
    const count = triggered.filter((each) => each === taskId).length;
    return count === 1 ? [] : [`the end of ${taskId} has started ${count} executions`];
  });
}

function judgeHoldings(holdings: readonly Holding[]): string[] {
  return holdings.flatMap((one, i) =>
    holdings.slice(i + 1).flatMap((other) => {
      if (one.taskId !== other.taskId || one.person === other.person) return [];
      if (Math.max(one.from, other.from) >= Math.min(one.until, other.until)) return [];
      return [`${one.taskId} was held by ${one.person} and by ${other.person}`];
    }),
  );
}

/** Each end is told of at least once, under one id, and nothing else is. */
function judgeTold(told: readonly Told[], ended: ReadonlyMap<string, WireWorkflow>): string[] {
  const wanted = [...ended.values()].flatMap(({ workflowId, tasks }) => [
    `WORKFLOW_COMPLETED ${workflowId}`,
    ...tasks.flatMap(({ taskType, taskId }) =>
      taskType === 'HUMAN' ? [`HUMAN_TASK_COMPLETED ${taskId}`] : [],
    ),
  ]);
  const idsOf = new Map<string, Set<string>>(wanted.map((what) => [what, new Set()]));
  const found: string[] = [];
  for (const { type, about, deliveryId } of told) {
    const ids = idsOf.get(`${type} ${about}`);
    if (ids === undefined) found.push(`the address was told ${type} ${about}, which is not so`);
    ids?.add(deliveryId);
  }
  for (const [what, { size }] of idsOf) {
    if (size !== 1) found.push(`the address was told ${what} under ${size} ids`);
  }
  return found;
}
