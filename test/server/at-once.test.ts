// Many controls of one execution at the same time, among them its removal: each is carried out or
// refused, none is lost, left without an answer or told to come again, for nothing was in the way
// but the others. Changes of one record at the same time are all kept for the same reason.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { sharedServer } from '../support/shared-server.js';

const server = sharedServer(import.meta.url);
let api: ApiClient;

beforeAll(async () => {
  api = new ApiClient(server.url);
  await api.registerTasks({ name: 'at_once_work', retryCount: 0 });
  await api.registerWorkflows({
    name: 'at_once_one',
    tasks: [{ name: 'at_once_work', taskReferenceName: 'a' }],
  });
});

afterAll(async () => {
  await api.close();
});

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Ask = [Method, string, unknown?];

const controls = (id: string): Ask[] => [
  ['DELETE', `/api/workflow/${id}`],
  ['POST', `/api/workflow/${id}/restart`],
  ['POST', `/api/workflow/${id}/retry`],
  ['POST', `/api/workflow/${id}/rerun`, {}],
  ['PUT', `/api/workflow/${id}/pause`],
  ['PUT', `/api/workflow/${id}/resume`],
  ['PUT', `/api/workflow/decide/${id}`],
  ['POST', `/api/workflow/${id}/variables`, { v: 1 }],
  ['POST', `/api/tasks/${id}/a/COMPLETED`, {}],
  ['GET', `/api/workflow/${id}`],
];

async function statuses(asks: readonly Ask[]): Promise<number[]> {
  const answers = await Promise.all(
    asks.map(([method, path, body]) => api.request(method, path, body)),
  );
  return answers.map(({ status }) => status);
}

/** Rounds of all controls at once; the order differs from round to round. */
function crowd(asks: readonly Ask[], rounds: number): Ask[] {
  return Array.from({ length: rounds * asks.length }, (_, i) => {
    const round = Math.floor(i / asks.length);
    return asks[(i * (round % 2 === 0 ? 1 : 3) + round) % asks.length] as Ask;
  });
}

describe('controls of one execution at once', () => {
  it('are carried out or refused one after the other', async () => {
    for (let n = 0; n < 8; n++) {
      const id = await api.start({ name: 'at_once_one', version: 1, input: {} });
      // What has ended is not in memory: all of them wait for the same load.
      await api.ask('DELETE', `/api/workflow/${id}`);
      const seen = await statuses(crowd(controls(id), 12));
      expect(seen.filter((status) => status >= 500)).toEqual([]);
      expect((await api.request('GET', `/api/workflow/${id}`)).status).toBe(200);
    }
  });

  it('end with its removal', async () => {
    for (let n = 0; n < 80; n++) {
      const id = await api.start({ name: 'at_once_one', version: 1, input: {} });
      const removals: Ask[] = [
        ['DELETE', `/api/workflow/${id}/remove?archiveWorkflow=false`],
        ['DELETE', `/api/workflow/${id}/terminate-remove?archiveWorkflow=false`],
      ];
      const asks = crowd([...controls(id), ...removals, ...removals], 6);
      const seen = await statuses(asks);
      expect(seen.filter((status) => status >= 500)).toEqual([]);
      const removed = asks.filter(([, path], i) => path.includes('remove?') && seen[i] === 200);
      expect(removed).toHaveLength(1);
      expect((await api.request('GET', `/api/workflow/${id}`)).status).toBe(404);
    }
  });
});

describe('changes of one record at once are all kept:', () => {
  const numbers = Array.from({ length: 30 }, (_, i) => i + 1);
  const each = (ask: (n: number) => Ask): Promise<number[]> => statuses(numbers.map(ask));
  const done = numbers.map(() => 200);
  const read = async (path: string): Promise<unknown> => (await api.ask('GET', path)).body;

  it('tags', async () => {
    const path = '/api/metadata/workflow/at_once_one/tags';
    expect(await each((n) => ['POST', path, { key: `k${n}`, value: 'v' }])).toEqual(done);
    expect(await read(path)).toHaveLength(30);
  });

  it('groups of a user', async () => {
    const user = '/api/users/at_once_ann@x.org';
    await api.ask('PUT', user, { name: 'Ann' });
    expect(await each((n) => ['PUT', `/api/groups/at_once_g${n}`, { description: 'd' }])).toEqual(
      done,
    );
    const named = each(() => ['PUT', user, { name: 'Anna' }]);
    expect(
      await each((n) => ['POST', `/api/groups/at_once_g${n}/users/at_once_ann@x.org`]),
    ).toEqual(done);
    expect(await named).toEqual(done);
    expect(await read(user)).toMatchObject({ name: 'Anna' });
    const twice = ['at_once_ann@x.org', 'At_once_Ann@x.org'];
    expect(await statuses([['DELETE', '/api/groups/at_once_g1/users', twice]])).toEqual([200]);
    expect(await statuses([['POST', '/api/groups/at_once_g1/users', twice]])).toEqual([200]);
    expect(((await read(user)) as { groups: unknown[] }).groups).toHaveLength(30);
  });

  it('a secret that is created', async () => {
    const path = '/api/environment/at_once_created';
    expect(await each((n) => ['PUT', path, `v${n}`])).toEqual(done);
    expect(await each((n) => ['PUT', '/api/secrets/at_once_created', `v${n}`])).toEqual(done);
    expect(await read('/api/secrets/at_once_created')).toMatch(/^"?v\d+"?$/);
  });

  it('versions', async () => {
    const tasks = [{ name: 'at_once_work', taskReferenceName: 'a' }];
    const def = { name: 'at_once_grows', ownerEmail: 'a@b.co', tasks };
    const path = '/api/metadata/workflow?newVersion=true';
    expect(await each(() => ['POST', path, def])).toEqual(done);
    expect(await read('/api/metadata/workflow/at_once_grows/versions')).toHaveLength(30);
    const prompt = '/api/prompts/at_once_grows?description=d&autoIncrement=true';
    expect(await each((n) => ['POST', prompt, `text ${n}`])).toEqual(done);
    expect(await read('/api/prompts/at_once_grows/versions')).toHaveLength(30);
  });
});
