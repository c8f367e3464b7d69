// The floor, of which figures of the server are told as multiples: it carries out the same load and
// writes as many bytes a task as it was told, else the multiples say nothing.
import { Redis } from 'ioredis';
import { beforeAll, expect, it } from 'vitest';
import { startFloor } from '../../bench/floor/floor.js';
import { measure } from '../../bench/measure.js';
import { chain } from '../../bench/scenarios.js';
import { buildTools } from '../support/build.js';

const bytesPerTask = 870;

beforeAll(buildTools, 180_000);

it.each(['crews', 'in-turn'] as const)('carries out chains by %s', async (mode) => {
  const scenario = chain(5, mode === 'in-turn' ? 5 : 1, 64);
  const floor = await startFloor(scenario, bytesPerTask);
  const redis = new Redis(floor.socketPath);
  try {
    const { load } = await measure(floor, scenario, 100, {
      ...{ mode, window: 50, starters: 4, workers: 8 },
      ...{ pollers: 2, pollCount: 20, pollTimeoutMs: 300 },
    });
    expect(load.tasks).toBe(500);
    expect(new Set(load.workflowIds).size).toBe(100);
    expect(await redis.dbsize()).toBe(600);
    const persistence = await redis.info('persistence');
    const bytes = Number(/^aof_current_size:(\d+)/m.exec(persistence)?.[1]);
    expect(bytes / load.tasks / bytesPerTask).toBeCloseTo(1, 1);
  } finally {
    redis.disconnect();
    await floor.stop();
  }
});
