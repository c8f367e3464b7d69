// Every route of the server, as its API description has them, with the victim's names and ids in
// path, query and body.
import type { Answer, Method } from '../support/secured-server.js';
import type { AttackList, AttackTarget } from './attack.js';
import type { Caller } from './callers.js';
import { everyField } from './every-field.js';
import type { Victim } from './victim.js';

/** Ends the session that attacks. */
const notTried = new Set(['signOut']);
const answerMs = 30_000;

/** What the API description says of an endpoint. */
interface Endpoint {
  readonly name: string;
  readonly method: string;
  /** With variables as `{name}`. */
  readonly pattern: string;
  readonly query: readonly { readonly name: string; readonly required: boolean }[];
  readonly hasBody: boolean;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { name: string; in: string; required?: boolean }[];
  readonly requestBody?: object;
}

async function describedEndpoints({ server }: AttackTarget): Promise<Endpoint[]> {
  const { body } = await server.nobody.get('/api-docs.json');
  const { paths } = body as { paths: Record<string, Record<string, Operation>> };
  return Object.entries(paths).flatMap(([pattern, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      ...{ name: operation.operationId, method: method.toUpperCase(), pattern },
      query: (operation.parameters ?? [])
        .filter(({ in: place }) => place === 'query')
        .map(({ name, required = false }) => ({ name, required })),
      hasBody: operation.requestBody !== undefined,
    })),
  );
}

export const routeAttacks: AttackList = {
  name: 'routes',
  about: 'every route as every kind of caller, with names and ids of another',
  run: async (target) => {
    const endpoints = (await describedEndpoints(target)).filter(({ name }) => !notTried.has(name));
    const found: string[] = [];
    for (const caller of target.callers) {
      for (const endpoint of endpoints) {
        found.push(...(await attackWith(target, caller, endpoint)));
        if (!target.looksOften) continue;
        const changes = await target.victim.changes();
        found.push(...changes.map((text) => `${caller.kind}, ${endpoint.name}: ${text}`));
      }
      // In the short form it says who did it; the long form says by which route.
      const changes = await target.victim.changes();
      found.push(...changes.map((text) => `${caller.kind}: ${text}`));
    }
    return found;
  },
};

async function attackWith(
  { victim, isShort, tried }: AttackTarget,
  caller: Caller,
  endpoint: Endpoint,
): Promise<string[]> {
  const found: string[] = [];
  const bodies = !endpoint.hasBody ? [undefined] : bodiesFor(victim, isShort);
  for (const path of pathsFor(victim, endpoint, isShort)) {
    for (const body of bodies) {
      tried();
      const what = `${caller.kind}, ${endpoint.name}`;
      const answer = await inTime(caller.session.request(endpoint.method as Method, path, body));
      if (answer === undefined) found.push(`${what}: no answer in ${answerMs} ms`);
      else found.push(...judge(victim, caller, answer).map((text) => `${what}: ${text}`));
    }
  }
  return found;
}

function judge(victim: Victim, caller: Caller, { status, text, headers }: Answer): string[] {
  const shown = victim.canariesIn(text + JSON.stringify([...headers]), caller.maySee);
  return [
    ...(shown.length > 0 ? [`the answer ${status} shows ${shown.join(' and ')}`] : []),
    ...(status >= 500 && status !== 501 ? [`the answer is ${status}: ${text.slice(0, 200)}`] : []),
  ];
}

/** With required parameters only, and, in the long form, with all of them. */
function pathsFor(victim: Victim, endpoint: Endpoint, isShort: boolean): string[] {
  const { pattern, query } = endpoint;
  const path = pattern.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(idFor(victim, pattern, name)),
  );
  const withQuery = (parameters: Endpoint['query']): string => {
    const texts = parameters.map(
      ({ name }) => `${name}=${encodeURIComponent(victim.ids[name] ?? '1')}`,
    );
    return texts.length === 0 ? path : `${path}?${texts.join('&')}`;
  };
  const required = withQuery(query.filter((parameter) => parameter.required));
  return isShort ? [required] : [...new Set([required, withQuery(query)])];
}

/** `id` and the like mean another thing in each area. */
function idFor({ ids }: Victim, pattern: string, variable: string): string {
  const byArea: readonly (readonly [RegExp, string])[] = [
    [/^\/api\/applications/, 'applicationId'],
    [/^\/api\/users/, 'userId'],
    [/^\/api\/(human|tasks)/, 'taskId'],
    [/^\/api\/workflow/, 'workflowId'],
  ];
  const area = byArea.find(([start]) => variable === 'id' && start.test(pattern))?.[1];
  return ids[area ?? variable] ?? ids['name'] ?? 'nothing';
}

function bodiesFor({ ids }: Victim, isShort: boolean): unknown[] {
  const every = everyField(ids);
  const few = [every, [every]];
  return isShort ? few : [...few, {}, [ids['workflowId']], [ids['taskId']], ids['name']];
}

async function inTime(answering: Promise<Answer>): Promise<Answer | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), answerMs);
  });
  const answer = await Promise.race([answering, late]);
  clearTimeout(timer);
  return answer;
}
