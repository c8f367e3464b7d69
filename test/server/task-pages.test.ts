// The pages of docs/tasks and docs/tutorials: each definition runs as it stands, with the results
// of workers and people that its page gives, and ends with the output that it names.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { projectRoot } from '../../testkit/project.js';
import { sharedServer } from '../support/shared-server.js';
import { until } from '../../testkit/until.js';

const docs = path.join(projectRoot, 'docs');
const names = ['tasks', 'tutorials'].flatMap((folder) =>
  fs
    .readdirSync(path.join(docs, folder))
    .filter((name) => name !== 'README.md')
    .sort()
    .map((name) => `${folder}/${name}`),
);

type Block = 'definition' | 'input' | 'results' | 'output';

interface Execution {
  readonly status: string;
  readonly output: unknown;
  readonly tasks: readonly {
    readonly taskId: string;
    readonly taskType: string;
    readonly referenceTaskName: string;
    readonly status: string;
  }[];
}

const server = sharedServer(import.meta.url);
let api: ApiClient;
/** Definitions go with the file: the pages name them, not the prefix of the file. */
const registered: string[] = [];
beforeAll(async () => {
  api = new ApiClient(server.url);
  const noop = { name: 'nothing', taskReferenceName: 'nothing', type: 'WAIT' };
  const others = ['task_start_workflow_other', 'task_terminate_workflow_other'].map((name) => ({
    ...{ name, version: 1, tasks: [noop] },
  }));
  await register(...others);
});
afterAll(async () => {
  for (const name of registered) await api.request('DELETE', `/api/metadata/workflow/${name}/1`);
  await api.close();
});

async function register(...definitions: readonly { readonly name: string }[]): Promise<void> {
  registered.push(...definitions.map(({ name }) => name));
  await api.ask('PUT', '/api/metadata/workflow', definitions);
}

function blockOf(text: string, kind: Block): unknown {
  const found = new RegExp(`^\`\`\`json ${kind}\\n([\\s\\S]*?)^\`\`\``, 'm').exec(text)?.[1];
  return found === undefined ? undefined : JSON.parse(found);
}

describe.each(names)('%s', (name) => {
  const text = fs.readFileSync(path.join(docs, name), 'utf8');

  it('runs, and ends with what it says', async () => {
    const definition = blockOf(text, 'definition') as { name: string; version: number };
    const results = (blockOf(text, 'results') ?? {}) as Readonly<Record<string, object>>;
    const given = JSON.stringify(blockOf(text, 'input')).replace('${server}', server.url);
    await register(definition);
    const started = { name: definition.name, version: 1, input: JSON.parse(given) as object };
    const id = (await api.request('POST', '/api/workflow', started)).text;
    const done = new Set<string>();
    const ended = await until(`the end of ${name}`, async () => {
      const { body } = await api.request('GET', `/api/workflow/${id}?includeTasks=true`);
      const execution = body as Execution;
      for (const { referenceTaskName: ref, status } of execution.tasks) {
        const isOpen = status === 'SCHEDULED' || status === 'IN_PROGRESS';
        if (!isOpen || results[ref] === undefined || done.has(ref)) continue;
        done.add(ref);
        await api.ask('POST', `/api/tasks/${id}/${ref}/COMPLETED`, results[ref]);
      }
      return execution.status === 'RUNNING' ? undefined : execution;
    });
    expect([ended.status, ended.output]).toEqual(['COMPLETED', blockOf(text, 'output')]);
    expect([...done].sort()).toEqual(Object.keys(results).sort());
  });
});
