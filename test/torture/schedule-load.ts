// A schedule under torture: through kills of the leader and of Redis every due time starts exactly
// one execution (invariants I10, semantics 9.6).
import type { ApiClient } from '../../testkit/api-client.js';
import { pause } from '../../testkit/until.js';
import type { JsonObject } from '../../testkit/wire.js';
import { ownerEmail, untilAnswered, type SideLoad } from './side-load.js';

const name = 'torture_scheduled';
const everyMs = 4_000;
/** How late the newest due time may be when the run has calmed down, ms. */
const lateMs = 20_000;
const pageSize = 500;

export class ScheduleLoad implements SideLoad {
  private constructor(
    private readonly client: ApiClient,
    private readonly firstDue: number,
  ) {}

  /** The schedule is due from the start on. */
  static async start(client: ApiClient): Promise<ScheduleLoad> {
    const task = { name: 'v', taskReferenceName: 'v', type: 'NOOP' };
    const definition = { name, version: 1, schemaVersion: 2, ownerEmail, tasks: [task] };
    await client.registerWorkflows(definition as never);
    const { body } = await client.ask('POST', '/api/scheduler/schedules', {
      ...{ name, cronExpression: `*/${everyMs / 1_000} * * * * *` },
      runCatchupScheduleInstances: true,
      startWorkflowRequest: { name },
    });
    const { createTime } = body as { createTime: number };
    return new ScheduleLoad(client, Math.floor(createTime / everyMs) * everyMs + everyMs);
  }

  begin(): void {
    // The server does it.
  }

  /** Waits until the schedule has caught up, pauses it, and compares with the calendar. */
  async judge(timeoutMs: number): Promise<string[]> {
    const deadline = Date.now() + timeoutMs;
    const isLate = (due: readonly number[]): boolean => Date.now() - (due.at(-1) ?? 0) > lateMs;
    let due = await this.started(deadline);
    while (isLate(due) && Date.now() < deadline) {
      await pause(500);
      due = await this.started(deadline);
    }
    if (isLate(due)) return [`the schedule is late: ${due.length} due times have run`];
    const body = [name];
    await untilAnswered(this.client, deadline, 'PUT', '/api/scheduler/bulk/pause', body);
    // A due time may be on its way.
    await pause(2_000);
    due = await this.started(deadline);
    const last = due.at(-1) ?? 0;
    const count = (last - this.firstDue) / everyMs + 1;
    const calendar = Array.from({ length: count }, (_, i) => this.firstDue + i * everyMs);
    const counts = new Map<number, number>();
    for (const time of due) counts.set(time, (counts.get(time) ?? 0) + 1);
    const told = (time: number): string => new Date(time).toISOString();
    const missing = calendar.filter((time) => !counts.has(time));
    const wrong = [...counts].filter(([time, n]) => n > 1 || !calendar.includes(time));
    return [
      ...missing.map((time) => `the due time ${told(time)} started nothing`),
      ...wrong.map(([time, n]) => `the due time ${told(time)} started ${n} executions`),
    ];
  }

  end(): Promise<void> {
    return Promise.resolve();
  }

  describe(): string {
    return `a schedule due every ${everyMs / 1_000} s`;
  }

  /** Due times by which executions say that they were started, in order. */
  private async started(deadline: number): Promise<number[]> {
    const times: number[] = [];
    const query = encodeURIComponent(`workflowType=${name}`);
    for (let start = 0; ; start += pageSize) {
      const path = `/api/workflow/search?start=${start}&size=${pageSize}&query=${query}`;
      const read = await untilAnswered(this.client, deadline, 'GET', path);
      if (read?.answer.status !== 200) return [];
      const { results } = read.answer.body as { results: JsonObject[] };
      for (const { input } of results) {
        times.push((JSON.parse(input as string) as { _scheduledTime: number })._scheduledTime);
      }
      if (results.length < pageSize) return times.sort((a, b) => a - b);
    }
  }
}
