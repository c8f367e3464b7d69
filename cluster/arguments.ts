// The arguments of `npm run cluster`.
import { parseArgs } from 'node:util';
import { topologyKinds, type TopologyKind } from './redis-topologies.js';

export interface ClusterArguments {
  readonly nodes: number;
  readonly redis: TopologyKind;
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

export const usage = `npm run cluster -- [--nodes 3] [--redis single|sentinel|cluster] [--port 8080]
                    [--workers N] [--load EXECUTIONS_PER_SECOND]
npm run cluster -- --fault NAME [--node node-2] [--port 8080]     in the cluster that runs`;

/** Throws with a sentence for an argument that cannot be used. */
export function parseClusterArguments(args: readonly string[]): ClusterArguments {
  const { values } = parseArgs({
    args: [...args],
    options: {
      nodes: { type: 'string', default: '3' },
      redis: { type: 'string', default: 'single' },
      port: { type: 'string', default: '8080' },
      workers: { type: 'string', default: '0' },
      load: { type: 'string', default: '0' },
      fault: { type: 'string' },
      node: { type: 'string' },
    },
  });
  const redis = topologyKinds.find((kind) => kind === values.redis);
  if (redis === undefined) throw new Error(`--redis must be one of ${topologyKinds.join(', ')}`);
  return {
    redis,
    nodes: numberOf('nodes', values.nodes, 1, 20),
    port: numberOf('port', values.port, 1, 65_000),
    workers: numberOf('workers', values.workers, 0, 10_000),
    load: numberOf('load', values.load, 0, 100_000),
    fault: values.fault,
    node: values.node,
  };
}

function numberOf(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  throw new Error(`--${name} must be a whole number from ${min} to ${max}`);
}
