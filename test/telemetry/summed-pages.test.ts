import { describe, expect, it } from 'vitest';
import { everyMetric } from '../../src/server/every-metric.js';
import { Metrics } from '../../src/telemetry/metrics.js';
import { SummedPages } from '../../src/telemetry/summed-pages.js';

async function pageOf(requests: number, polls: number): Promise<string> {
  const metrics = new Metrics();
  metrics.count('requests', 'a "{b} c"\nGET\n200', requests);
  metrics.observe('commitBatchSize', 3);
  metrics.gauge('parkedPolls', () => polls);
  metrics.gauge('loopLagSeconds', () => ({ p50: 0.5 }));
  metrics.gauge('processUp', () => ({ x: 1 }));
  return metrics.text();
}

const requestsLine =
  'downbeat_http_requests_total{route="a \\"{b} c\\"",method="GET",status="200"}';

describe('the metrics page of several processes', () => {
  it('sums counters and buckets, and has each gauge once for every process', async () => {
    const text = new SummedPages(everyMetric).text([
      { process: 'n-1', text: await pageOf(3, 5) },
      { process: 'n-2', text: await pageOf(4, 6) },
    ]);
    const lines = text.split('\n');
    for (const line of [
      `${requestsLine} 7`,
      'downbeat_commit_batch_size_bucket{le="2"} 0',
      'downbeat_commit_batch_size_bucket{le="5"} 2',
      'downbeat_commit_batch_size_bucket{le="+Inf"} 2',
      'downbeat_commit_batch_size_sum 6',
      'downbeat_parked_polls{process="n-1"} 5',
      'downbeat_parked_polls{process="n-2"} 6',
      'downbeat_loop_lag_seconds{process="n-2",quantile="p50"} 0.5',
      'downbeat_process_up{process="n-1"} 1',
    ])
      expect(lines).toContain(line);
    expect(lines.filter((line) => line.startsWith('# TYPE downbeat_parked_polls'))).toHaveLength(1);
    expect(text).not.toContain('process="x"');
    expect(text.endsWith('\n')).toBe(true);
  });

  it('has a gauge of the whole cluster once, with the greatest value that is told', () => {
    const ofCluster = everyMetric.filter(({ isOfCluster }) => isOfCluster).map(({ name }) => name);
    expect(ofCluster).toContain('downbeat_queue_depth');
    expect(ofCluster).toContain('downbeat_shards');
    for (const name of ofCluster) {
      const page = (lines: string): string => `# HELP ${name} x\n# TYPE ${name} gauge\n${lines}`;
      const text = new SummedPages(everyMetric).text([
        { process: 'n-1', text: page(`${name}{type="a"} 3\n`) },
        { process: 'n-2', text: page(`${name}{type="a"} 7\n${name}{type="b"} 2\n`) },
        { process: 'n-3', text: page('') },
      ]);
      const lines = text.split('\n').filter((line) => line.startsWith(name));
      expect(lines).toEqual([`${name}{type="a"} 7`, `${name}{type="b"} 2`]);
    }
  });

  it('keeps what a silent process told last in the sums, and says that it is silent', async () => {
    const pages = new SummedPages(everyMetric);
    pages.text([{ process: 'n-1', text: await pageOf(3, 5) }]);
    const text = pages.text([{ process: 'n-1', text: undefined }]);
    expect(text).toContain(`${requestsLine} 3\n`);
    expect(text).toContain('downbeat_process_up{process="n-1"} 0\n');
    expect(text).not.toContain('downbeat_parked_polls{');
  });

  it('adds what a new process counts to what the one before it had counted', async () => {
    const pages = new SummedPages(everyMetric);
    for (const requests of [3, 4]) {
      pages.text([{ process: 'n-1', text: await pageOf(requests, 5) }]);
      pages.ended('n-1');
    }
    const text = pages.text([{ process: 'n-1', text: await pageOf(5, 5) }]);
    expect(text).toContain(`${requestsLine} 12\n`);
    expect(text).toContain('downbeat_parked_polls{process="n-1"} 5\n');
  });
});
