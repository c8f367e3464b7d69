// Endpoints about the server itself (contract-core 20.3): health, version, metrics, and the token
// endpoints of a server without authentication (contract-core 1.6: any token will do, which
// satisfies every client library).
import type { JsonMap } from '../model/json.js';
import { body, replies, repliesText, type Endpoint } from './endpoint.js';
import * as form from './form.js';
import { healthForm, tokenForm, tokenRequestForm, userInfoForm } from './forms/node-state.js';
import { json, jsonText, text } from './route.js';

export interface NodeState {
  /** False until it serves, and while it cannot. */
  isHealthy(): boolean;
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
    ...tokenRoutes(),
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
      const healthy = state.isHealthy();
      const health = {
        healthResults: [],
        suppressedHealthResults: [],
        healthy,
        details: state.healthDetails(),
      };
      return { ...json(health), status: healthy ? 200 : 503 };
    },
  };
}

function tokenRoutes(): Endpoint[] {
  return [
    {
      method: 'POST',
      pattern: '/api/token',
      name: 'createToken',
      summary: 'Gives a token for an access key.',
      access: { rule: 'public' },
      parameters: {},
      body: body(tokenRequestForm, false),
      replies: replies(tokenForm),
      errors: [],
      handle: () => jsonText('{"token":"authentication-is-off"}'),
    },
    {
      method: 'GET',
      pattern: '/api/token/userInfo',
      name: 'getUserInfo',
      summary: 'Shows who the caller is.',
      access: { rule: 'caller' },
      parameters: {},
      body: null,
      replies: replies(userInfoForm),
      errors: [],
      handle: () =>
        json({ id: 'anonymous', name: 'anonymous', roles: [], groups: [], applicationUser: false }),
    },
  ];
}
