// The suite in its short form: every kind of load runs and its results are right, whatever time it
// takes; and a wrong result makes it fail.
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { wrongIf, type Found } from '../../bench/suite/contract.js';
import { htmlOf, rowOf, type Report } from '../../bench/suite/report.js';
import { buildTools } from '../support/build.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { projectRoot } from '../../testkit/project.js';

beforeAll(buildTools, 180_000);

function runSuite(args: readonly string[]): Promise<{ code: number; out: string }> {
  const program = path.join(projectRoot, 'dist', 'tools', 'bench', 'suite.js');
  return new Promise((resolve) => {
    const options = { cwd: projectRoot, timeout: 240_000 };
    execFile(process.execPath, [program, ...args], options, (error, out, err) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? 1), out: out + err }),
    );
  });
}

describe('the suite', () => {
  it('runs every kind of load with right results, and writes JSON and HTML', async () => {
    const folder = createFolder();
    try {
      const { code, out } = await runSuite(['--short', '--out', folder]);
      expect(out).toContain('all results are right');
      expect(code).toBe(0);
      const report = JSON.parse(fs.readFileSync(path.join(folder, 'suite.json'), 'utf8')) as Report;
      const names = report.rows.map(({ workload }) => workload);
      expect(names).toEqual([
        ...['chains', 'fan-out', 'loops', 'sub-workflows'],
        ...['payload 1 KB', 'payload 16 KB', 'payload 256 KB', 'payload 10240 KB'],
        ...['starts', 'synchronous', 'webhooks', 'search'],
        ...['parked polls', 'waiting executions', 'takeover', 'schedules'],
      ]);
      const html = fs.readFileSync(path.join(folder, 'suite.html'), 'utf8');
      for (const name of names) expect(html).toContain(`<td>${name}</td>`);
    } finally {
      removeFolder(folder);
    }
  }, 300_000);

  it('lets two checkouts take turns', async () => {
    const folder = createFolder();
    try {
      const which = ['--compare', projectRoot, projectRoot, '--only', 'starts'];
      const { code, out } = await runSuite([...which, '--short', '--out', folder]);
      expect(out).toContain('all results are right');
      expect(code).toBe(0);
      const report = JSON.parse(fs.readFileSync(path.join(folder, 'suite.json'), 'utf8')) as Report;
      expect(report.rows.map(({ subject, runs }) => [subject, runs])).toEqual([
        [`A ${projectRoot}`, 1],
        [`B ${projectRoot}`, 1],
      ]);
    } finally {
      removeFolder(folder);
    }
  }, 120_000);

  it('says which results are wrong, and compares builds by pairs of runs', () => {
    const found = (value: number, wrong: string[]): Found => ({
      figures: { 'us per task': value },
      multiple: { of: 'processor time', value },
      wrong,
    });
    const first = [found(2, []), found(4, [])];
    const second = [
      found(4, wrongIf([true, 'a result is wrong'], [false, 'not this'])),
      found(4, []),
    ];
    const row = rowOf({ name: 'chains', about: '' }, 'B', second, first);
    expect(row.wrong).toEqual(['a result is wrong']);
    expect(row.againstFirst).toMatchObject({ least: 1, greatest: 2 });
    const report = { day: '', machine: '<x>', node: '', command: '', sizes: {}, rows: [row] };
    expect(htmlOf(report)).toContain('&lt;x&gt;');
    expect(htmlOf(report)).toContain('a result is wrong');
  });
});
