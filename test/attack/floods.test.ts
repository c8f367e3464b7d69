// The short form of `npm run attack -- --only floods`: what one caller does to take the node from
// all others.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildTools } from '../support/build.js';
import { tell } from '../support/figures.js';
import { SecuredServer } from '../../testkit/secured-server.js';
import { serverProgram } from '../../testkit/server.js';
import { faultsOf, findingsBeside, type FloodJudge } from './flood-attacks.js';
import type { BesideFlood } from './flood-meter.js';
import { floods } from './floods.js';
import type { Waits } from './neighbour.js';
import { newFindings } from './open-findings.js';
import { attackShortly } from './short-form.js';

describe('callers of six kinds take nothing from others', () => {
  // Floods come from compiled programmes.
  beforeAll(buildTools, 180_000);

  it('by floods', { timeout: 180_000 }, async () => {
    const { findings, tried } = await attackShortly('uws', 'floods');
    expect(newFindings(findings)).toEqual([]);
    expect(tried.get('floods')).toBeGreaterThan(1000);
  });

  it('by floods, and a turn that does not yield is found', { timeout: 180_000 }, async () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'flood-plant-'));
    const mark = path.join(folder, 'planted');
    const program = ['--import', plantedTurns(mark), serverProgram];
    const server = await SecuredServer.start({ args: ['--http-server', 'uws'], program });
    try {
      const loops = floods.filter(({ name }) => name === 'endless-loops');
      const found = await findingsBeside(server, loops, {
        tried: () => undefined,
        // What is measured without a flood is told before the flood begins.
        say: (text) => {
          tell(text);
          if (text.startsWith('without a flood')) fs.writeFileSync(mark, '');
        },
      });
      expect(found).toEqual(
        expect.arrayContaining([expect.stringMatching(/^endless-loops: reads of others took /)]),
      );
    } finally {
      fs.rmSync(folder, { recursive: true });
      await server.stop();
    }
  });
});

describe('what others get beside a flood', () => {
  const waits = (p90: number, failed = 0): Waits => {
    const work = { p50: 1, p90, p99: 2 * p90, max: 2 * p90 };
    const quick = { p50: 1, p90: 1, p99: 1, max: 1 };
    return { count: 100, failed, ...quick, work, served: quick };
  };
  const quiet = { reads: waits(2), starts: waits(2), scripts: waits(2) };
  const result = { flood: 'flood', counts: { started: 1 }, cpu: { node: 1, main: 1, redis: 1 } };
  const good = { reads: waits(19), starts: waits(99), scripts: waits(1) };
  const judge: FloodJudge = { quiet, judged: 'p90', slack: 1 };
  const faults = (
    beside: BesideFlood['beside'],
    by: FloodJudge = judge,
    controls = [1],
  ): string[] => faultsOf({ name: 'flood' }, { ...result, beside, controls }, by);

  it('is a finding when it took too much of the processor, or none came', () => {
    expect(faults(good)).toEqual([]);
    const bad = { ...good, reads: waits(21), starts: waits(1, 2) };
    expect(faults(bad, judge, [1, Infinity])).toEqual([
      'flood: reads of others took 21 ms of the processor at p90 of 100, above 20',
      'flood: 2 of 100 starts of others failed',
      'flood: 1 of 2 terminates did not get through',
    ]);
    const late = { ...waits(5), served: { p50: 1, p90: 23, p99: 90, max: 90 } };
    expect(faults({ ...good, reads: late })).toEqual([
      'flood: reads of others were 23 ms late at p90, 1 without it: more than 20 later',
    ]);
    const idle = { ...result, counts: {}, beside: good, controls: [] };
    expect(faultsOf({ name: 'flood' }, idle, judge)).toEqual(['flood: the flood did nothing']);
  });

  it('is judged at p99 in the full form', () => {
    expect(faults(good, { ...judge, judged: 'p99' })).toEqual([
      'flood: reads of others took 38 ms of the processor at p99 of 100, above 20',
      'flood: starts of others took 198 ms of the processor at p99 of 100, above 100',
    ]);
  });

  it('may take as much longer as the machine is slower without a flood, and four times at most', () => {
    const slower = (p50: number): FloodJudge => {
      const starts = { ...quiet.starts, work: { ...quiet.starts.work, p50 } };
      return { ...judge, quiet: { ...quiet, starts } };
    };
    const reads = (p90: number): BesideFlood['beside'] => ({ ...good, reads: waits(p90) });
    expect(faults(reads(29), slower(6))).toEqual([]);
    expect(faults(reads(31), slower(6))).toHaveLength(1);
    expect(faults(reads(79), slower(1000))).toEqual([]);
    expect(faults(reads(81), slower(1000))).toHaveLength(1);
    const slack = (p90: number): string[] => faults(reads(p90), { ...slower(6), slack: 1.5 });
    expect([slack(44), slack(46)]).toMatchObject([[], { length: 1 }]);
  });
});

/**
 * A module that holds the event loop of a server for 200 ms of processor time thirty times, with as
 * long a pause behind each, from when there is such a file. A tenth of the reads wait for more than
 * 150 ms, longer than the bound is on the slowest machine, 120 ms.
 */
function plantedTurns(mark: string): string {
  const module = `
    import fs from 'node:fs';
    let left = 30;
    const hold = () => {
      if (fs.existsSync(${JSON.stringify(mark)})) {
        left -= 1;
        const from = process.cpuUsage();
        for (;;) {
          const { user, system } = process.cpuUsage(from);
          if (user + system > 200_000) break;
        }
      }
      if (left > 0) setTimeout(hold, 200).unref();
    };
    hold();`;
  return `data:text/javascript,${encodeURIComponent(module)}`;
}
