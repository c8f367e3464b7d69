// A server, a provider of models beside it, and one task at a time: what the tests of the tasks
// that call other systems share.
import { ApiClient } from '../../../testkit/api-client.js';
import { ModelServer } from '../../support/model-server.js';
import { startServer, type RunningServer } from '../../../testkit/server.js';
import type { JsonObject, WireTask } from '../../../testkit/wire.js';

/** Long enough to be told from any other text. */
export const apiKey = 'canary-key-of-the-provider-9f2c';

/** A machine that also does other things takes long for 16 MB, or for 60 tasks at once. */
const endTimeoutMs = 40_000;

export class TaskBench {
  #count = 0;

  private constructor(
    readonly server: RunningServer,
    readonly api: ApiClient,
    readonly provider: ModelServer,
  ) {}

  /** With the provider `ai` and its model `m`. */
  static async start(args: readonly string[] = []): Promise<TaskBench> {
    const provider = new ModelServer();
    await provider.start();
    const server = await startServer({ args: ['--outbound-allow-inside=true', ...args] });
    const bench = new TaskBench(server, new ApiClient(server.url), provider);
    const configuration = { api_key: apiKey, endpoint: provider.endpoint };
    await bench.saveProvider('ai', { type: 'openai', configuration });
    await bench.saveModel('ai', 'm');
    return bench;
  }

  async stop(): Promise<void> {
    await this.api.close();
    await this.server.stop();
    await this.provider.stop();
  }

  async saveProvider(name: string, fields: JsonObject): Promise<void> {
    await this.api.ask('POST', `/api/integrations/provider/${name}`, fields);
  }

  async saveModel(provider: string, model: string, fields: JsonObject = {}): Promise<void> {
    const path = `/api/integrations/provider/${provider}/integration/${model}`;
    await this.api.ask('POST', path, fields);
  }

  /** Starts an execution of one task; its id. */
  async startTask(
    type: string,
    inputParameters: JsonObject,
    more: JsonObject = {},
  ): Promise<string> {
    const task = { name: 't', taskReferenceName: 't', type, inputParameters, ...more };
    const name = `bench_${++this.#count}`;
    const workflowDef = { name, version: 1, schemaVersion: 2, tasks: [task] };
    return await this.api.start({ name, workflowDef });
  }

  /** The task of an execution of it alone, once the execution has ended. */
  async run(type: string, inputParameters: JsonObject, more: JsonObject = {}): Promise<WireTask> {
    const tasks = await this.runAll(type, inputParameters, more);
    const [last] = tasks.slice(-1);
    if (last === undefined) throw new Error('The execution has no task');
    return last;
  }

  /** All attempts of the task. */
  async runAll(
    type: string,
    inputParameters: JsonObject,
    more: JsonObject = {},
  ): Promise<WireTask[]> {
    const id = await this.startTask(type, inputParameters, more);
    const isOver = ({ status }: { status: string }): boolean => status !== 'RUNNING';
    const ended = await this.api.untilWorkflow(id, isOver, { timeoutMs: endTimeoutMs });
    return ended.tasks;
  }

  /** Its output; rejects with the reason when the task did not complete. */
  async output(type: string, inputParameters: JsonObject): Promise<JsonObject> {
    const {
      status,
      outputData,
      reasonForIncompletion = '',
    } = await this.run(type, inputParameters);
    if (status !== 'COMPLETED') throw new Error(`${status}: ${reasonForIncompletion}`);
    return outputData;
  }

  /** Why it failed for good. */
  async refusal(type: string, inputParameters: JsonObject): Promise<string> {
    const { status, reasonForIncompletion = '' } = await this.run(type, inputParameters);
    if (status !== 'FAILED_WITH_TERMINAL_ERROR') {
      throw new Error(`the task ended as ${status}: ${reasonForIncompletion}`);
    }
    return reasonForIncompletion;
  }
}
