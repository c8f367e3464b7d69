// Quotas by caller and by definition on a started server: who is beyond one gets 429 with a time,
// others do not notice, what an execution orders waits, and `why` and /metrics tell.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecuredServer, type Answer, type Session } from '../../testkit/secured-server.js';
import { until } from '../../testkit/until.js';

let server: SecuredServer;
let flooder: Session;
let neighbour: Session;

const email = 'quotas@example.org';
const task = (ref: string, more: object): object => ({
  name: ref,
  taskReferenceName: ref,
  ...more,
});
const workflow = (name: string, tasks: object[]): object => ({
  ...{ name, version: 1, schemaVersion: 2, ownerEmail: email },
  tasks,
});

beforeAll(async () => {
  server = await SecuredServer.start({
    args: [
      ...['--caller-starts-per-second-max', '4', '--definition-starts-per-second-max', '5'],
      ...['--caller-parked-polls-max', '2', '--definition-open-executions-max', '20'],
      ...['--caller-open-executions-max', '25', '--caller-script-ms-per-second-max', '100'],
    ],
  });
  flooder = await server.application('flooder', ['USER', 'UNRESTRICTED_WORKER']);
  neighbour = await server.application('neighbour', ['USER', 'UNRESTRICTED_WORKER']);
  await neighbour.put('/api/metadata/workflow', [
    workflow('quiet', [task('w', { type: 'WAIT', inputParameters: { duration: '1 hours' } })]),
  ]);
  const ordered = { startWorkflow: { name: 'ordered', version: 1, input: {} } };
  const orders = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'].map((ref) => [
    task(ref, { type: 'START_WORKFLOW', inputParameters: ordered }),
  ]);
  await flooder.put('/api/metadata/workflow', [
    workflow('mine', [task('w', { type: 'WAIT', inputParameters: { duration: '1 hours' } })]),
    workflow('ordered', [task('n', { type: 'NOOP' })]),
    workflow('orders', [
      task('fork', { type: 'FORK_JOIN', forkTasks: orders }),
      task('join', { type: 'JOIN', joinOn: ['a'] }),
    ]),
  ]);
});

afterAll(() => server.stop());

const start = (session: Session, name: string): Promise<Answer> =>
  session.post('/api/workflow', { name, version: 1, input: {} });

async function refusals(quota: string): Promise<number> {
  const { text } = await server.nobody.get('/metrics');
  const line = new RegExp(`^downbeat_quota_refusals_total\\{quota="${quota}"\\} (\\S+)$`, 'm');
  return Number(line.exec(text)?.[1] ?? 0);
}

describe('starts', () => {
  it('of a caller beyond its quota are refused with a time and the name of the setting', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => start(flooder, 'mine')));
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.headers.get('retry-after')).toBe('1');
    expect(refused?.body.message).toContain('callerStartsPerSecondMax');
    expect(refused?.body.message).toContain(flooder.subject);
    expect((await start(neighbour, 'quiet')).status).toBe(200);
    expect(await refusals('callerStartsPerSecondMax')).toBeGreaterThan(0);
  });

  it('that an execution orders wait for the quota of who started it, and why tells', async () => {
    const id = await until('a start', async () => {
      const answer = await start(flooder, 'orders');
      return answer.status === 200 ? answer.text : undefined;
    });
    const why = await until('an order that waits', async () => {
      const { body } = await flooder.get(`/api/workflow/${id}/why`);
      return (body.waitsFor as { data: { quota?: string }; reason: string }[]).find(
        ({ data }) => data.quota === 'callerStartsPerSecondMax',
      );
    });
    expect(why.reason).toContain('waits for the quota callerStartsPerSecondMax');
    await until('the end', async () => {
      const { body } = await flooder.get(`/api/workflow/${id}`);
      return body.status === 'COMPLETED';
    });
    const { body } = await flooder.get(`/api/workflow/${id}`);
    expect((body.tasks as { status: string }[]).every(({ status }) => status === 'COMPLETED')).toBe(
      true,
    );
  });
});

describe('the time of scripts', () => {
  const scripted = (name: string, rounds: number): object =>
    workflow(name, [
      // The answer to a start waits for a script that is its first task.
      task('w', { type: 'WAIT', inputParameters: { duration: '1 seconds' } }),
      task('s', {
        type: 'INLINE',
        inputParameters: {
          evaluatorType: 'javascript',
          expression: `(function () { let n = 0; for (let i = 0; i < ${rounds}; i++) n += i; return n; })()`,
        },
      }),
    ]);
  const started = (session: Session, name: string): Promise<string> =>
    until('a start', async () => {
      const answer = await start(session, name);
      return answer.status === 200 ? answer.text : undefined;
    });
  const statusOf = async (session: Session, id: string): Promise<unknown> =>
    (await session.get(`/api/workflow/${id}`)).body.status;

  it('of a caller beyond its quota is waited for, why tells, and others do not wait', async () => {
    await flooder.put('/api/metadata/workflow', [scripted('slow', 2_000_000)]);
    await neighbour.put('/api/metadata/workflow', [scripted('quick', 300_000)]);
    const first = await started(flooder, 'slow');
    await until('its end', async () => (await statusOf(flooder, first)) === 'COMPLETED');
    const second = await started(flooder, 'slow');
    await until('why', async () => {
      const { text } = await flooder.get(`/api/workflow/${second}/why`);
      return text.includes('waits for the quota callerScriptMsPerSecondMax');
    });
    const other = await started(neighbour, 'quick');
    await until('the end of another', async () => (await statusOf(neighbour, other)) !== 'RUNNING');
    expect(await statusOf(neighbour, other)).toBe('COMPLETED');
    expect(await statusOf(flooder, second)).toBe('RUNNING');
    // What the first one took beyond the quota is waited for: seconds, by the speed of the machine.
    await until('its end', async () => (await statusOf(flooder, second)) === 'COMPLETED', {
      timeoutMs: 45_000,
    });
  });
});

