import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { PunctualLoad, tooLate, withoutTrouble } from './punctual-load.js';

describe('the judge of hand-outs in time', () => {
  const late = { visibleAt: 1000, askedAt: 1100, receivedAt: 2600 };

  it('finds one that came late, from the later of the task and the poll on', () => {
    expect(tooLate([late], [])).toHaveLength(1);
    expect(tooLate([{ ...late, askedAt: 2200 }], [])).toEqual([]);
    expect(tooLate([{ ...late, visibleAt: 2200 }], [])).toEqual([]);
  });

  it('allows what the machine was slow', () => {
    expect(tooLate([late], [{ at: 900, tookMs: 300 }])).toEqual([]);
    expect(tooLate([late], [{ at: 3000, tookMs: 300 }])).toHaveLength(1);
  });

  it('leaves out rounds near a request that failed', () => {
    expect(withoutTrouble([late], [600], 500)).toEqual([]);
    expect(withoutTrouble([late], [2500], 500)).toEqual([]);
    expect(withoutTrouble([late], [400, 2700], 500)).toEqual([late]);
  });
});

describe('a started server', () => {
  let server: RunningServer;
  let client: ApiClient;
  beforeAll(async () => {
    server = await startServer();
    client = new ApiClient(server.url, { connections: 32 });
  }, 180_000);
  afterAll(async () => {
    await client.close();
    await server.stop();
  });

  it(
    'hands tasks out to the poll after the one that ends as they become visible',
    { timeout: 120_000 },
    async () => {
      const load = await PunctualLoad.start(client, Date.now() % 1000, { lanes: 12, settledMs: 0 });
      load.begin();
      const found = await load.judge(60_000);
      await load.end();
      expect(found, load.describe()).toEqual([]);
    },
  );
});
