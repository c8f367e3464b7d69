// Large reports are read in a thread (src/api/large-bodies.ts): what comes of them is what comes of
// small ones, to the letter. That nobody waits for them is shown by the floods of `npm run attack`.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { sharedMortalServer } from '../support/shared-server.js';

const server = sharedMortalServer(import.meta.url);
let api: ApiClient;
beforeAll(async () => {
  api = new ApiClient(server.url, { requestTimeoutMs: 50_000 });
  const task = { name: 'large_bodies_report', taskReferenceName: 'report', type: 'SIMPLE' };
  const next = {
    ...{ name: 'large_bodies_next', taskReferenceName: 'next', type: 'SIMPLE' },
    inputParameters: { probe: '${report.output.probe}' },
  };
  await api.registerWorkflows({
    ...{ name: 'large_bodies_flow', version: 1, ownerEmail: 'a@x.org', tasks: [task, next] },
    outputParameters: { probe: '${report.output.probe}', whole: '${report.output}' },
  } as never);
});
afterAll(() => api.close());

const route = async (
  path: string,
  init?: RequestInit,
): Promise<{ status: number; text: string }> => {
  const answer = await fetch(server.url + path, init);
  return { status: answer.status, text: await answer.text() };
};

interface Polled {
  readonly taskId: string;
  readonly workflowInstanceId: string;
}

async function begin(): Promise<Polled> {
  await api.start({ name: 'large_bodies_flow', version: 1 } as never);
  const { text } = await route('/api/tasks/poll/batch/large_bodies_report?count=1&timeout=5000');
  return (JSON.parse(text) as Polled[])[0] as Polled;
}

/** Reports an output given as text; `fill` makes the body large. */
function report(polled: Polled, output: string, path = '/api/tasks') {
  const { taskId, workflowInstanceId } = polled;
  const ids = JSON.stringify({ taskId, workflowInstanceId, status: 'COMPLETED' });
  const body = `{"outputData": ${output} ,${ids.slice(1)}`;
  return route(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
}

/** A member of many values, or none. */
const filled = (probe: string, isLarge: boolean): string => {
  const rows = Array.from({ length: 20_000 }, (_, at) => `{"at": ${at}, "name": "row ${at}"}`);
  return isLarge ? `{"rows": [${rows.join(', ')}], "probe": ${probe}}` : `{"probe": ${probe}}`;
};

/** Spelled in ways that the server does not write itself. */
const odd = `{ "b": 1.50, "a": 1e2, "a": [12345678901234567890, -0, "\\u0041\\/\\ud800 \\"\\n", "ü😀\\u2028"],
  "10": {}, "9": [null, true], "": "", "${'\\u00e9'}": 0.1 }`;

/** The text of `probe` as a read of the execution shows it. */
async function shownProbe({ workflowInstanceId }: Polled): Promise<string> {
  const { text } = await route(`/api/workflow/${workflowInstanceId}`);
  const at = text.indexOf('"probe":{');
  return text.slice(at, text.indexOf('}', text.indexOf('"b":1.5', at)) + 1);
}

describe('a large report', () => {
  it.each(['/api/tasks', '/api/tasks/update-v2'])(
    'gives what a small one gives: %s',
    async (path) => {
      const shown: string[] = [];
      for (const isLarge of [false, true]) {
        const polled = await begin();
        expect((await report(polled, filled(odd, isLarge), path)).status).toBeLessThan(205);
        // An expression has read it.
        const next = await route('/api/tasks/poll/batch/large_bodies_next?count=1&timeout=5000');
        shown.push(JSON.stringify(JSON.parse(next.text)[0].inputData));
        shown.push(await shownProbe(polled));
        await api.terminate?.(polled.workflowInstanceId);
      }
      expect(shown[2]).toBe(shown[0]);
      expect(shown[3]).toBe(shown[1]);
      expect(shown[1]).toContain('12345678901234567890');
    },
  );

  it('is stored whole', { timeout: 60_000 }, async () => {
    const polled = await begin();
    await report(polled, filled(odd, true));
    const before = (await route(`/api/workflow/${polled.workflowInstanceId}`)).text;
    await server.kill('SIGKILL');
    await server.restart();
    const after = (await route(`/api/workflow/${polled.workflowInstanceId}`)).text;
    expect(after.length).toBeGreaterThan(500_000);
    const rows = (text: string): unknown => JSON.parse(text).tasks[0].outputData;
    expect(rows(after)).toEqual(rows(before));
  });

  it.each([
    ['malformed', '{"a": [}'],
    ['with a key that prototypes have', '{"__proto__": {}}'],
    ['nested too deeply', '['.repeat(600) + ']'.repeat(600)],
  ])('that is %s is refused in the same words', async (_what, probe) => {
    const polled = await begin();
    const small = await report(polled, filled(probe, false));
    const large = await report(polled, filled(probe, true));
    expect([small.status, large.status]).toEqual([400, 400]);
    const messageOf = (text: string): string =>
      (JSON.parse(text).message as string).replace(/position \d+.*|, .*is not valid JSON/, '');
    expect(messageOf(large.text)).toBe(messageOf(small.text));
    // The task is still there to be reported.
    expect((await report(polled, filled('{}', true))).status).toBe(200);
  });

  it('that is beyond a limit of values ends its task with the reason', async () => {
    const polled = await begin();
    const text = JSON.stringify('x'.repeat(11 * 1024 * 1024));
    expect((await report(polled, `{"text": ${text}}`)).status).toBe(200);
    const { text: shown } = await route(`/api/workflow/${polled.workflowInstanceId}`);
    expect(shown).toContain('The output of the task is larger than');
  });

  it('without a map as its output is refused as a small one is', async () => {
    const polled = await begin();
    const list = `[${'1,'.repeat(300_000)}1]`;
    const [small, large] = [await report(polled, '[1]'), await report(polled, list)];
    expect([small.status, large.status]).toEqual([400, 400]);
    expect(JSON.parse(large.text).message).toBe(JSON.parse(small.text).message);
  });
});
