// On which Redis the servers of tests run. By default each starts its private one. With
// DOWNBEAT_TEST_REDIS=sentinel or =cluster all of them share a primary with replicas and Sentinels,
// or a Redis Cluster, that the run starts once; each server gets a prefix of its own. So the same
// tests show that the server is the same on each.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { startTopology, topologyKinds, type TopologyKind } from '../../cluster/redis-topologies.js';

const kindVariable = 'DOWNBEAT_TEST_REDIS';
/** Tells the processes of the test runner where it is. */
const urlVariable = 'DOWNBEAT_TEST_REDIS_URL';

/** undefined: each server starts its own. Throws for an unknown name. */
export function sharedKind(): TopologyKind | undefined {
  const name = process.env[kindVariable] ?? '';
  if (name === '') return undefined;
  const kind = topologyKinds.find((each) => each === name);
  if (kind !== undefined) return kind;
  throw new Error(`${kindVariable} must be one of ${topologyKinds.join(', ')}, not ${name}`);
}

/**
 * Arguments of a server with this folder: its store, and what it would have by itself beside a
 * private Redis, a folder for objects and a key for secrets.
 */
export function sharedRedisArgs(dataDir: string): string[] {
  const url = process.env[urlVariable];
  if (url === undefined) return [];
  const secretsKey = createHash('sha256').update(dataDir).digest('base64');
  return [
    ...['--redis-url', url, '--redis-prefix', path.basename(dataDir)],
    ...['--object-store', 'folder', '--secrets-key', secretsKey],
  ];
}

/** Called by the test runner before the first file; what it returns is called after the last. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const kind = sharedKind();
  if (kind === undefined) return undefined;
  const topology = await startTopology(kind);
  process.env[urlVariable] = topology.url;
  return () => topology.stop();
}
