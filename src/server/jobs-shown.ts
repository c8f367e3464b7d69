// Shows the jobs of a node (std/job.ts): in the answer of GET /health and in the metrics.
import type { JsonMap } from '../model/json.js';
import type { JobState } from '../std/job.js';
import type { Metrics } from '../telemetry/metrics.js';

export function shownJobs(jobs: readonly JobState[]): JsonMap[] {
  return jobs.map(({ name, runsOn, everyMs, runs, failures, lastRunAt, lastError }) => ({
    ...{ name, runsOn, everyMs, runs, failures },
    ...(lastRunAt === undefined ? {} : { lastRunTime: Math.round(lastRunAt) }),
    ...(lastError === undefined ? {} : { lastError }),
  }));
}

/** Adds to the counters what has come since the last call. */
export function createJobCounts(metrics: Metrics, jobs: () => readonly JobState[]): () => void {
  const counted = new Map<string, Pick<JobState, 'runs' | 'failures' | 'tookMs'>>();
  return () => {
    for (const job of jobs()) {
      const before = counted.get(job.name) ?? { runs: 0, failures: 0, tookMs: 0 };
      // Less than before: one of several jobs of that name has ended.
      const add = (key: 'jobRuns' | 'jobFailures' | 'jobSeconds', by: number): void =>
        metrics.count(key, job.name, Math.max(0, by));
      add('jobRuns', job.runs - before.runs);
      add('jobFailures', job.failures - before.failures);
      add('jobSeconds', (job.tookMs - before.tookMs) / 1000);
      counted.set(job.name, job);
    }
  };
}
