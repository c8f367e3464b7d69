// Quotas on open tasks and on stored bytes, by caller and by definition, on a started server. They
// are counted from the executions themselves: a server that was killed counts them anew.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Answer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let server: SecuredServer;
let neighbour: Session;

const email = 'held@example.org';
const task = (ref: string, more: object): object => ({
  name: ref,
  taskReferenceName: ref,
  ...more,
});
const waits = (ref: string): object =>
  task(ref, { type: 'WAIT', inputParameters: { duration: '1 hours' } });
const workflow = (name: string, tasks: object[]): object => ({
  ...{ name, version: 1, schemaVersion: 2, ownerEmail: email },
  tasks,
});
const forkOf = (branches: number): object[] => {
  const refs = Array.from({ length: branches }, (_, i) => `w${i}`);
  return [
    task('fork', { type: 'FORK_JOIN', forkTasks: refs.map((ref) => [waits(ref)]) }),
    task('join', { type: 'JOIN', joinOn: refs }),
  ];
};

beforeAll(async () => {
  server = await SecuredServer.start({
    args: [
      ...['--caller-open-tasks-max', '60', '--definition-open-tasks-max', '40'],
      ...['--caller-stored-bytes-max', '400000', '--definition-stored-bytes-max', '200000'],
    ],
  });
  neighbour = await server.application('neighbour', ['USER']);
  await neighbour.put('/api/metadata/workflow', [workflow('quiet', [waits('w')])]);
});

afterAll(() => server.stop());

const start = (session: Session, name: string, input: object = {}): Promise<Answer> =>
  session.post('/api/workflow', { name, version: 1, input });

