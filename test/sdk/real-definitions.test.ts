import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import {
  MetadataClient,
  WorkflowExecutor,
  noopLogger,
  orkesConductorClient,
} from '@io-orkes/conductor-javascript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { tell } from '../support/figures.js';
import { sharedFolder } from '../../testkit/project.js';
import { startServer, type RunningServer } from '../../testkit/server.js';
import type { TaskConfig, WireWorkflowDef } from '../../testkit/wire.js';
import { completing, ScriptedWorkers, type WorkerScript } from '../support/workers.js';
import { defaultOutput, definitionRuns, type DefinitionRun } from './real-definitions.js';

const folder = path.join(sharedFolder, 'inputs');
const hasInputs = fs.existsSync(folder);
if (!hasInputs) tell(`skipped: no real definitions at ${folder}`);
const child = 'simple_one_task_sub_workflow_integration_test.json';

let server: RunningServer;
let client: ApiClient;
let metadata: MetadataClient;
let executor: WorkflowExecutor;
let site: http.Server;

beforeAll(async () => {
  if (!hasInputs) return;
  // The site of the quick start is one on this machine.
  server = await startServer({ env: { DOWNBEAT_OUTBOUND_ALLOW_INSIDE: 'true' } });
  client = new ApiClient(server.url);
  const sdk = await orkesConductorClient({
    serverUrl: server.url,
    useEnvVars: false,
    disableHttp2: true,
    logger: noopLogger,
  });
  metadata = new MetadataClient(sdk);
  executor = new WorkflowExecutor(sdk);
  site = http.createServer((_, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ hostName: 'here', apiRandomDelay: 3, randomInt: 4 }));
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});

afterAll(async () => {
  await client?.close();
  await server?.stop();
  site?.close();
});

/** A definition as it stands, but with the address of a site on this machine. */
function read(file: string): WireWorkflowDef {
  const { port } = site.address() as AddressInfo;
  const text = fs
    .readFileSync(path.join(folder, file), 'utf8')
    .replace(/https:\/\/orkes-api-tester[^"]*/, `http://127.0.0.1:${port}/api`);
  const parsed = JSON.parse(text) as WireWorkflowDef | WireWorkflowDef[];
  return Array.isArray(parsed) ? (parsed[0] as WireWorkflowDef) : parsed;
}

function nestedTasks(task: TaskConfig): TaskConfig[] {
  const {
    decisionCases = {},
    defaultCase = [],
    forkTasks = [],
    loopOver = [],
  } = task as {
    decisionCases?: { [name: string]: TaskConfig[] };
    defaultCase?: TaskConfig[];
    forkTasks?: TaskConfig[][];
    loopOver?: TaskConfig[];
  };
  return [...Object.values(decisionCases).flat(), ...defaultCase, ...forkTasks.flat(), ...loopOver];
}

/** Names of all worker tasks, at any depth. */
function workerTypes(tasks: readonly TaskConfig[]): string[] {
  return tasks.flatMap((task) => {
    const nested = workerTypes(nestedTasks(task));
    return task.type === 'SIMPLE' || task.type === undefined ? [task.name, ...nested] : nested;
  });
}

const moreTypes = ['integration_task_2', 'integration_task_3', 'simple_task_in_sub_wf'];

async function carryOut(run: DefinitionRun): Promise<void> {
  const def = read(run.file);
  const types = [...new Set([...workerTypes(def.tasks), ...moreTypes])];
  const retries = run.workers?.['task_rt'] === undefined ? 0 : 1;
  for (const name of types) {
    const fields = { retryCount: retries, retryDelaySeconds: 0, responseTimeoutSeconds: 1 };
    await metadata.registerTask({ name, timeoutSeconds: 0, totalTimeoutSeconds: 0, ...fields });
  }
  await metadata.registerWorkflowDef(read(child) as never, true);
  await metadata.registerWorkflowDef(def as never, true);
  const scripts: { [type: string]: WorkerScript } = Object.fromEntries(
    types.map((name) => [name, run.workers?.[name] ?? completing(defaultOutput)]),
  );
  const workers = new ScriptedWorkers(client, scripts);
  try {
    const id = await executor.startWorkflow({ name: def.name, version: 1, input: run.input });
    for (const ref of run.signals ?? []) {
      await client.untilTask(id, ref, 'IN_PROGRESS');
      await client.signal(id, 'COMPLETED', {});
    }
    const ended = await client.untilEnd(id, { timeoutMs: 20_000 });
    const done = ended.tasks
      .filter((task) => types.includes(task.taskType) && task.status === 'COMPLETED')
      .map((task) => task.referenceTaskName);
    expect(ended).toMatchObject({ status: run.endsAs, ...(run.output && { output: run.output }) });
    if (run.endsAs === 'COMPLETED' || run.carriedOut.length > 0) {
      expect(done.sort()).toEqual(run.carriedOut);
    }
  } finally {
    await workers.stop();
  }
}

describe.skipIf(!hasInputs)('real definitions', () => {
  it('have each at least one run here', () => {
    const files = fs.readdirSync(folder).filter((name) => name.endsWith('.json'));
    const covered = new Set(definitionRuns.map((run) => run.file));
    expect(files.filter((name) => !covered.has(name))).toEqual([]);
  });

  it.each(definitionRuns.map((run) => [`${run.file} by ${run.way}`, run] as const))(
    '%s',
    (_, run) => carryOut(run),
  );
});
