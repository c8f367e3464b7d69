import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LoopLag } from '../../src/telemetry/loop-lag.js';
import { everyMetric } from '../../src/server/every-metric.js';
import { joinLabels } from '../../src/telemetry/metric-names.js';
import { Metrics } from '../../src/telemetry/metrics.js';

/** A loop that turns, and is blocked, as the tests say. */
let now = 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const rests = { idle: 1, active: 0, utilization: 0 };
  vi.spyOn(performance, 'eventLoopUtilization').mockReturnValue(rests);
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** The loop turns for so many milliseconds. */
function turnFor(ms: number): void {
  for (let passed = 0; passed < ms; passed++) {
    now += 1;
    vi.advanceTimersByTime(1);
  }
}

/** The loop is blocked, and turns before and afterwards. */
function holdUp(ms: number): void {
  turnFor(20);
  now += ms;
  turnFor(100);
}

describe('the metrics page', () => {
  it('shows counters by label, with their help and type', async () => {
    const metrics = new Metrics();
    metrics.count('leaseEnds');
    metrics.count('leaseEnds', '', 2);
    metrics.count('requests', joinLabels('a "b"\\c', 'GET', 200));
    const text = await metrics.text();
    expect(text).toContain(
      '# TYPE downbeat_lease_ends_total counter\ndownbeat_lease_ends_total 3\n',
    );
    expect(text).toContain(
      'downbeat_http_requests_total{route="a \\"b\\"\\\\c",method="GET",status="200"} 1\n',
    );
    expect(text.endsWith('\n')).toBe(true);
  });

  it('adds up the buckets of a histogram', async () => {
    const metrics = new Metrics();
    for (const value of [1, 2, 3, 1000]) metrics.observe('commitBatchSize', value);
    const text = await metrics.text();
    expect(text).toContain('downbeat_commit_batch_size_bucket{le="1"} 1\n');
    expect(text).toContain('downbeat_commit_batch_size_bucket{le="2"} 2\n');
    expect(text).toContain('downbeat_commit_batch_size_bucket{le="500"} 3\n');
    expect(text).toContain('downbeat_commit_batch_size_bucket{le="+Inf"} 4\n');
    expect(text).toContain('downbeat_commit_batch_size_sum 1006\n');
    expect(text).toContain('downbeat_commit_batch_size_count 4\n');
  });

  it('asks gauges when it is written', async () => {
    const metrics = new Metrics();
    let polls = 1;
    metrics.gauge('parkedPolls', () => polls);
    metrics.gauge('loopLagSeconds', () => ({ p50: 0.5, max: 2 }));
    polls = 7;
    expect(await metrics.text()).toContain('downbeat_parked_polls 7\n');
    expect(await metrics.text()).toContain('downbeat_loop_lag_seconds{quantile="max"} 2\n');
  });

  it('shows the process, its collections and its event loop', async () => {
    const metrics = new Metrics();
    const lag = new LoopLag();
    lag.start();
    metrics.collectProcess(lag);
    holdUp(80);
    const text = await metrics.text();
    lag.stop();
    expect(Number(/^nodejs_eventloop_lag_max_seconds (.*)$/m.exec(text)?.[1])).toBeGreaterThan(
      0.04,
    );
    expect(Number(/_loop_lag_seconds\{quantile="max"\} (.*)/.exec(text)?.[1])).toBeGreaterThan(
      0.04,
    );
    // None is still read from the library's own samples, of which there are none.
    expect(text).not.toContain('NaN');
    for (const name of [
      'process_cpu_seconds_total',
      'process_resident_memory_bytes',
      'nodejs_gc_duration_seconds',
      'nodejs_eventloop_lag_p99_seconds',
    ]) {
      expect(text).toContain(`# TYPE ${name} `);
    }
  });

  it('refuses to count what is no counter', () => {
    expect(() => new Metrics().count('parkedPolls')).toThrow('parkedPolls is no counter');
  });

  it('names the unit of every metric as the field does', () => {
    for (const { name, kind } of everyMetric) {
      expect(name).toMatch(/^downbeat_[a-z_]+$/);
      expect(name).not.toMatch(/_(milliseconds|ms|minutes|hours|kilobytes|megabytes|percent)(_|$)/);
      expect([name, name.endsWith('_total')]).toEqual([name, kind === 'counter']);
    }
  });

  it('has a name of its own for every metric', () => {
    const names = everyMetric.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^downbeat_[a-z_]+$/);
  });
});

describe('loop lag', () => {
  it('sees that the loop was held up', () => {
    const lag = new LoopLag();
    lag.start();
    holdUp(80);
    expect(lag.take().max).toBeGreaterThan(40);
    lag.stop();
  });

  it('is rarely looked at while the loop rests, and one stop stays a small share', () => {
    const lag = new LoopLag();
    lag.start();
    const timers = vi.spyOn(globalThis, 'setTimeout');
    turnFor(600);
    expect(timers.mock.calls.length).toBeLessThan(40);
    timers.mockRestore();
    holdUp(200);
    const { p50, p90, max } = lag.take();
    expect(max).toBeGreaterThan(100);
    expect(p50).toBeLessThan(10);
    expect(p90).toBeLessThan(max / 2);
    lag.stop();
  });
});
