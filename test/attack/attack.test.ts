// The short form of `npm run attack`: the command does the same with more bodies, on both HTTP
// libraries.
import { describe, expect, it } from 'vitest';
import { tell } from '../support/figures.js';
import { runAttack, type AttackReport } from './attack.js';
import { attackLists } from './list.js';
import { mendedFindings, newFindings } from './open-findings.js';
import { registeredTaskTypes } from './task-types.js';

describe('callers of six kinds get and change nothing of another one', () => {
  const found: string[] = [];

  async function attack(httpServer: 'uws' | 'node', name: string): Promise<AttackReport> {
    const report = await runAttack({ httpServer, isShort: true, only: [name] });
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

  it('and what is left open is told', () => {
    const mended = mendedFindings(found);
    tell(`${found.length} open findings; entries that may go: ${mended.join(' ') || 'none'}`);
    expect(attackLists.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['routes', 'task-types']),
    );
  });
});
