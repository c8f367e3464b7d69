// The short form of `npm run attack`: the command does the same with more bodies, on both HTTP
// libraries.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { targetTypes } from '../../src/access/access-rules.js';
import { recordNames } from '../../src/operation/records/record-names.js';
import { buildTools } from '../support/build.js';
import { tell } from '../support/figures.js';
import { SecuredServer } from '../support/secured-server.js';
import { runAttack, type AttackReport } from './attack.js';
import { describedEndpoints } from './description.js';
import { faultsOf } from './flood-attacks.js';
import type { BesideFlood } from './flood-meter.js';
import { attackLists } from './list.js';
import type { Waits } from './neighbour.js';
import { mendedFindings, newFindings } from './open-findings.js';
import { notPlanted, plants } from './plants.js';
import { canariesNotShown } from './routes.js';
import { unknownNames } from './targets.js';
import { registeredTaskTypes } from './task-types.js';
import { Victim } from './victim.js';

describe('callers of six kinds get and change nothing of another one', () => {
  // Floods come from compiled programmes.
  beforeAll(buildTools, 180_000);
  const found: string[] = [];

  async function attack(httpServer: 'uws' | 'node', name: string): Promise<AttackReport> {
    const report = await runAttack({ httpServer, isShort: true, only: [name], say: tell });
    found.push(...report.findings);
    tell([...report.tried].map(([list, count]) => `${list}: ${count} attacks`).join(', '));
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

  it('by floods', { timeout: 180_000 }, async () => {
    const { findings, tried } = await attack('uws', 'floods');
    expect(newFindings(findings)).toEqual([]);
    expect(tried.get('floods')).toBeGreaterThan(1000);
  });

  it('and what is left open is told', () => {
    const mended = mendedFindings(found);
    tell(`${found.length} open findings; entries that may go: ${mended.join(' ') || 'none'}`);
    expect(attackLists.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['routes', 'task-types']),
    );
  });
});

describe('what others get beside a flood', () => {
  const waits = (p99: number, failed = 0): Waits => {
    const work = { p50: 1, p90: 1, p99 };
    return { count: 100, failed, p50: 1, p99: 1, max: 1, work, served: work };
  };
  const quiet = { reads: waits(2), starts: waits(2), scripts: waits(2) };
  const result = { flood: 'flood', counts: { started: 1 }, cpu: { node: 1, main: 1, redis: 1 } };
  const good = { reads: waits(19), starts: waits(99), scripts: waits(1) };

  it('is a finding when it took too much of the processor, or none came', () => {
    const faults = (beside: BesideFlood['beside'], controls = [1], slack = 1): string[] =>
      faultsOf({ name: 'flood' }, { ...result, beside, controls }, { slack, quiet });
    expect(faults(good)).toEqual([]);
    expect(faults({ ...good, reads: waits(21) }, [1], 2)).toEqual([]);
    expect(faults({ ...good, reads: waits(21), starts: waits(1, 2) }, [1, Infinity])).toEqual([
      'flood: reads of others took 21 ms of the processor at p99, above 20',
      'flood: 2 of 100 starts of others failed',
      'flood: 1 of 2 terminates did not get through',
    ]);
    const late = { ...waits(5), served: { p50: 1, p90: 23, p99: 90 } };
    expect(faults({ ...good, reads: late })).toEqual([
      'flood: reads of others were 23 ms late at p90, 1 without it: more than 20 later',
    ]);
    const idle = { ...result, counts: {}, beside: good, controls: [] };
    expect(faultsOf({ name: 'flood' }, idle, { slack: 1, quiet })).toEqual([
      'flood: the flood did nothing',
    ]);
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
