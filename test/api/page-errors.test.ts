// Errors that the page reports: each is counted, and not more lines are logged than a person reads.
import { describe, expect, it } from 'vitest';
import { createApi } from '../../src/api/api.js';
import { ErrorAnswers } from '../../src/api/errors.js';
import { pageErrorRoutes } from '../../src/api/page-errors.js';
import { plainRequest } from './plain-request.js';

describe('errors of the page', () => {
  it('are all counted, 20 of them logged, and one more each minute', async () => {
    const logged: object[] = [];
    let counted = 0;
    let now = 0;
    const routes = pageErrorRoutes({
      count: () => void (counted += 1),
      log: { warn: (fields: object) => void logged.push(fields) },
      monotonic: () => now,
    });
    const errors = new ErrorAnswers('node-1', { error: () => undefined });
    const api = createApi(routes, { errors, json: { depthMax: 8, keysMax: 20 } });
    const report = async (message: string): Promise<number> => {
      const body = JSON.stringify({ kind: 'script', message });
      const request = plainRequest({ method: 'POST', path: '/api/page-errors', body });
      return (await api(request)).status;
    };
    for (let i = 0; i < 30; i += 1) expect(await report(`error ${i}`)).toBe(204);
    expect(counted).toBe(30);
    expect(logged).toHaveLength(20);
    expect(logged[19]).toMatchObject({ kind: 'script', message: 'error 19' });
    now += 60_000;
    for (const message of ['later', 'at once']) await report(message);
    expect(counted).toBe(32);
    expect(logged.slice(20)).toMatchObject([{ message: 'later' }]);
  });
});
