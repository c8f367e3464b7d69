// Counts the messages between the nodes of a large cluster, in the simulation: `node bin/tool.mjs
// bench/many-nodes [--nodes 3,10,30,100]` (docs/scaling.md).
import { readOptions } from '../bin/lib/options.mjs';
import { controlTraffic } from '../test/simulation/many-nodes.js';

const { nodes } = readOptions({
  command: 'node bin/tool.mjs bench/many-nodes',
  about: 'Counts on a virtual clock what nodes say to each other and to Redis.',
  options: {
    nodes: { type: 'string', default: '3,10,30,100', about: 'sizes of clusters' },
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
}
