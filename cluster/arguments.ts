// The arguments of `npm run cluster`.
import { readOptions } from '../bin/lib/options.mjs';
import { topologyKinds, type TopologyKind } from './redis-topologies.js';

export interface ClusterArguments {
  readonly nodes: number;
  readonly redis: TopologyKind;
  /** The server to start for it, such as valkey-server; undefined: redis-server. */
  readonly 'redis-server': string | undefined;
  readonly port: number;
  /** Workers that poll, spread over the nodes; 0: none. */
  readonly workers: number;
  /** Executions started per second; 0: none. */
  readonly load: number;
  /** A fault to cause in the cluster that runs, instead of starting one. */
  readonly fault: string | undefined;
  /** The node that the fault hits. */
  readonly node: string | undefined;
}

/** Those of the process, which ends where they cannot be used. */
export function readClusterArguments(): ClusterArguments {
  return readOptions({
    command: 'npm run cluster --',
    about: 'Starts a cluster on this machine, or with --fault causes one in the cluster that runs.',
    options: {
      nodes: { type: 'integer', default: 3, min: 1, max: 20, about: 'nodes' },
      redis: { type: 'string', default: 'single', oneOf: topologyKinds, about: 'their Redis' },
      'redis-server': { type: 'string', about: 'its program, such as valkey-server' },
      port: {
        ...{ type: 'integer', default: 8080, min: 1, max: 65_000 },
        about: 'of the first node; the others and the control socket follow',
      },
      workers: { type: 'integer', default: 0, max: 10_000, about: 'workers that poll' },
      load: { type: 'integer', default: 0, max: 100_000, about: 'executions started per second' },
      fault: { type: 'string', about: 'name of a fault, such as kill' },
      node: { type: 'string', about: 'the node that it hits, such as node-2' },
    },
  });
}
