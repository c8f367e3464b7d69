// On which Redis the servers of tests run. By default each starts its private one. With
// DOWNBEAT_TEST_REDIS=sentinel or =cluster all of them share a primary with replicas and Sentinels,
// or a Redis Cluster, that the run starts once; each server gets a prefix of its own. So the same
// tests show that the server is the same on each.
import { sharedRedisVariable } from '../../testkit/shared-redis-args.js';
import { startTopology, topologyKinds, type TopologyKind } from '../../cluster/redis-topologies.js';

const kindVariable = 'DOWNBEAT_TEST_REDIS';

/** undefined: each server starts its own. Throws for an unknown name. */
export function sharedKind(): TopologyKind | undefined {
  const name = process.env[kindVariable] ?? '';
  if (name === '') return undefined;
  const kind = topologyKinds.find((each) => each === name);
  if (kind !== undefined) return kind;
  throw new Error(`${kindVariable} must be one of ${topologyKinds.join(', ')}, not ${name}`);
}

/** Called by the test runner before the first file; what it returns is called after the last. */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  const kind = sharedKind();
  if (kind === undefined) return undefined;
  const topology = await startTopology(kind);
  process.env[sharedRedisVariable] = topology.url;
  return () => topology.stop();
}
