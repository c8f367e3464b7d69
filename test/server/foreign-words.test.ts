// Words of one user's resources in answers to another user: names, reasons of failures, correlation
// ids, workers, domains, logs and ids of executions and tasks. The other user asks every route that
// reads, with each of its parameters, and searches for the words by which the owner finds them.
import { beforeAll, expect, it } from 'vitest';
import { describedEndpoints, type Endpoint } from '../attack/description.js';
import { valueOf, type Ids } from '../attack/targets.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import type { Answer, Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

/** Every word of the owner's begins with it, and nothing else does. */
const start = 'foreign_words_quokka';
const flow = `${start}_flow`;
const work = `${start}_work`;
const reason = `${start}reason`;
const worker = `${start}worker`;
/** They have no end, or wait for something. */
const endless = ['streamChanges', 'executeWorkflowWithoutInput', 'discoverServiceMethods'];
/** Metrics name definitions to everybody unless `metricsToken` is set (docs/threat-model.md). */
const notAsked = new Set([...endless, 'getMetrics']);

const server = sharedSecuredServer(import.meta.url);
let ann: Session;
let ben: Session;
let ids: Ids;
const secretIds = new Set<string>();

beforeAll(async () => {
  // Her id has a mark inside the server, since somebody else had it before (model/subject.ts).
  const id = 'foreign_words_ann@x.org';
  await server.user(id, ['USER']);
  await server.admin.delete(`/api/users/${id}`);
  ann = await server.user(id, ['USER']);
  ben = await server.user('foreign_words_ben@x.org', ['USER']);
  await plant();
});

async function must(
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  body?: unknown,
): Promise<Answer['body']> {
  const answer = await ann.request(method, path, body);
  if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  return answer.body;
}

async function plant(): Promise<void> {
  const human = { name: `${start}_human`, taskReferenceName: 'human', type: 'HUMAN' };
  const definition = { displayName: `${start}_display` };
  const inputParameters = { __humanTaskDefinition: definition };
  const tasks = [{ name: work, taskReferenceName: `${start}_ref` }];
  await must('POST', '/api/metadata/taskdefs', [{ name: work, retryCount: 0, restricted: true }]);
  await must('POST', '/api/metadata/workflow', { name: flow, version: 1, tasks });
  await must('POST', '/api/metadata/workflow', {
    ...{ name: `${start}_people`, version: 1, tasks: [{ ...human, inputParameters }] },
  });
  const failed = await startFlow();
  const parked = ann.get(`/api/tasks/poll/batch/${work}?workerid=${worker}&timeout=5000`);
  const [task] = (await parked).body as { taskId: string }[];
  const taskId = task?.taskId ?? '';
  await must('POST', `/api/tasks/${taskId}/log`, `${start}log`);
  await must('POST', '/api/tasks', {
    ...{ workflowInstanceId: failed, taskId, status: 'FAILED', workerId: worker },
    ...{ reasonForIncompletion: reason, outputData: { said: `${start}output` } },
  });
  await until(
    'the failure',
    async () => (await must('GET', `/api/workflow/${failed}`)).status === 'FAILED',
  );
  const running = await startFlow();
  await must('POST', '/api/workflow', {
    ...{ name: flow, version: 1, taskToDomain: { '*': `${start}_domain` } },
  });
  const humanId = await must('POST', '/api/workflow', { name: `${start}_people`, version: 1 });
  const schedule = { name: `${start}_schedule`, cronExpression: '0 0 0 1 1 ?' };
  const startWorkflowRequest = { name: flow, version: 1 };
  await must('POST', '/api/scheduler/schedules', { ...schedule, startWorkflowRequest });
  const event = `conductor:${flow}:${start}done`;
  const actions = [{ action: 'start_workflow', start_workflow: { name: flow, version: 1 } }];
  const handler = { name: `${start}_handler`, event, active: true, actions };
  await must('POST', '/api/event', [handler]);
  await must('POST', '/api/metadata/webhook', {
    ...{ id: `${start}_hook`, name: `${start}_hook`, sourcePlatform: 'Custom' },
    ...{
      verifier: 'HEADER_BASED',
      headers: { 'x-key': `${start}key` },
      workflowsToStart: { [flow]: 1 },
    },
  });
  const job = await must('POST', '/api/bulk-jobs', { action: 'pause', ids: [running] });
  for (const id of [failed, running, humanId, taskId, job.jobId]) secretIds.add(String(id));
  ids = {
    ...{ name: flow, workflowId: failed, taskId, jobId: job.jobId, taskRefName: `${start}_ref` },
    ...{
      event,
      webhookId: `${start}_hook`,
      userId: 'foreign_words_ann@x.org',
      humanWorkflowId: humanId,
    },
    ...{ humanTaskRef: 'human', topic: `execution:${failed}`, tag: 'a:b', model: 'a:b' },
  };
  await until('all of it is found', async () => {
    const found = await must('GET', `/api/workflow/search?freeText=${start}input`);
    return found.totalHits === 2;
  });
}

async function startFlow(): Promise<string> {
  const input = { said: `${start}input` };
  return must('POST', '/api/workflow', {
    ...{ name: flow, version: 1, correlationId: `${start}_corr`, input },
  });
}

