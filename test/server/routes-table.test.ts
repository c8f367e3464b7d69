// Calls every route of docs/routes.md against a started server, as an administrator, with names of
// nothing that exists: a served route answers with the status of the table, never that it is absent
// (contract-core 1.1), and a route that is not served answers that it is.
import { describe, expect, it } from 'vitest';
import { declaredEndpoints } from '../support/endpoints.js';
import { readRouteTable, type RouteRow } from '../support/route-table.js';
import { sharedSecuredServer } from '../support/shared-server.js';
import type { Answer, Method } from '../../testkit/secured-server.js';

const rows = readRouteTable();
const endpoints = new Map(declaredEndpoints(['--auth']).map((one) => [one.name, one]));

const secured = sharedSecuredServer(import.meta.url);

/** A call that names nothing that exists; names differ from row to row. */
function call({ method, path, endpoint }: RouteRow): Promise<Answer> {
  const declared = endpoints.get(endpoint ?? '');
  const name = `routes_table_nothing_${rows.findIndex((row) => row.method === method && row.path === path)}`;
  const url = path.replace(/\{(\w+)\}/g, (_all, variable: string) =>
    variable === 'version' ? '1' : name,
  );
  const query = Object.entries(declared?.parameters ?? {})
    .filter(([, parameter]) => parameter.in === 'query' && parameter.required === true)
    .map(([parameter]) => `${parameter}=${name}`);
  const address = query.length === 0 ? url : `${url}?${query.join('&')}`;
  const hasBody = declared !== undefined && declared.body !== null;
  return secured.admin.request(method as Method, address, hasBody ? {} : undefined);
}

const label = (row: RouteRow): [string, RouteRow] => [`${row.method} ${row.path}`, row];
/** Ends the session that the other calls use. */
const isCalled = ({ endpoint }: RouteRow): boolean => endpoint !== 'signOut';
const served = rows.filter((row) => row.endpoint !== undefined && isCalled(row));

describe('a route that is served', () => {
  it.each(served.map(label))('%s', async (_label, row) => {
    const answer = await call(row);
    expect([answer.status, answer.text]).toEqual([row.emptyCall, expect.any(String)]);
    expect(answer.status).toBeLessThan(500);
    expect(answer.text).not.toContain('No static resource');
  });
});

describe('a route that is not served', () => {
  const unserved = rows.filter(({ endpoint }) => endpoint === undefined);
  it.each(unserved.map(label))('%s', async (_label, row) => {
    // Mostly 404; another route may take the path for a name.
    expect((await call(row)).status).toBe(row.emptyCall);
  });
});
