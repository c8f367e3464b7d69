// Hands schedules and event handlers over: off at the other server, then on here, so that no due
// time and no event is served by both. Each carries a tag meanwhile, so a hand-over that breaks off
// between the two steps goes on at the next run. One that is off there and has no tag stays off
// here: somebody has switched it off. A schedule that is paused here with a reason was paused by
// somebody too, so it goes on there and the command says so.
import { handler, readTags, schedule, addTag, type Kind } from '../apply/kinds.js';
import { Refused, type ApiClient } from '../shared/api-client.js';
import { isObject, numberOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { setTimeout as sleep } from 'node:timers/promises';

const esc = encodeURIComponent;

/** Says that the thing was active there, and that its hand-over has begun. */
export const begunTag = 'downbeat:hand-over-begun';

/** A due time that is nearer than this is left to the other server, ms. */
const nearMs = 3000;
/** How long the other server may take to start what is due, ms. */
const startedWithinMs = 2000;

export interface HandedOver {
  readonly kind: string;
  readonly name: string;
}

/** Whether a thing is at work. */
export function isActive(kind: Kind, body: JsonObject): boolean {
  return kind === schedule ? body['paused'] !== true : body['active'] === true;
}

/** Resolves with what was handed over in this call. */
export async function handOver(
  source: ApiClient,
  target: ApiClient,
  { prefix, say }: { readonly prefix: string; readonly say: (sentence: string) => void },
): Promise<HandedOver[]> {
  const done: HandedOver[] = [];
  for (const kind of [schedule, handler]) {
    const here = new Map((await kind.list(target, []))?.map((body) => [kind.idOf(body), body]));
    for (const there of (await kind.list(source, [])) ?? []) {
      const name = kind.idOf(there);
      const own = here.get(name);
      if (!name.startsWith(prefix)) continue;
      if (own === undefined) {
        if (isActive(kind, there)) say(`${kind.name} ${name} is not here, so it goes on there.`);
        continue;
      }
      const isBegun = ((await readTags(target, kind, own)) ?? []).includes(begunTag);
      if (!isActive(kind, there) && !isBegun) continue;
      if (!isBegun && reasonOfPause(kind, own) !== '') {
        say(
          `schedule ${name} is paused here (${reasonOfPause(kind, own)}), so it is not handed over and goes on there. To have it rest at both, pause it there. To hand it over, take the reason away (downbeat schedule pause ${name}) and run this command again.`,
        );
        continue;
      }
      if (kind === schedule) await waitOutDueTime(target, there, say);
      // Before it is off there: a call that breaks off then is known by the tag to the next one.
      if (!isBegun) await addTag(target, kind, own, begunTag);
      await turn(source, kind, there, false);
      await turn(target, kind, own, true);
      await unmark(target, kind, own);
      say(`${kind.name} ${name} is off there and on here`);
      done.push({ kind: kind.name, name });
    }
  }
  return done;
}

/** '' where it is not paused, or nobody said why. */
function reasonOfPause(kind: Kind, body: JsonObject): string {
  return kind === schedule && body['paused'] === true ? textOf(body['pausedReason']) : '';
}

async function turn(client: ApiClient, kind: Kind, body: JsonObject, isOn: boolean): Promise<void> {
  if (isActive(kind, body) === isOn) return;
  if (kind === handler) {
    await client.put('/api/event', { ...body, active: isOn });
    return;
  }
  const path = `/api/scheduler/schedules/${esc(kind.idOf(body))}/${isOn ? 'resume' : 'pause'}`;
  try {
    await client.put(path);
  } catch (error) {
    // Orkes takes GET.
    if (!(error instanceof Refused) || error.status !== 405) throw error;
    await client.get(path);
  }
}

async function unmark(target: ApiClient, kind: Kind, body: JsonObject): Promise<void> {
  const path = kind.tagsPath?.(body);
  if (path === undefined) return;
  const at = begunTag.indexOf(':');
  const tag = { key: begunTag.slice(0, at), value: begunTag.slice(at + 1) };
  await target.delete(path, { body: [tag] });
}

/**
 * A due time that comes while the two steps are made would be started by nobody. So it is awaited
 * once, when it is near; a schedule of every second loses at most the times between the steps.
 */
async function waitOutDueTime(
  target: ApiClient,
  body: JsonObject,
  say: (sentence: string) => void,
): Promise<void> {
  const next = await nextDueTime(target, body);
  if (next === undefined) return;
  const leftMs = next - Date.now();
  if (leftMs < 0 || leftMs > nearMs) return;
  say(`schedule ${textOf(body['name'])} is due in ${leftMs} ms: that one starts there`);
  await sleep(leftMs + startedWithinMs);
}

/** Epoch ms; undefined where it cannot be told. */
async function nextDueTime(target: ApiClient, body: JsonObject): Promise<number | undefined> {
  const entries = objectsOf(body['cronSchedules']);
  const crons = entries.length === 0 ? [body] : entries;
  const times = await Promise.all(
    crons.map(async ({ cronExpression, zoneId }) => {
      const query = {
        cronExpression: textOf(cronExpression),
        zoneId: textOf(zoneId) || 'UTC',
        limit: 1,
      };
      try {
        const answer = await target.get('/api/scheduler/nextFewSchedules', { query });
        return Array.isArray(answer) ? numberOf(answer[0]) : 0;
      } catch (error) {
        if (error instanceof Refused) return 0;
        throw error;
      }
    }),
  );
  const known = times.filter((at) => at > 0);
  return known.length === 0 ? undefined : Math.min(...known);
}

export interface OpenThere {
  /** Open executions by name of their workflow. */
  readonly open: Readonly<Record<string, number>>;
  readonly total: number;
  /** Started there after the hand-over and by no other execution. */
  readonly startedSince: readonly { readonly id: string; readonly workflow: string }[];
}

const openStatuses = 'status IN (RUNNING,PAUSED)';
const newOnesLookedAt = 20;

/** The executions that are still open at the other server. `since`: epoch ms of the hand-over. */
export async function openThere(
  source: ApiClient,
  names: readonly string[],
  since: number,
): Promise<OpenThere> {
  const open: Record<string, number> = {};
  for (const name of names) {
    const hits = await hitsOf(source, `${isNamed(name)} AND ${openStatuses}`);
    if (hits > 0) open[name] = hits;
  }
  return {
    open,
    total: Object.values(open).reduce((sum, each) => sum + each, 0),
    startedSince: await startedSince(source, since),
  };
}

/** The form that each server reads; one for names that would end a list is read by most. */
function isNamed(name: string): string {
  return /^[\w.:-]+$/.test(name) ? `workflowType IN (${name})` : `workflowType = "${name}"`;
}

async function hitsOf(source: ApiClient, query: string): Promise<number> {
  const answer = await source.get('/api/workflow/search', {
    query: { start: 0, size: 1, freeText: '*', query },
  });
  return isObject(answer) ? numberOf(answer['totalHits']) : 0;
}

async function startedSince(source: ApiClient, since: number): Promise<OpenThere['startedSince']> {
  const answer = await source.get('/api/workflow/search', {
    query: {
      ...{ start: 0, size: newOnesLookedAt, sort: 'startTime:DESC', freeText: '*' },
      query: `startTime>${since}`,
    },
  });
  const found: { id: string; workflow: string }[] = [];
  for (const row of objectsOf(isObject(answer) ? answer['results'] : [])) {
    const id = textOf(row['workflowId']);
    const one = await source.find(`/api/workflow/${esc(id)}`, { query: { includeTasks: false } });
    if (!isObject(one) || textOf(one['parentWorkflowId']) !== '') continue;
    if (numberOf(one['createTime']) <= since) continue;
    found.push({ id, workflow: textOf(one['workflowName']) || textOf(row['workflowType']) });
  }
  return found;
}
