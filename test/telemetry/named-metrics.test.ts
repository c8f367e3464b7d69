// Metrics by workflow and task type: how many names they tell apart, and their histograms.
import { describe, expect, it } from 'vitest';
import { BoundedNames } from '../../src/telemetry/bounded-names.js';
import { EventCounters } from '../../src/telemetry/event-counters.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { NamedMetrics } from '../../src/telemetry/named-metrics.js';

describe('names that metrics tell apart', () => {
  it('are those that come first, as many as the setting says', () => {
    const names = new BoundedNames(2);
    expect(['a', 'b', 'c', 'a', 'd'].map((name) => names.of(name))).toEqual([
      ...['a', 'b', 'other', 'a', 'other'],
    ]);
    expect(new BoundedNames(0).of('a')).toBe('other');
  });

  it('have a bounded length and no line break', () => {
    const names = new BoundedNames(10);
    expect(names.of('a\nb')).toBe('a b');
    expect(names.of('x'.repeat(1000))).toHaveLength(200);
  });
});

describe('metrics by name', () => {
  it('count events and times of workflows and task types', async () => {
    const metrics = new Metrics();
    const counters = new EventCounters();
    const named = new NamedMetrics(metrics, 1);
    for (const name of ['orders', 'orders', 'parcels']) {
      counters.workflow(name, 'completed').add();
      counters.took(name, 2000).add();
    }
    counters.queue({ taskType: 'charge', domain: 'eu' }, 'failed').add(3);
    counters.runTime({ taskType: 'charge', domain: 'eu' }, 4).add(3);
    counters.waitTime({ taskType: 'charge', domain: 'eu' }, 30_000).add(3);
    named.add(counters.take());
    named.add(counters.take());
    const text = await metrics.text();
    const lines = [
      'downbeat_workflow_executions_total{workflow="orders",event="completed"} 2',
      'downbeat_workflow_executions_total{workflow="other",event="completed"} 1',
      'downbeat_workflow_duration_seconds_bucket{workflow="orders",le="1"} 0',
      'downbeat_workflow_duration_seconds_bucket{workflow="orders",le="10"} 2',
      'downbeat_workflow_duration_seconds_count{workflow="other"} 1',
      'downbeat_task_executions_total{task_type="charge",event="failed"} 3',
      'downbeat_task_duration_seconds_bucket{task_type="charge",le="0.01"} 3',
      'downbeat_queue_wait_seconds_bucket{task_type="charge",le="10"} 0',
      'downbeat_queue_wait_seconds_bucket{task_type="charge",le="60"} 3',
    ];
    for (const line of lines) expect(text.split('\n')).toContain(line);
    expect(text).not.toContain('event="started"} 0');
  });

  it('forget a value of a gauge that is gone', async () => {
    const metrics = new Metrics();
    let depth: Record<string, number> = { a: 1 };
    metrics.gauge('queueDepth', () => depth);
    expect(await metrics.text()).toContain('downbeat_queue_depth{task_type="a"} 1');
    depth = { b: 2 };
    const text = await metrics.text();
    expect(text).not.toContain('task_type="a"');
    expect(text).toContain('downbeat_queue_depth{task_type="b"} 2');
  });
});
