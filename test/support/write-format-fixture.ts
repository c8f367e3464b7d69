// Writes the keyspace that test/upgrade opens in every later version:
// `node bin/tool.mjs test/support/write-format-fixture test/upgrade/format-3.json`. Only when the
// storage format gets a new number: the fixture of a format never changes.
import { writeFileSync } from 'node:fs';
import { RedisClient } from '../../src/redis/client.js';
import { ApiClient } from '../../testkit/api-client.js';
import { dumpKeyspace } from './keyspace-dump.js';
import { startRedis } from '../../testkit/redis.js';
import { startServer } from '../../testkit/server.js';
import { fillKeyspace, sealingKey } from './varied-keyspace.js';

const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: write-format-fixture FILE');
const store = await startRedis();
const server = await startServer({ redisUrl: store.url, args: ['--secrets-key', sealingKey] });
const api = new ApiClient(server.url);
const redis = new RedisClient({ url: store.url, prefix: 'db' });
try {
  const varied = await fillKeyspace(api);
  await server.kill('SIGTERM');
  await redis.connect();
  const { keys } = await dumpKeyspace(redis);
  const lines = keys.map((key) => `    ${JSON.stringify(key)}`).join(',\n');
  const head = JSON.stringify(varied, null, 2).replace(/\n}$/, '');
  writeFileSync(file, `${head},\n  "keys": [\n${lines}\n  ]\n}\n`);
} finally {
  redis.disconnect();
  await api.close();
  await server.stop();
  await store.stop();
}