/** With each of some values for names: alone, with each parameter, and with all. */
function pathsOf(endpoint: Endpoint, known: Ids): string[] {
  const { pattern, query } = endpoint;
  const path = pattern.replace(/\{(\w+)\}/g, (_all, name: string) =>
    encodeURIComponent(valueOf(known, endpoint, name) || 'none'),
  );
  const asked = (names: readonly string[]): string => {
    const texts = names.map(
      (name) => `${name}=${encodeURIComponent(valueOf(known, endpoint, name))}`,
    );
    return texts.length === 0 ? path : `${path}?${texts.join('&')}`;
  };
  const required = query.filter((each) => each.required).map(({ name }) => name);
  const optional = query.filter((each) => !each.required).map(({ name }) => name);
  const each = optional.map((name) => asked([...required, name]));
  return [...new Set([asked(required), ...each, asked([...required, ...optional])])];
}

/** Words and ids of the owner's that stand in an answer and not in what was asked. */
function told(path: string, text: string): string[] {
  const words = text.match(new RegExp(`${start}\\w*`, 'g')) ?? [];
  const found = [...secretIds].filter((id) => text.includes(id));
  const asked = decodeURIComponent(path);
  return [...new Set([...words, ...found])].filter((word) => !asked.includes(word));
}

/** Every route that reads, with these names of what the owner has. */
async function readingPaths(names: readonly string[]): Promise<Set<string>> {
  const endpoints = (await describedEndpoints(server.nobody)).filter(
    ({ method, name }) => method === 'GET' && !notAsked.has(name),
  );
  const known = names.map((name) => ({ ...ids, name }));
  return new Set(endpoints.flatMap((each) => known.flatMap((some) => pathsOf(each, some))));
}

async function toldBy(who: Session): Promise<string[]> {
  const found: string[] = [];
  const names = [flow, work, `${start}_human`, `${start}_schedule`, `${start}_handler`];
  for (const path of await readingPaths(names)) {
    const { status, text } = await who.get(path);
    const words = told(path, text);
    if (words.length > 0) found.push(`${path} (${status}): ${words.join(', ')}`);
  }
  return found;
}

it('tells a user no word of what another one owns, by any route that reads', async () => {
  expect(await toldBy(ben)).toEqual([]);
  // The same questions show them to who owns them.
  expect((await toldBy(ann)).length).toBeGreaterThan(100);
}, 120_000);

it('shows an id without the mark that tells it from who had it before', async () => {
  const marked: string[] = [];
  let named = 0;
  for (const path of await readingPaths([flow, work])) {
    const { text } = await server.admin.get(path);
    if (text.includes('\\u0000') || text.includes('\u0000')) marked.push(path);
    if (text.includes('foreign_words_ann@x.org')) named += 1;
  }
  expect(marked.join('\n')).toBe('');
  expect(named).toBeGreaterThan(50);
}, 120_000);

it('tells nothing by the number of what is found', async () => {
  const searches = [
    ...[`${start}input`, `${start}output`, reason, `${start}_corr`, '*'].map(
      (text) => `freeText=${text}`,
    ),
    ...[
      `workflowType = '${flow}'`,
      `correlationId = '${start}_corr'`,
      `workflowId = '${ids.workflowId}'`,
      'status = FAILED',
    ].map((text) => `query=${encodeURIComponent(text)}`),
  ];
  const routes = ['search', 'search-v2', 'search-by-tasks', 'search-by-tasks-v2'];
  const paths = [
    ...routes.map((route) => `/api/workflow/${route}`),
    '/api/tasks/search',
    '/api/tasks/search-v2',
  ];
  const found: string[] = [];
  const ofAnn: string[] = [];
  for (const path of paths.flatMap((each) => searches.map((search) => `${each}?${search}`))) {
    const [mine, hers] = [await ben.get(path), await ann.get(path)];
    if (mine.status === 200 && mine.body.totalHits !== 0) found.push(`${path}: ${mine.text}`);
    if (hers.body.totalHits > 0) ofAnn.push(path);
  }
  expect(found).toEqual([]);
  expect(ofAnn.length).toBeGreaterThan(paths.length);
});

it('names no execution to who reports on a foreign task, or reruns from it', async () => {
  const { taskId = '', workflowId = '' } = ids;
  const own = {
    name: 'bens',
    version: 1,
    tasks: [{ type: 'NOOP', name: 'n', taskReferenceName: 'n' }],
  };
  const mine = (await ben.post('/api/workflow', { name: 'bens', workflowDef: own })).text;
  await until('the end', async () => {
    return (await ben.get(`/api/workflow/${mine}`)).body.status === 'COMPLETED';
  });
  const result = { workflowInstanceId: mine, taskId, status: 'COMPLETED' };
  for (const [path, body] of [
    ['/api/tasks', result],
    ['/api/tasks/update-v2', result],
    [`/api/tasks/${taskId}/log`, 'forged'],
    [`/api/workflow/${mine}/rerun`, { reRunFromTaskId: taskId }],
  ] as const) {
    const { status, text } = await ben.post(path, body);
    expect({ path, status }).toEqual({ path, status: 403 });
    expect(text).toContain(`access on TASK ${taskId}`);
    expect(text).not.toContain(workflowId);
  }
});
