// Counts the messages between the nodes of a large cluster, in the simulation: `node bin/tool.mjs
// bench/many-nodes [--nodes 3,10,30,100] [--primaries 12]` (docs/scaling.md).
import { readOptions } from '../bin/lib/options.mjs';
import { controlTraffic } from '../test/simulation/many-nodes.js';
import { rackFailover } from '../test/simulation/rack-failover.js';

const { nodes, primaries } = readOptions({
  command: 'node bin/tool.mjs bench/many-nodes',
  about: 'Counts on a virtual clock what nodes say to each other and to Redis.',
  options: {
    nodes: { type: 'string', default: '3,10,30,100', about: 'sizes of clusters' },
    primaries: { type: 'integer', default: 12, about: 'of the store, a third of which fails over' },
  },
});

for (const count of nodes.split(',').map(Number)) {
  const traffic = await controlTraffic(count);
  console.log(
    `${count} nodes: ${traffic.announcements} messages to announce a queue at each; idle ` +
      `${traffic.messagesPerSecond.toFixed(1)} messages and ` +
      `${traffic.bytesPerSecond.toFixed(0)} bytes a second, ` +
      `${(traffic.storeCallsPerSecond / count).toFixed(1)} store calls a second and node; ` +
      `a third of them dies: all shards are served after ${traffic.takeoverMs.toFixed(0)} ms, ` +
      `${traffic.takeoverMessages} messages, ${traffic.takeoverStoreCalls} store calls`,
  );
  const rack = await rackFailover({ nodes: count, primaries });
  console.log(
    `  ${rack.gone} of ${primaries} primaries with ${rack.shardsGone} of the shards are away for ` +
      `5 s and come back without their last 200 ms: of ${rack.startsBeside} starts in other ` +
      `shards ${rack.refusedBeside} were refused meanwhile (${rack.refusedWhileLeased} while the ` +
      `leases of nodes lasted); all shards accept starts ` +
      `${rack.servedAfterMs.toFixed(0)} ms after`,
  );
}
