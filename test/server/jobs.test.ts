// The loops of a node that wake by themselves stand in its health and in its metrics.
import { expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { sharedServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

interface ShownJob {
  readonly name: string;
  readonly runsOn: string;
  readonly everyMs: number;
  readonly runs: number;
  readonly failures: number;
  readonly lastRunTime?: number;
}

const server = sharedServer(import.meta.url);

it('shows the jobs of the node', async () => {
  const api = new ApiClient(server.url);
  try {
    const jobs = await until('runs of the jobs that come every second', async () => {
      const { body } = await api.request('GET', '/health');
      const shown = (body as { details: { jobs: ShownJob[] } }).details.jobs;
      const frequent = ['RecordTables', 'StoreMemory', 'QueueAudit'];
      const areThrough = frequent.every((name) => shown.some((job) => isThrough(job, name)));
      return areThrough ? shown : undefined;
    });
    const places = Object.fromEntries(jobs.map(({ name, runsOn }) => [name, runsOn]));
    expect(places).toMatchObject({
      Definitions: 'node',
      HumanTaskExpiry: 'node',
      RecordTables: 'node',
      SealingKeys: 'node',
      StoreMemory: 'node',
      WebhookEventWorker: 'node',
      QueueAudit: 'owner',
      EventConsumer: 'leader',
    });
    const metrics = await (await fetch(`${server.url}/metrics`)).text();
    expect(metrics).toMatch(/^downbeat_job_runs_total\{job_name="RecordTables"\} [1-9]/m);
    expect(metrics).toMatch(/^downbeat_job_failures_total\{job_name="RecordTables"\} 0$/m);
    expect(metrics).toMatch(/^downbeat_job_seconds_total\{job_name="RecordTables"\} \d+\.\d/m);
  } finally {
    await api.close();
  }
});

function isThrough(job: ShownJob, name: string): boolean {
  return job.name === name && job.runs > 0 && job.lastRunTime !== undefined;
}
