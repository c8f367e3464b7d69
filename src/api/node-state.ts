// Endpoints about the server itself (contract-core 20.3): health, version, metrics.
import type { JsonMap } from '../model/json.js';
import { endpoint, plainText, rawEndpoint, replies, type Endpoint } from './endpoint.js';
import * as schema from '../model/schema.js';
import { actuatorHealthSchema, healthSchema } from './schemas/node-state.js';
import { json } from './route.js';

export interface NodeState {
  /** One sentence about why the node cannot serve now; undefined while it can. */
  trouble(): string | undefined;
  /** Shown beside the health, for example the durability level (invariants section 2). */
  healthDetails(): JsonMap;
  /** How each process of this start is; absent where there is one. */
  processes?(): Promise<readonly ProcessState[]>;
  /** Prometheus text format 0.0.4. */
  metrics(): string | Promise<string>;
  readonly version: string;
}

/** One of several processes that a start runs on one port. */
export interface ProcessState {
  readonly node: string;
  readonly healthy: boolean;
  readonly why?: string;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export function nodeStateRoutes(state: NodeState): Endpoint[] {
  return [
    healthRoute(state, '/health', 'getHealth'),
    healthRoute(state, '/api/health', 'getHealthOfApi'),
    actuatorRoute('/actuator/health', 'getActuatorHealth', state),
    actuatorRoute('/actuator/health/readiness', 'getActuatorReadiness', state),
    actuatorRoute('/actuator/health/liveness', 'getActuatorLiveness'),
    endpoint({
      method: 'GET',
      pattern: '/health/live',
      name: 'getLiveness',
      summary: 'Answers as long as the process runs, also while it cannot serve.',
      access: { rule: 'public' },
      reply: plainText('live'),
      handle: () => 'live',
    }),
    endpoint({
      method: 'GET',
      pattern: '/api/version',
      name: 'getVersion',
      summary: 'Shows the version of the server.',
      access: { rule: 'public' },
      reply: plainText('The version'),
      handle: () => state.version,
    }),
    rawEndpoint({
      method: 'GET',
      pattern: '/metrics',
      name: 'getMetrics',
      summary: 'Shows the metrics of all processes of this start in the Prometheus text format.',
      access: { rule: 'public' },
      replies: { 200: { schema: schema.text(), contentType: metricsType } },
      handle: async () => ({
        status: 200,
        contentType: metricsType,
        body: await state.metrics(),
      }),
    }),
  ];
}

function healthRoute(state: NodeState, pattern: string, name: string): Endpoint {
  return rawEndpoint({
    method: 'GET',
    pattern,
    name,
    summary: 'Tells whether this node, or one of the processes on its port, can serve.',
    access: { rule: 'public' },
    replies: replies(healthSchema, { 503: { schema: healthSchema, description: 'It cannot' } }),
    handle: async () => {
      const why = state.trouble();
      const processes = await state.processes?.();
      const healthy = canServe(why, processes);
      const health = {
        healthResults: [],
        suppressedHealthResults: [],
        healthy,
        details: {
          ...state.healthDetails(),
          ...(why !== undefined && { why }),
          ...(processes !== undefined && { processes: processes.map((one) => ({ ...one })) }),
        },
      };
      return { ...json(health), status: healthy ? 200 : 503 };
    },
  });
}

/** Whether this node can, or another process on its port. */
function canServe(why: string | undefined, processes?: readonly ProcessState[]): boolean {
  return why === undefined || (processes?.some(({ healthy }) => healthy) ?? false);
}

/** Where probes of the open-source server look. Without `state` it tells that the process runs. */
function actuatorRoute(pattern: string, name: string, state?: NodeState): Endpoint {
  return rawEndpoint({
    method: 'GET',
    pattern,
    name,
    summary:
      state === undefined
        ? 'Answers as long as the process runs, for probes that look here.'
        : 'Tells whether this node can serve, for probes that look here.',
    access: { rule: 'public' },
    replies: replies(
      actuatorHealthSchema,
      state === undefined
        ? {}
        : { 503: { schema: actuatorHealthSchema, description: 'It cannot' } },
    ),
    handle: async () => {
      const isUp = canServe(state?.trouble(), await state?.processes?.());
      return { ...json({ status: isUp ? 'UP' : 'DOWN' }), status: isUp ? 200 : 503 };
    },
  });
}
