// What has become of the due times of a schedule that is due each second and starts the workflow of
// its own name: by its records, and by the executions that were started.
import type { ApiClient } from '../../testkit/api-client.js';
import type { JsonObject } from '../../testkit/wire.js';

export interface ScheduledRun {
  readonly scheduledTime: number;
  readonly workflowId?: string;
  readonly state: string;
  readonly reason?: string;
}

/** Saves the schedule; resolves with its first due time, epoch ms. */
export async function saveEachSecond(
  api: ApiClient,
  name: string,
  catchUp: boolean,
): Promise<number> {
  const answer = await api.request('POST', '/api/scheduler/schedules', {
    name,
    cronExpression: '* * * * * *',
    runCatchupScheduleInstances: catchUp,
    startWorkflowRequest: { name },
  });
  return Math.floor((answer.body as { createTime: number }).createTime / 1000) * 1000 + 1000;
}

/** Oldest first. */
export async function runsOf(api: ApiClient, name: string): Promise<ScheduledRun[]> {
  const path = `/api/scheduler/search/executions?size=1000&query=${name}&sort=scheduledTime:ASC`;
  return ((await api.request('GET', path)).body as { results: ScheduledRun[] }).results;
}

/** Due times by which executions of the workflow say that they were started. */
export async function startedBy(api: ApiClient, name: string): Promise<number[]> {
  const path = `/api/workflow/search?size=1000&query=${encodeURIComponent(`workflowType=${name}`)}`;
  const { results } = (await api.request('GET', path)).body as { results: JsonObject[] };
  return results
    .map(({ input }) => (JSON.parse(input as string) as { _scheduledTime: number })._scheduledTime)
    .sort((a, b) => a - b);
}

export function seconds(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / 1000 + 1 }, (_, i) => from + i * 1000);
}

/** Due times that a record says were skipped. */
export function skippedBy({ reason = '' }: ScheduledRun): number[] {
  const [, from, to] = /from (\S+) to (\S+):/.exec(reason) ?? [];
  if (from === undefined || to === undefined) return [];
  return seconds(Date.parse(from), Math.floor(Date.parse(to) / 1000) * 1000);
}
