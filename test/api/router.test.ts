import { describe, expect, it } from 'vitest';
import { Router } from '../../src/api/router.js';
import { plainEndpoint as route } from './plain-endpoint.js';

function find(router: Router, method: string, path: string): string {
  const match = router.find(method, path);
  if (match.kind === 'unknown') return '404';
  if (match.kind === 'wrong-method') return `405 ${match.allowed.join(',')}`;
  const values = match.declared.variables.map((name, i) => `${name}=${match.values[i]}`);
  return [match.endpoint.pattern, ...values].join(' ');
}

describe('the router', () => {
  const router = new Router([
    route('POST', '/api/workflow'),
    route('GET', '/api/workflow/:id'),
    route('POST', '/api/workflow/:name'),
    route('DELETE', '/api/workflow/:id'),
    route('GET', '/api/workflow/running/:name'),
    route('POST', '/api/workflow/:name/correlated'),
    route('POST', '/api/workflow/test'),
    route('POST', '/api/tasks/:workflowId/:status/signal'),
    route('POST', '/api/tasks/:workflowId/:ref/:status'),
    route('POST', '/api/tasks/queue/requeue/:taskType'),
    route('GET', '/api/queue'),
  ]);

  it.each([
    ['POST', '/api/workflow', '/api/workflow'],
    ['POST', '/api/workflow/', '/api/workflow'],
    ['GET', '/api/queue/', '/api/queue'],
    ['HEAD', '/api/queue', '/api/queue'],
    ['HEAD', '/api/workflow/a', '/api/workflow/:id id=a'],
    ['HEAD', '/api/workflow', '405 POST'],
    ['GET', '/api/workflow/a%2Fb', '/api/workflow/:id id=a%2Fb'],
    ['POST', '/api/workflow/test', '/api/workflow/test'],
    ['POST', '/api/workflow/tests', '/api/workflow/:name name=tests'],
    ['GET', '/api/workflow/running/x', '/api/workflow/running/:name name=x'],
    [
      'POST',
      '/api/tasks/w/COMPLETED/signal',
      '/api/tasks/:workflowId/:status/signal workflowId=w status=COMPLETED',
    ],
    [
      'POST',
      '/api/tasks/w/r/COMPLETED',
      '/api/tasks/:workflowId/:ref/:status workflowId=w ref=r status=COMPLETED',
    ],
    ['POST', '/api/tasks/queue/requeue/t', '/api/tasks/queue/requeue/:taskType taskType=t'],
    [
      'POST',
      '/api/tasks/queue/r/COMPLETED',
      '/api/tasks/:workflowId/:ref/:status workflowId=queue ref=r status=COMPLETED',
    ],
    ['POST', '/api/workflow/running/correlated', '/api/workflow/:name/correlated name=running'],
    ['GET', '/api/workflow/test', '/api/workflow/:id id=test'],
    ['GET', '//api/workflow/x', '/api/workflow/:id id=x'],
    ['GET', '/api//workflow/x', '/api/workflow/:id id=x'],
    ['GET', '//api//queue/', '/api/queue'],
  ])('finds the route of %s %s', (method, path, expected) => {
    expect(find(router, method, path)).toBe(expected);
  });

  it.each([
    ['PATCH', '/api/workflow', '405 POST'],
    ['PUT', '/api/workflow/x', '405 DELETE,GET,POST'],
    ['get', '/api/queue', '405 GET'],
    ['GET', '/api/nope', '404'],
    ['GET', '/api/workflow//', '404'],
    ['GET', '/api/workflow//status', '404'],
    ['GET', '/api/workflow/a/b/c/d/e/f/g/h/i/j/k/l/m', '404'],
    ['GET', '*', '404'],
    ['GET', '/', '404'],
  ])('answers %s %s with %s', (method, path, expected) => {
    expect(find(router, method, path)).toBe(expected);
  });

  it('refuses two endpoints of one shape or of one name', () => {
    const shapes = [route('GET', '/a/:x'), route('GET', '/a/:y')];
    expect(() => new Router(shapes)).toThrow('Two endpoints for GET /a/:y');
    const names = ['/a', '/b'].map((path) => route('GET', path, { name: 'same' }));
    expect(() => new Router(names)).toThrow('Two endpoints are called same');
  });
});
