// The short form of `npm run attack`: the command does the same with more bodies, on both HTTP
// libraries. Floods have a file of their own.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targetTypes } from '../../src/access/access-rules.js';
import { recordNames } from '../../src/operation/records/record-names.js';
import { tell } from '../support/figures.js';
import { SecuredServer } from '../../testkit/secured-server.js';
import type { AttackReport } from './attack.js';
import { describedEndpoints } from './description.js';
import { attackLists } from './list.js';
import { attackNames } from './names.js';
import { mendedFindings, newFindings } from './open-findings.js';
import { notPlanted, plants } from './plants.js';
import { canariesNotShown } from './routes.js';
import { attackShortly } from './short-form.js';
import { unknownNames } from './targets.js';
import { registeredTaskTypes } from './task-types.js';
import { Victim } from './victim.js';

describe('callers of six kinds get and change nothing of another one', () => {
  const found: string[] = [];

  async function attack(httpServer: 'uws' | 'node', name: string): Promise<AttackReport> {
    const report = await attackShortly(httpServer, name);
    found.push(...report.findings);
    return report;
  }

  it('by routes', { timeout: 180_000 }, async () => {
    const { findings, tried } = await attack('node', 'routes');
    expect(newFindings(findings)).toEqual([]);
    expect(tried.get('routes')).toBeGreaterThan(1000);
  });

  it('by task types', { timeout: 180_000 }, async () => {
    const { findings, tried } = await attack('uws', 'task-types');
    expect(newFindings(findings)).toEqual([]);
    expect(tried.get('task-types')).toBeGreaterThan(registeredTaskTypes().length);
  });

  it('by raw requests', { timeout: 180_000 }, async () => {
    const { findings, tried } = await attack('node', 'raw-http');
    expect(newFindings(findings)).toEqual([]);
    expect(tried.get('raw-http')).toBeGreaterThan(30);
  });

  it('and what is left open is told', () => {
    const mended = mendedFindings(found);
    tell(`${found.length} open findings; entries that may go: ${mended.join(' ') || 'none'}`);
    expect(attackLists.map(({ name }) => name)).toEqual(attackNames);
  });
});

describe('what the attacks are made from', () => {
  let server: SecuredServer;
  beforeAll(async () => void (server = await SecuredServer.start()));
  afterAll(() => server.stop());

  it('plants something of every kind of record and of every target of grants', () => {
    const planted = new Set<string>(plants.flatMap(({ covers }) => covers));
    for (const kind of ['WORKFLOW_DEF', 'TASK_DEF', 'DOMAIN']) planted.add(kind);
    const kinds = [...Object.keys(recordNames), ...targetTypes];
    expect(kinds.filter((kind) => !planted.has(kind) && !(kind in notPlanted))).toEqual([]);
    expect(Object.keys(notPlanted).filter((kind) => !kinds.includes(kind))).toEqual([]);
    expect(Object.keys(notPlanted).filter((kind) => planted.has(kind))).toEqual([]);
  });

  it('knows what each variable, parameter and field names', async () => {
    expect(unknownNames(await describedEndpoints(server.nobody))).toEqual([]);
  });

  it('reaches what it plants: an administrator is shown each canary that is not sealed', async () => {
    const victim = await Victim.plant(server);
    const hidden = await canariesNotShown({ server, victim, caller: server.admin });
    // What is sealed is shown to nobody, contents of files and payloads by a signed URL.
    expect(hidden.sort()).toEqual([
      'file',
      'header of the service',
      'key of the integration',
      'outgoing webhook’s header',
      'payload',
    ]);
  });
});
