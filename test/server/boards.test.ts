// The Grafana board, the alert rules and the rules of the adapter in deploy/ speak of metrics that
// a server has: every name, every label in braces and every label that is summed by, and every
// value of one, against a live /metrics. prometheus.test.ts evaluates them.
import { spawnSync } from 'node:child_process';
import { beforeAll, describe, expect, it } from 'vitest';
import { everyMetric } from '../../src/server/every-metric.js';
import { ApiClient } from '../../testkit/api-client.js';
import { adapterExpressions, alerts, boardExpressions } from '../support/board-expressions.js';
import { sharedServer } from '../support/shared-server.js';
import { toResult } from '../support/workers.js';

const expressions = [...alerts, ...boardExpressions, ...adapterExpressions];

/** A metric of one value of one label. */
const oneValue = /\b(downbeat_\w+)\{(\w+)="([^"]*)"\}/g;

/** Labels that Prometheus adds to what it reads, and that histograms have. */
const labelsOfAll = ['instance', 'job', 'le'];
const promtool = spawnSync('promtool', ['--version']).status === 0;
if (!promtool) console.log('skipped: promtool is not on the path, so it checks no alert rule');

const server = sharedServer(import.meta.url);
/** Names of the time series by the name of their metric, as the page of the server has them. */
const served = new Map<string, string>();

let text: string;

/** A task that fails: a value stands on the page once something has happened. */
async function fail(): Promise<void> {
  const client = new ApiClient(server.url);
  const name = 'boards_fails';
  const task = { name, taskReferenceName: name, type: 'SIMPLE' };
  await client.registerTasks({ name, retryCount: 0 });
  await client.registerWorkflows({ name, version: 1, tasks: [task] });
  await client.start({ name, version: 1 });
  for (const each of await client.poll(name, { timeoutMs: 5000 })) {
    await client.update(toResult(each, { status: 'FAILED' }));
  }
  await client.close();
}

beforeAll(async () => {
  await fail();
  text = await (await fetch(`${server.url}/metrics`)).text();
  for (const [, name = '', kind] of text.matchAll(/^# TYPE (\w+) (\w+)$/gm)) {
    served.set(name, name);
    if (kind !== 'histogram') continue;
    for (const part of ['bucket', 'sum', 'count']) served.set(`${name}_${part}`, name);
  }
});

function labelsOf(name: string): readonly string[] {
  const known = everyMetric.find((metric) => metric.name === name);
  return [...labelsOfAll, ...(known?.labels ?? []), known?.label ?? ''];
}

describe('an expression', () => {
  it.each(expressions)('of "%s" names what there is', (_where, expr) => {
    const names = [...expr.matchAll(/\b(?:downbeat|process|nodejs)_\w+/g)].map(([name]) => name);
    if (!expr.startsWith('up{')) expect(names).not.toEqual([]);
    expect(names.filter((name) => !served.has(name))).toEqual([]);
    const labels = new Set(names.flatMap((name) => labelsOf(served.get(name) ?? '')));
    if (expr.startsWith('up{')) labels.add('job');
    const inBraces = [...expr.matchAll(/\{([^}]*)\}/g)].flatMap(([, inside = '']) =>
      [...inside.matchAll(/(\w+)\s*=/g)].map(([, label = '']) => label),
    );
    const summedBy = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) =>
      list.split(',').map((label) => label.trim()),
    );
    expect([...inBraces, ...summedBy].filter((label) => !labels.has(label))).toEqual([]);
  });

  it.each(expressions)('of "%s" asks for values that there are', (_where, expr) => {
    for (const [, name = '', label = '', value = ''] of expr.matchAll(oneValue)) {
      const line = new RegExp(`^${name}\\{[^}]*\\b${label}="([^"]*)"`, 'gm');
      const values = [...text.matchAll(line)].map(([, each]) => each);
      if (values.length > 0) expect(values).toContain(value);
    }
  });

  it.skipIf(!promtool)('of an alert is one that Prometheus reads', () => {
    const { status, stderr } = spawnSync(
      'promtool',
      ['check', 'rules', 'deploy/prometheus/alerts.yaml'],
      { encoding: 'utf8' },
    );
    expect(stderr).toBe('');
    expect(status).toBe(0);
  });
});
