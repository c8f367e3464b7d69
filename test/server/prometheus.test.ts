// The expressions of the Grafana board, the alert rules and the adapter, evaluated by a Prometheus
// that reads a live server: none is refused, and each that must have data has some. Skipped where
// there is no `prometheus` on PATH.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { alerts, boardExpressions, adapterExpressions } from '../support/board-expressions.js';
import { tell } from '../support/figures.js';
import { freePort } from '../../testkit/process.js';
import { projectRoot } from '../../testkit/project.js';
import { Prometheus } from '../support/prometheus.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import { until } from '../../testkit/until.js';
import type { TaskConfig, WireTask } from '../../testkit/wire.js';
import { toResult } from '../support/workers.js';

const timeoutMs = 120_000;
/** Prometheus looks each second. */
const lookMsMax = 40_000;
const isFound = spawnSync('prometheus', ['--version'], { stdio: 'ignore' }).status === 0;
if (!isFound) tell('skipped: prometheus is not on PATH, so no expression is evaluated');

/** Series that a server has only after an event which this test does not bring about. */
const afterAnEvent = [
  ...['downbeat_quota_refusals_total', 'downbeat_assertions_failed_total'],
  // Of the moment, while a poll waits.
  'downbeat_pollers',
  ...['reason=~"too-many|unavailable"', 'status=~"5.."'],
];

/** Alerts that what this test does must set off, were it to go on. */
const setOff = [
  'DownbeatNodeMissing',
  'DownbeatNoWorkers',
  'DownbeatTaskTypeFails',
  'DownbeatTasksFail',
  'DownbeatExecutionsFail',
];

let server: RunningServer;
let api: ApiClient;
const prometheus = new Prometheus();

async function register(): Promise<void> {
  const never = { retryCount: 0, responseTimeoutSeconds: 60 };
  await api.registerTasks({ name: 'watched', ...never }, { name: 'left', ...never });
  for (const name of ['watched', 'left']) {
    const task: TaskConfig = { name, taskReferenceName: 'work', type: 'SIMPLE' };
    await api.registerWorkflows({ name, version: 1, tasks: [task] } as never);
  }
}

/** Executions that complete and fail, a task that nobody takes, and a start that is refused. */
async function work(): Promise<void> {
  for (const status of ['COMPLETED', 'FAILED', 'FAILED'] as const) {
    await api.start({ name: 'watched', version: 1 });
    const [taken] = await api.poll('watched', { timeoutMs: 5000 });
    await api.update(toResult(taken as WireTask, { status }));
  }
  await api.start({ name: 'left', version: 1 });
  await api.request('POST', '/api/workflow', { name: 'unknown', version: 1 });
  await api.request('POST', '/webhook/unknown', {});
}

/** Waits until an expression has data. */
function untilData(expression: string): Promise<unknown> {
  const look = async (): Promise<boolean> => (await prometheus.query(expression)).length > 0;
  return until(expression, look, { timeoutMs: lookMsMax, everyMs: 200 });
}

/** The part before the comparison: what an alert looks at while nothing is wrong. */
function measured(expression: string): string {
  let depth = 0;
  for (const { 0: found, index } of expression.matchAll(/[({]|[)}]| (?:>|<|==) /g)) {
    if (found === '(' || found === '{') depth++;
    else if (found === ')' || found === '}') depth--;
    else if (depth === 0) return expression.slice(0, index);
  }
  throw new Error(`'${expression}' compares nothing`);
}

function mustHaveData(expression: string): boolean {
  return !afterAnEvent.some((name) => expression.includes(name));
}

describe.skipIf(!isFound)('Prometheus', { timeout: timeoutMs }, () => {
  beforeAll(async () => {
    server = await startServer();
    api = new ApiClient(server.url);
    // A node that is away beside one that is there.
    const targets = [`127.0.0.1:${server.port}`, `127.0.0.1:${await freePort()}`];
    await prometheus.start(targets, path.join(projectRoot, 'deploy', 'prometheus', 'alerts.yaml'));
    await register();
    // A counter has a rate once it was seen, and grew.
    await work();
    await untilData('downbeat_tasks_total{event="failed"} > 0');
    await untilData('downbeat_queue_depth{task_type="left"} > 0');
    await work();
    await untilData('increase(downbeat_tasks_total{event="failed"}[1m]) > 0');
  }, timeoutMs);
  afterAll(async () => {
    await prometheus.stop();
    await api?.close();
    await server?.stop();
  });

  it.each(boardExpressions)('evaluates "%s" of the board', async (_title, expression) => {
    const found = await prometheus.query(expression.replaceAll('$__rate_interval', '1m'));
    if (mustHaveData(expression)) expect(found).not.toEqual([]);
  });

  it.each(adapterExpressions)('evaluates %s of the adapter', async (_series, expression) => {
    expect(await prometheus.query(expression)).not.toEqual([]);
  });

  it.each(alerts)('evaluates the alert %s, and what it looks at', async (name, expression) => {
    const found = await prometheus.query(expression);
    if (setOff.includes(name)) expect(found).not.toEqual([]);
    const looked = await prometheus.query(measured(expression));
    if (mustHaveData(expression)) expect(looked).not.toEqual([]);
  });

  it('takes every alert as a rule, and evaluates it', async () => {
    const states = await until(
      'an evaluation of each',
      async () => {
        const rules = await prometheus.rules();
        return rules.every(({ health }) => health !== 'unknown') ? rules : undefined;
      },
      { timeoutMs },
    );
    expect(states.map(({ name }) => name)).toEqual(alerts.map(([name]) => name));
    const wrong = states.filter(({ health, lastError }) => health !== 'ok' || lastError);
    expect(wrong).toEqual([]);
  });
});