async function refusals(quota: string): Promise<number> {
  const { text } = await server.nobody.get('/metrics');
  const line = new RegExp(`^downbeat_quota_refusals_total\\{quota="${quota}"\\} (\\S+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

/** Starts until one is refused; the refusal and the ids of those before it. */
async function fill(
  session: Session,
  nameOf: (count: number) => string,
  input?: object,
): Promise<{ refused: Answer; ids: string[] }> {
  const ids: string[] = [];
  for (;;) {
    const answer = await start(session, nameOf(ids.length), input);
    if (answer.status !== 200) return { refused: answer, ids };
    ids.push(answer.text);
  }
}

function expectRefusal({ status, headers, body }: Answer, setting: string, who: string): void {
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toBe('1');
  expect(body.message).toContain(`(${setting})`);
  expect(body.message).toContain(who);
}

describe('open tasks', () => {
  it('of a definition are bounded, also after a kill; those that end make room', async () => {
    const many = await server.application('many', ['USER']);
    await many.put('/api/metadata/workflow', [workflow('ten', forkOf(10))]);
    // Ten branches and their join each.
    const { refused, ids } = await fill(many, () => 'ten');
    expectRefusal(refused, 'definitionOpenTasksMax', 'ten');
    expect(ids).toHaveLength(4);
    expect((await start(neighbour, 'quiet')).status).toBe(200);

    await server.server.kill();
    await server.server.restart();
    await until('the count of the records', async () => {
      const answer = await start(many, 'ten');
      if (answer.status === 200) await many.delete(`/api/workflow/${answer.text}`);
      return answer.status === 429;
    });
    expect((await many.delete(`/api/workflow/${ids[0] ?? ''}`)).status).toBeLessThan(300);
    expect((await start(many, 'ten')).status).toBe(200);
    expectRefusal(await start(many, 'ten'), 'definitionOpenTasksMax', 'ten');
    expect(await refusals('definitionOpenTasksMax')).toBeGreaterThan(0);
  });

  it('of a caller are bounded over all definitions; orders wait, and why tells', async () => {
    const wide = await server.application('wide', ['USER']);
    const order = { startWorkflow: { name: 'wide-a', version: 1, input: {} } };
    await wide.put('/api/metadata/workflow', [
      workflow('wide-a', forkOf(14)),
      workflow('wide-b', forkOf(14)),
      workflow('orders-wide', [
        waits('first'),
        task('o', { type: 'START_WORKFLOW', inputParameters: order }),
      ]),
    ]);
    const ordering = await start(wide, 'orders-wide');
    expect(ordering.status).toBe(200);
    const { refused, ids } = await fill(wide, (count) => (count % 2 === 0 ? 'wide-a' : 'wide-b'));
    expectRefusal(refused, 'callerOpenTasksMax', wide.subject);
    expect(ids).toHaveLength(4);
    const { body: waiting } = await wide.get(`/api/workflow/${ordering.text}`);
    const [first] = waiting.tasks as { taskId: string }[];
    await wide.post('/api/tasks', {
      workflowInstanceId: ordering.text,
      taskId: first?.taskId,
      status: 'COMPLETED',
      outputData: {},
    });
    await until('why the order waits', async () => {
      const { text } = await wide.get(`/api/workflow/${ordering.text}/why`);
      return text.includes('waits for the quota callerOpenTasksMax');
    });
    expect((await wide.delete(`/api/workflow/${ids[0] ?? ''}`)).status).toBeLessThan(300);
    await until('the order', async () => {
      const { body } = await wide.get(`/api/workflow/${ordering.text}`);
      return body.status === 'COMPLETED';
    });
  });

  it('of a fork beyond the quota are refused with the reason, and its execution fails', async () => {
    const forks = await server.application('forks', ['USER']);
    await forks.put('/api/metadata/workflow', [
      workflow('fifty', forkOf(50)),
      workflow('grows', [
        task('fork', {
          type: 'FORK_JOIN_DYNAMIC',
          dynamicForkTasksParam: 'tasks',
          dynamicForkTasksInputParamName: 'inputs',
          inputParameters: { tasks: '${workflow.input.tasks}', inputs: {} },
        }),
        task('join', { type: 'JOIN' }),
      ]),
    ]);
    const tasks = Array.from({ length: 70 }, (_, i) => waits(`d${i}`));
    for (const [name, input, setting] of [
      ['fifty', {}, 'definitionOpenTasksMax'],
      ['grows', { tasks }, 'callerOpenTasksMax'],
    ] as const) {
      const { text: id } = await start(forks, name, input);
      const { body } = await forks.get(`/api/workflow/${id}`);
      expect(body.status).toBe('FAILED');
      expect(body.reasonForIncompletion).toContain(`(${setting})`);
      expect(await refusals(setting)).toBeGreaterThan(0);
    }
  });
});

describe('stored bytes', () => {
  const large = { text: 'x'.repeat(50_000) };

  it('of a definition are bounded, those of finished executions too; a removal makes room', async () => {
    const hoarder = await server.application('hoarder', ['USER']);
    await hoarder.put('/api/metadata/workflow', [workflow('done', [task('n', { type: 'NOOP' })])]);
    const { refused, ids } = await fill(hoarder, () => 'done', large);
    expectRefusal(refused, 'definitionStoredBytesMax', 'done');
    expect(ids.length).toBeGreaterThanOrEqual(3);

    await server.server.kill();
    await server.server.restart();
    const again = await until('the count of the records', async () => {
      const answer = await start(hoarder, 'done', large);
      if (answer.status === 200) {
        await hoarder.delete(`/api/workflow/${answer.text}/remove`);
        return undefined;
      }
      return answer;
    });
    expectRefusal(again, 'definitionStoredBytesMax', 'done');
    for (const id of ids) {
      expect((await hoarder.delete(`/api/workflow/${id}/remove`)).status).toBeLessThan(300);
    }
    expect((await start(hoarder, 'done')).status).toBe(200);
  });

  it('of a caller are bounded over all definitions', async () => {
    const heap = await server.application('heap', ['USER']);
    const names = ['heap-a', 'heap-b', 'heap-c', 'heap-d'];
    await heap.put(
      '/api/metadata/workflow',
      names.map((name) => workflow(name, [waits('w')])),
    );
    const nameOf = (count: number): string => names[count % 4] as string;
    const { refused, ids } = await fill(heap, nameOf, large);
    expectRefusal(refused, 'callerStoredBytesMax', heap.subject);
    expect(ids).toHaveLength(8);
    expect((await start(neighbour, 'quiet')).status).toBe(200);
  });
});
