// Every route of the server, as its API description has them, with the victim's names and ids in
// path, query and body.
import type { Answer, Method, SecuredServer, Session } from '../../testkit/secured-server.js';
import type { AttackList, AttackTarget } from './attack.js';
import type { Caller } from './callers.js';
import { describedEndpoints, type Endpoint } from './description.js';
import { everyField } from './every-field.js';
import { bodyFor, valueOf } from './targets.js';
import type { Victim } from './victim.js';

/** Ends the session that attacks. */
const notTried = new Set(['signOut']);
/** Take seconds: one asks a server outside that there is not, one waits for an execution. */
const slow = new Set(['discoverServiceMethods', 'executeWorkflowWithoutInput']);
const answerMs = 30_000;
/** How long a stream is listened to. */
const streamMs = 300;

export const routeAttacks: AttackList = {
  name: 'routes',
  run: async (target) => {
    const all = await describedEndpoints(target.server.nobody);
    const endpoints = all.filter(({ name }) => !notTried.has(name));
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

interface Asking {
  readonly server: SecuredServer;
  readonly victim: Victim;
  readonly caller: Session;
}

/** The victim's canaries that no route that reads shows to a caller: how far attacks can see. */
export async function canariesNotShown({ server, victim, caller }: Asking): Promise<string[]> {
  const endpoints = (await describedEndpoints(server.nobody)).filter(
    (each) => each.method === 'GET' && !isStream(each) && !slow.has(each.name),
  );
  const paths = endpoints.flatMap((each) => pathsFor(victim, each, true));
  const answers = await Promise.all(paths.map((path) => caller.get(path)));
  return victim.canariesNotIn(answers.map(({ text }) => text).join('\n'));
}

async function attackWith(
  { victim, isShort, tried }: AttackTarget,
  caller: Caller,
  endpoint: Endpoint,
): Promise<string[]> {
  const found: string[] = [];
  const bodies = bodiesFor(victim, endpoint, isShort);
  for (const path of pathsFor(victim, endpoint, isShort)) {
    for (const body of bodies) {
      tried();
      const what = `${caller.kind}, ${endpoint.name}`;
      const asked = isStream(endpoint)
        ? firstOfStream(caller.session, path)
        : caller.session.request(endpoint.method as Method, path, body);
      const answer = await inTime(asked);
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
function pathsFor({ ids }: Victim, endpoint: Endpoint, isShort: boolean): string[] {
  const { pattern, query } = endpoint;
  const path = pattern.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(valueOf(ids, endpoint, name)),
  );
  const withQuery = (parameters: Endpoint['query']): string => {
    const texts = parameters.map(
      ({ name }) => `${name}=${encodeURIComponent(valueOf(ids, endpoint, name))}`,
    );
    return texts.length === 0 ? path : `${path}?${texts.join('&')}`;
  };
  const required = withQuery(query.filter((parameter) => parameter.required));
  return isShort ? [required] : [...new Set([required, withQuery(query)])];
}

/** One in the declared form, and the same fields for every endpoint; in the long form odd ones. */
function bodiesFor({ ids }: Victim, endpoint: Endpoint, isShort: boolean): unknown[] {
  const { body } = endpoint;
  if (body === undefined) return [undefined];
  const every = everyField(ids);
  const few = [bodyFor(ids, endpoint), body.type === 'array' ? [every] : every];
  return isShort ? few : [...few, [every], every, {}, [ids.workflowId], [ids.taskId], ids.name];
}

function isStream({ name }: Endpoint): boolean {
  return name === 'streamChanges';
}

/** What a stream tells at first; it has no end. */
async function firstOfStream({ url, headers }: Session, path: string): Promise<Answer> {
  const response = await fetch(url + path, { headers });
  const { status, body } = response;
  let text = '';
  if (response.ok && body !== null) {
    const over = AbortSignal.timeout(streamMs);
    const chunks = body.pipeThrough(new TextDecoderStream(), { signal: over });
    try {
      for await (const chunk of chunks) text += chunk;
    } catch (error) {
      if (!over.aborted) throw error;
    }
  } else text = await response.text();
  return { status, text, body: text, headers: response.headers };
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
