// The description that a running server gives of itself: it is valid, and the operations that SDKs
// call are in it.
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sdkOperations } from '../sdk/sdk-operations.js';
import { ApiClient } from '../../testkit/api-client.js';
import type { ApiDescription } from '../../testkit/api-schemas.js';
import { readRouteTable } from '../support/route-table.js';
import { sharedServer } from '../support/shared-server.js';

const server = sharedServer(import.meta.url);
let api: ApiClient;
let description: ApiDescription;
beforeAll(async () => {
  api = new ApiClient(server.url);
  description = (await api.request('GET', '/api-docs.json')).body as ApiDescription;
});
afterAll(async () => {
  await api.close();
});

/** Clients may end a path with a slash (contract-admin 0.1). */
const shapeOf = (operation: string): string =>
  operation.replace(/\{[^}]+\}/g, '{}').replace(/\/$/, '');

describe('the description of a running server', () => {
  it('is valid OpenAPI 3.1', async () => {
    expect(await new Validator().validate(structuredClone({ ...description }))).toMatchObject({
      valid: true,
    });
  });

  it.each(['BulkJobRequest', 'BulkJobOptions', 'EventHandlerTrialRequest', 'DeadLetterIds'])(
    'says that %s takes no other field',
    (title) => {
      const { schemas } = description.components;
      expect(schemas[title]).toMatchObject({ additionalProperties: false });
    },
  );

  it('holds every operation that the JavaScript SDK calls', () => {
    const described = new Set(
      Object.entries(description.paths).flatMap(([path, item]) =>
        Object.keys(item).map((method) => shapeOf(`${method.toUpperCase()} ${path}`)),
      ),
    );
    const called = sdkOperations().filter((name) => name.includes(' /api/'));
    expect(called.length).toBeGreaterThan(200);
    // What is not served has its reason in docs/routes.md.
    for (const { method, path, endpoint } of readRouteTable()) {
      if (endpoint === undefined) described.add(shapeOf(`${method} ${path}`));
    }
    const missing = called.filter((name) => !described.has(shapeOf(name)));
    expect(missing).toEqual([]);
  });
});
