// The long form of the soak (`npm run soak -- --help`). Exits with 1 on any finding.
import { readOptions } from '../../bin/lib/options.mjs';
import { topologyKinds } from '../../cluster/redis-topologies.js';
import { loadNames } from './loads.js';
import { runSoak } from './soak.js';

const values = readOptions({
  command: 'npm run soak --',
  about:
    'Runs rounds of the same work on a server or a cluster, each with names of its own, and looks for what is left of them.',
  options: {
    nodes: { type: 'integer', default: 1, about: 'a cluster of so many nodes' },
    redis: { type: 'string', default: 'single', oneOf: topologyKinds, about: 'its Redis' },
    rounds: {
      type: 'integer',
      default: 40,
      about: 'rounds; memory is judged from 30 on, since caches fill before',
    },
    size: { type: 'integer', default: 1, about: 'multiplies the work of a round' },
    only: { type: 'string', someOf: loadNames, about: 'the loads to run; else all' },
    evidence: { type: 'string', about: 'folder for snapshots of the heap, middle and end' },
  },
});
const { findings } = await runSoak({
  nodes: values.nodes,
  redis: values.redis,
  rounds: values.rounds,
  size: values.size,
  only: values.only?.split(',') ?? [],
  ...(values.evidence === undefined ? {} : { evidence: values.evidence }),
  say: console.log,
});
for (const text of findings) console.log(`  ${text}`);
console.log(`${findings.length} findings`);
process.exitCode = findings.length === 0 ? 0 : 1;