describe('long polls', () => {
  it('of a caller beyond its quota are refused, and those of another are not', async () => {
    const poll = (session: Session): Promise<Answer> =>
      session.get('/api/tasks/poll/batch/nothing?timeout=3000');
    const parked = [poll(flooder), poll(flooder)];
    const refused = await until('a refusal', async () => {
      const answer = await Promise.race([poll(flooder), parked[0]]);
      return answer?.status === 429 ? answer : undefined;
    });
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body.message).toContain('callerParkedPollsMax');
    expect((await poll(neighbour)).status).toBe(200);
    for (const answer of await Promise.all(parked)) expect(answer.status).toBe(200);
    expect(await refusals('callerParkedPollsMax')).toBeGreaterThan(0);
  });
});

describe('open executions of a definition', () => {
  const held = (id: string): Promise<string | undefined> =>
    until('the reasons', async () => (await neighbour.get(`/api/workflow/${id}/why`)).body).then(
      ({ waitsFor }) =>
        (waitsFor as { data: { quota?: string }; reason: string }[] | undefined)?.find(
          ({ data }) => data.quota === 'definitionOpenExecutionsMax',
        )?.reason,
    );

  it('are bounded, also after the process was killed; orders wait and why tells', async () => {
    const wait = task('w', { type: 'WAIT', inputParameters: { duration: '1 hours' } });
    const order = { startWorkflow: { name: 'few', version: 1, input: {} } };
    await neighbour.put('/api/metadata/workflow', [
      workflow('few', [wait]),
      workflow('orders-few', [task('o', { type: 'START_WORKFLOW', inputParameters: order })]),
    ]);
    const ids: string[] = [];
    const refusal = (): Promise<Answer> =>
      until('a refusal for open executions', async () => {
        const answer = await start(neighbour, 'few');
        if (answer.status === 200) ids.push(answer.text);
        const isOurs = String(answer.body.message).includes('definitionOpenExecutionsMax');
        return answer.status === 429 && isOurs ? answer : undefined;
      });
    const refused = await refusal();
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(ids).toHaveLength(20);

    await server.server.kill();
    await server.server.restart();
    await refusal();
    expect(ids).toHaveLength(20);

    const ordering = await until('a start', async () => {
      const answer = await start(neighbour, 'orders-few');
      return answer.status === 200 ? answer.text : undefined;
    });
    const why = await until('an order that waits', () => held(ordering));
    expect(why).toContain('waits for the quota definitionOpenExecutionsMax');
    expect((await neighbour.delete(`/api/workflow/${ids[0] ?? ''}`)).status).toBeLessThan(300);
    await until('the order', async () => {
      const { body } = await neighbour.get(`/api/workflow/${ordering}`);
      return body.status === 'COMPLETED';
    });
    await refusal();
    expect(ids).toHaveLength(20);
    expect(await refusals('definitionOpenExecutionsMax')).toBeGreaterThan(0);
  });
});

describe('open executions of a caller', () => {
  it('are bounded over all definitions, also after a kill; those that end make room', async () => {
    const busy = await server.application('busy', ['USER', 'UNRESTRICTED_WORKER']);
    const wait = task('w', { type: 'WAIT', inputParameters: { duration: '1 hours' } });
    const order = { startWorkflow: { name: 'one-of-busy', version: 1, input: {} } };
    const both = ['one-of-busy', 'other-of-busy'];
    await busy.put('/api/metadata/workflow', [
      ...both.map((name) => workflow(name, [wait])),
      workflow('orders-of-busy', [task('o', { type: 'START_WORKFLOW', inputParameters: order })]),
    ]);
    const ids: string[] = [];
    const refusal = (): Promise<Answer> =>
      until('a refusal for open executions of the caller', async () => {
        const answer = await start(busy, both[ids.length % 2] as string);
        if (answer.status === 200) ids.push(answer.text);
        const isOurs = String(answer.body.message).includes('callerOpenExecutionsMax');
        return answer.status === 429 && isOurs ? answer : undefined;
      });
    const refused = await refusal();
    expect(refused.body.message).toContain(busy.subject);
    expect(ids).toHaveLength(25);
    expect((await start(neighbour, 'quiet')).status).toBe(200);

    await server.server.kill();
    await server.server.restart();
    await refusal();
    expect(ids).toHaveLength(25);

    // The order's own execution takes the place of one that ended, so the ordered one has none.
    expect((await busy.delete(`/api/workflow/${ids[0] ?? ''}`)).status).toBeLessThan(300);
    const ordering = await until('a start', async () => {
      const answer = await start(busy, 'orders-of-busy');
      return answer.status === 200 ? answer.text : undefined;
    });
    await until('why the order waits', async () => {
      const { body } = await busy.get(`/api/workflow/${ordering}/why`);
      return JSON.stringify(body).includes('waits for the quota callerOpenExecutionsMax');
    });
    expect((await busy.delete(`/api/workflow/${ids[1] ?? ''}`)).status).toBeLessThan(300);
    await until('the order', async () => {
      const { body } = await busy.get(`/api/workflow/${ordering}`);
      return body.status === 'COMPLETED';
    });
    expect(await refusals('callerOpenExecutionsMax')).toBeGreaterThan(0);
  });
});
