// BullMQ flows: a library that works on Redis by itself, so its "server" is the process of the
// caller (bullmq-flows.mjs, run from the folder where BullMQ is installed).
import type { Peer } from './contract.js';
import { startDurableRedis } from './durable-redis.js';
import { runLibrary } from './library-run.js';

export async function startBullmq(): Promise<Peer> {
  const redis = await startDurableRedis();
  let runs = 0;
  return {
    name: 'BullMQ',
    settings: 'one worker of concurrency 100, flows by addBulk, removeOnComplete, noeviction',
    run: (load) =>
      runLibrary({
        ...{ program: 'bullmq-flows.mjs', load, redis: redis.pid },
        job: { port: redis.port, queue: `chain${runs++}` },
      }),
    stop: () => redis.stop(),
  };
}
