// docs/routes.md against the endpoints that the server declares, and against the routes that the
// pages of the contract name.
import { describe, expect, it } from 'vitest';
import { declaredEndpoints } from '../support/endpoints.js';
import { readRouteTable } from '../support/route-table.js';
import { readProjectFile } from './source-tree.js';
import { routeMentions, routeOf } from './route-mentions.js';

const rows = readRouteTable();

/** What reads like a route in a page and is none, with the reason. */
const notRoutes: Readonly<Record<string, string>> = {
  'GET /api/metadata/{}': 'part of the row of /api/schema (contract-core 6.6)',
  'DELETE /api/metadata/{}': 'part of the row of /api/schema (contract-core 6.6)',
  'GET /api/event/event/{}': 'a remark on a route with its area (contract-core 18.2)',
  'GET /api/human': 'names a whole area (contract-core 14.5)',
  'POST /api/tasks/tasks': 'a remark on a route with its area (contract-core 15.3)',
  'GET /api/users/app:<applicationId>': 'a value of a variable (contract-admin 1.5)',
};

describe('the table of routes', () => {
  it('has each route once', () => {
    const names = rows.map(({ method, path }) => routeOf(method, path));
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('has a row for every endpoint of the server, and names no other', () => {
    const declared = declaredEndpoints(['--auth']).map(
      ({ method, pattern, name }) => `${method} ${pattern.replace(/:(\w+)/g, '{$1}')} \`${name}\``,
    );
    const served = rows.flatMap(({ method, path, endpoint }) =>
      endpoint === undefined ? [] : [`${method} ${path} \`${endpoint}\``],
    );
    expect(served.sort()).toEqual(declared.sort());
  });

  it.each(['interface', 'contract-core', 'contract-admin'])('has every route of %s', (page) => {
    const known = new Set(rows.map(({ method, path }) => routeOf(method, path)));
    const named = routeMentions(readProjectFile(`docs/${page}.md`));
    expect(named.length).toBeGreaterThan(100);
    const missing = named.filter(({ route }) => !known.has(route) && !(route in notRoutes));
    expect(missing).toEqual([]);
  });

  it('gives the reason for each route that is not served', () => {
    const unserved = rows.filter(({ endpoint }) => endpoint === undefined);
    for (const { path, contract, decided } of unserved) {
      expect([path, decided]).toEqual([path, expect.stringMatching(/^Not served/)]);
      expect([path, contract]).not.toEqual([path, 'own']);
    }
  });
});
