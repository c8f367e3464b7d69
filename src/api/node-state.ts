// Endpoints about the server itself (contract-core 20.3): health, version, metrics.
import type { JsonMap } from '../model/json.js';
import { replies, repliesText, type Endpoint } from './endpoint.js';
import * as form from './form.js';
import { actuatorHealthForm, healthForm } from './forms/node-state.js';
import { json, text } from './route.js';

export interface NodeState {
  /** One sentence about why the node cannot serve now; undefined while it can. */
  trouble(): string | undefined;
  /** Shown beside the health, for example the durability level (invariants section 2). */
  healthDetails(): JsonMap;
  /** Prometheus text format 0.0.4. */
  metrics(): string | Promise<string>;
  readonly version: string;
}

const metricsType = 'text/plain; version=0.0.4; charset=utf-8';

export function nodeStateRoutes(state: NodeState): Endpoint[] {
  return [
    healthRoute(state, '/health', 'getHealth'),
    healthRoute(state, '/api/health', 'getHealthOfApi'),
    actuatorRoute('/actuator/health', 'getActuatorHealth', state),
    actuatorRoute('/actuator/health/readiness', 'getActuatorReadiness', state),
    actuatorRoute('/actuator/health/liveness', 'getActuatorLiveness'),
    {
      method: 'GET',
      pattern: '/health/live',
      name: 'getLiveness',
      summary: 'Answers as long as the process runs, also while it cannot serve.',
      access: { rule: 'public' },
      parameters: {},
      body: null,
      replies: repliesText(form.text('live')),
      errors: [],
      handle: () => text('live'),
    },
    {
      method: 'GET',
      pattern: '/api/version',
      name: 'getVersion',
      summary: 'Shows the version of the server.',
      access: { rule: 'public' },
      parameters: {},
      body: null,
      replies: repliesText(form.text('The version')),
      errors: [],
      handle: () => text(state.version),
    },
    {
      method: 'GET',
      pattern: '/metrics',
      name: 'getMetrics',
      summary: 'Shows the metrics of this node in the Prometheus text format.',
      access: { rule: 'public' },
      parameters: {},
      body: null,
      replies: { 200: { form: form.text(), contentType: metricsType } },
      errors: [],
      handle: async () => ({
        status: 200,
        contentType: metricsType,
        body: await state.metrics(),
      }),
    },
  ];
}

function healthRoute(state: NodeState, pattern: string, name: string): Endpoint {
  return {
    method: 'GET',
    pattern,
    name,
    summary: 'Tells whether this node can serve.',
    access: { rule: 'public' },
    parameters: {},
    body: null,
    replies: replies(healthForm, { 503: { form: healthForm, description: 'It cannot' } }),
    errors: [],
    handle: () => {
      const why = state.trouble();
      const healthy = why === undefined;
      const health = {
        healthResults: [],
        suppressedHealthResults: [],
        healthy,
        details: { ...state.healthDetails(), ...(healthy ? {} : { why }) },
      };
      return { ...json(health), status: healthy ? 200 : 503 };
    },
  };
}

/** Where probes of the open-source server look. Without `state` it tells that the process runs. */
function actuatorRoute(pattern: string, name: string, state?: NodeState): Endpoint {
  return {
    method: 'GET',
    pattern,
    name,
    summary:
      state === undefined
        ? 'Answers as long as the process runs, for probes that look here.'
        : 'Tells whether this node can serve, for probes that look here.',
    access: { rule: 'public' },
    parameters: {},
    body: null,
    replies: replies(
      actuatorHealthForm,
      state === undefined ? {} : { 503: { form: actuatorHealthForm, description: 'It cannot' } },
    ),
    errors: [],
    handle: () => {
      const isUp = state?.trouble() === undefined;
      return { ...json({ status: isUp ? 'UP' : 'DOWN' }), status: isUp ? 200 : 503 };
    },
  };
}
