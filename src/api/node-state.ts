// Routes about the server itself (contract-core 20.3): health, version, metrics, and the token
// routes of a server without authentication (contract-core 1.6: any token will do, which satisfies
// every client library).
import type { JsonMap } from '../model/json.js';
import { json, jsonText, text, type Route } from './route.js';

export interface NodeState {
  /** False until it serves, and while it cannot. */
  isHealthy(): boolean;
  /** Shown beside the health, for example the durability level (invariants section 2). */
  healthDetails(): JsonMap;
  /** Prometheus text format 0.0.4. */
  metrics(): string | Promise<string>;
  readonly version: string;
}

export function nodeStateRoutes(state: NodeState): Route[] {
  const health: Route['handle'] = () => {
    const healthy = state.isHealthy();
    const body = {
      healthResults: [],
      suppressedHealthResults: [],
      healthy,
      details: state.healthDetails(),
    };
    return { ...json(body), status: healthy ? 200 : 503 };
  };
  return [
    { method: 'GET', pattern: '/health', handle: health },
    { method: 'GET', pattern: '/api/health', handle: health },
    { method: 'GET', pattern: '/api/version', handle: () => text(state.version) },
    {
      method: 'GET',
      pattern: '/metrics',
      handle: async () => ({
        status: 200,
        contentType: 'text/plain; version=0.0.4; charset=utf-8',
        body: await state.metrics(),
      }),
    },
    {
      method: 'POST',
      pattern: '/api/token',
      handle: () => jsonText('{"token":"authentication-is-off"}'),
    },
    {
      method: 'GET',
      pattern: '/api/token/userInfo',
      handle: () =>
        json({ id: 'anonymous', name: 'anonymous', roles: [], groups: [], applicationUser: false }),
    },
  ];
}
