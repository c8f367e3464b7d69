// The short form; faults of three nodes are in long-cluster-torture.test.ts (test/tiers.json).
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { startTopology } from '../../cluster/redis-topologies.js';
import { createFolder, removeFolder } from '../../testkit/folder.js';
import { tell } from '../support/figures.js';
import {
  describeClusterTorture,
  runClusterTorture,
  type ClusterTortureOptions,
} from './cluster-torture.js';
import { judgeHistory, readHistory, writeHistory } from './history.js';
import { Journal, type ReportRecord } from './journal.js';

const seed = Number(process.env['TORTURE_SEED'] ?? Date.now() % 1_000_000);

async function run(options: ClusterTortureOptions): Promise<void> {
  const done = await runClusterTorture(options);
  tell(describeClusterTorture(options, done));
  expect(done.violations).toEqual([]);
  expect(done.journal.acknowledgedReports).toBeGreaterThan(50);
}

describe('a cluster on a Redis that the user runs', () => {
  it('keeps to its prefix, and leaves nothing there', { timeout: 120_000, retry: 0 }, async () => {
    const topology = await startTopology('single');
    try {
      const redis = { url: topology.url, prefix: 'torture' };
      const ask = topology.primary().ask.bind(topology.primary());
      ask('SET', 'other:key', 'kept');
      await run({ nodes: 2, redis, faults: 1, names: ['kill'], seed, openMax: 20 });
      expect(ask('KEYS', '*').trim()).toBe('other:key');
      ask('SET', 'torture:key', 'of somebody');
      await expect(
        runClusterTorture({ nodes: 2, redis, faults: 1, names: ['kill'], seed }),
      ).rejects.toThrow('Redis holds keys that start with torture: already');
      expect(ask('GET', 'torture:key').trim()).toBe('of somebody');
    } finally {
      await topology.stop();
    }
  });
});

describe('the history of a failing run', () => {
  it('is judged again from its file', async () => {
    const folder = createFolder();
    try {
      const journal = new Journal();
      const report: ReportRecord = {
        taskId: 't1',
        workflowId: 'w1',
        marker: 'm',
        attempts: 1,
        firstSentAt: 20,
        status: 'COMPLETED',
        outcome: 'acknowledged',
        acknowledgedAt: 30,
      };
      const handOut = {
        ...{ taskId: 't1', workflowId: 'w1', taskType: 'torture_steady', ref: 'a', retryCount: 0 },
        ...{ askedAt: 0, receivedAt: 10, leaseMs: 4_000 },
      };
      journal.reports.push(report);
      journal.handOuts.push({ ...handOut, report }, { ...handOut, askedAt: 40, receivedAt: 50 });
      journal.starts.push({
        start: 0,
        workflowName: 'torture_chain',
        correlationId: 'c',
        endsAs: 'COMPLETED',
        hasKey: true,
        outcome: 'acknowledged',
        workflowId: 'w1',
      });
      const answers = { workflows: { w1: null }, correlated: {}, queueSizes: {}, leases: ['x'] };
      const file = path.join(folder, 'history.json');
      writeHistory(file, {
        seed,
        timeOrigin: 0,
        faults: [],
        journal,
        undrained: ['w2 did not end'],
        answers,
      });
      expect(fs.statSync(file).size).toBeGreaterThan(0);
      expect(await judgeHistory(readHistory(file))).toEqual([
        'w2 did not end',
        expect.stringContaining('although its report COMPLETED was acknowledged'),
        'execution w1 of start 0 is gone',
        'leases of ended work are left: x',
      ]);
    } finally {
      removeFolder(folder);
    }
  });
});
