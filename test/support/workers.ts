// Workers of tests: each task type has a script that says what is reported for a task.
import type { ApiClient } from '../../testkit/api-client.js';
import type { JsonObject, ResultStatus, WireTask, WireTaskResult } from '../../testkit/wire.js';

/** What a script reports; `silent` reports nothing, as a worker that died. */
export type ScriptedResult =
  | { status: ResultStatus; output?: JsonObject; reason?: string; callbackAfterSeconds?: number }
  | 'silent';

/** Called with each task handed out; `count` is how many of this type were handed out before. */
export type WorkerScript = (task: WireTask, count: number) => ScriptedResult;

/** A script that completes with the same output always. */
export function completing(output: JsonObject = {}): WorkerScript {
  return () => ({ status: 'COMPLETED', output });
}

export class ScriptedWorkers {
  /** Every task handed out, in order. */
  readonly tasks: WireTask[] = [];
  private readonly counts = new Map<string, number>();
  private stopped = false;
  private readonly loops: Promise<void>[];

  /** Starts one polling loop per task type. */
  constructor(
    private readonly client: ApiClient,
    private readonly scripts: { readonly [taskType: string]: WorkerScript },
    private readonly options: { count?: number; timeoutMs?: number } = {},
  ) {
    this.loops = Object.keys(scripts).map((taskType) => this.work(taskType));
  }

  /** Ends the loops; rejects with the first error that one of them met. */
  async stop(): Promise<void> {
    this.stopped = true;
    await Promise.all(this.loops);
  }

  private async work(taskType: string): Promise<void> {
    const { count = 10, timeoutMs = 200 } = this.options;
    while (!this.stopped) {
      const tasks = await this.client.poll(taskType, { count, timeoutMs, workerId: 'scripted' });
      for (const task of tasks) await this.report(taskType, task);
    }
  }

  private async report(taskType: string, task: WireTask): Promise<void> {
    const count = this.counts.get(taskType) ?? 0;
    this.counts.set(taskType, count + 1);
    this.tasks.push(task);
    const result = this.scripts[taskType]?.(task, count) ?? 'silent';
    if (result !== 'silent') await this.client.update(toResult(task, result));
  }
}

/** The body that reports a scripted result. */
export function toResult(
  task: WireTask,
  result: Exclude<ScriptedResult, 'silent'>,
): WireTaskResult {
  return {
    workflowInstanceId: task.workflowInstanceId,
    taskId: task.taskId,
    status: result.status,
    outputData: result.output ?? {},
    workerId: 'scripted',
    ...(result.reason === undefined ? {} : { reasonForIncompletion: result.reason }),
    ...(result.callbackAfterSeconds === undefined
      ? {}
      : { callbackAfterSeconds: result.callbackAfterSeconds }),
  };
}
