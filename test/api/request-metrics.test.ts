// Requests by route, method and status, with long polls apart and a bounded number of series.
import { expect, it } from 'vitest';
import { requestObserver } from '../../src/api/request-metrics.js';
import { Metrics } from '../../src/telemetry/metrics.js';

it('counts by three labels, and times long polls apart', async () => {
  const metrics = new Metrics();
  const observe = requestObserver(metrics);
  observe('GET', '/api/workflow/:workflowId', 200, 2);
  observe('DELETE', '/api/workflow/:workflowId', 404, 2);
  observe('GET', '/api/tasks/poll/batch/:tasktype', 200, 20_000);
  observe('POST', '/api/tasks/update-v2', 200, 40_000);
  const text = await metrics.text();
  for (const [method, status] of [
    ['GET', 200],
    ['DELETE', 404],
  ]) {
    expect(text).toContain(
      `downbeat_http_requests_total{route="/api/workflow/:workflowId",method="${method}",status="${status}"} 1\n`,
    );
  }
  expect(text).toContain('downbeat_http_request_duration_seconds_count 2\n');
  expect(text).toContain('downbeat_http_request_duration_seconds_sum 0.004\n');
  expect(text).toContain('downbeat_http_long_poll_duration_seconds_sum 60\n');
});

it('has one series for all unknown paths and methods', async () => {
  const metrics = new Metrics();
  const observe = requestObserver(metrics);
  for (const method of ['GET', 'BREW', 'WHEN']) observe(method, undefined, 404, 1);
  const series = (await metrics.text()).match(/^downbeat_http_requests_total\{.*$/gm);
  expect(series).toEqual([
    'downbeat_http_requests_total{route="unknown",method="any",status="404"} 3',
  ]);
});
