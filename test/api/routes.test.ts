import { describe, expect, it } from 'vitest';
import { Router } from '../../src/api/router.js';
import { allRoutes, type RouteParts } from '../../src/api/routes.js';
import { externalPayloadRoutes } from '../../src/areas/storage/payload-endpoints.js';

// The tables only name their parts inside handlers, so they can be listed without any.
const routes = [
  ...allRoutes({ metadata: {}, state: {} } as unknown as RouteParts),
  ...externalPayloadRoutes({} as never, { publicUrl: '', isTls: false, bodyBytesMax: 1024 }),
];

function patternOf(method: string, path: string): string {
  const match = new Router(routes).find(method, path);
  return match.kind === 'found' ? match.endpoint.pattern : match.kind;
}

describe('the list of routes', () => {
  it('has no two routes of one shape', () => {
    expect(() => new Router(routes)).not.toThrow();
  });

  it.each([
    ['GET', '/api/workflow/running/x', '/api/workflow/running/:name'],
    ['PUT', '/api/workflow/decide/x', '/api/workflow/decide/:workflowId'],
    ['PUT', '/api/workflow/bulk/pause', '/api/workflow/bulk/pause'],
    ['POST', '/api/workflow/bulk/terminate', '/api/workflow/bulk/terminate'],
    ['DELETE', '/api/workflow/bulk/remove', '/api/workflow/bulk/remove'],
    ['POST', '/api/workflow/execute/x', '/api/workflow/execute/:name'],
    ['POST', '/api/workflow/execute/x/1', '/api/workflow/execute/:name/:version'],
    ['POST', '/api/workflow/start/x/1', '/api/workflow/start/:name/:version'],
    ['POST', '/api/workflow/correlated/batch', '/api/workflow/correlated/batch'],
    ['GET', '/api/workflow/externalstoragelocation', '/api/workflow/externalstoragelocation'],
    ['GET', '/api/tasks/externalstoragelocation', '/api/tasks/externalstoragelocation'],
    ['GET', '/api/tasks/poll/batch/x', '/api/tasks/poll/batch/:taskType'],
    ['GET', '/api/tasks/queue/all/verbose', '/api/tasks/queue/all/verbose'],
    ['POST', '/api/tasks/update-v2', '/api/tasks/update-v2'],
    ['POST', '/api/tasks/w/COMPLETED/signal', '/api/tasks/:workflowId/:status/signal'],
    ['POST', '/api/tasks/w/COMPLETED/signal/sync', '/api/tasks/:workflowId/:status/signal/sync'],
    ['POST', '/api/tasks/w/r/COMPLETED/sync', '/api/tasks/:workflowId/:taskRefName/:status/sync'],
    ['POST', '/api/tasks/queue/requeue/x', '/api/tasks/queue/requeue/:taskType'],
    ['GET', '/api/queue/', '/api/queue'],
    ['GET', '/api/metadata/workflow/names', '/api/metadata/workflow/names'],
    ['GET', '/health', '/health'],
  ])('leads %s %s to %s', (method, path, pattern) => {
    expect(patternOf(method, path)).toBe(pattern);
  });
});
