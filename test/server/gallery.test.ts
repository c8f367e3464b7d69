// The pages of docs/gallery: each runs as it stands, with workers and people who answer as the page
// says, and ends with the tasks and the output that it names.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ApiClient } from '../../testkit/api-client.js';
import { projectRoot } from '../../testkit/project.js';
import { finalStatuses, type JsonObject, type WireWorkflowDef } from '../../testkit/wire.js';
import { sharedServer } from '../support/shared-server.js';
import { ScriptedWorkers, type ScriptedResult, type WorkerScript } from '../support/workers.js';

const folder = path.join(projectRoot, 'docs', 'gallery');
const names = fs
  .readdirSync(folder)
  .filter((name) => name !== 'README.md')
  .sort();

/** What a worker of a page answers: an output, or how it ended. */
type Answer = JsonObject | { readonly status: 'FAILED_WITH_TERMINAL_ERROR'; reason: string };

const server = sharedServer(import.meta.url);
let api: ApiClient;
/** Definitions go with the file: the pages name them, not the prefix of the file. */
const registered: WireWorkflowDef[] = [];
beforeAll(() => (api = new ApiClient(server.url)));
afterAll(async () => {
  for (const { name, version = 1 } of registered) {
    await api.request('DELETE', `/api/metadata/workflow/${name}/${version}`);
  }
  await api.close();
});

/** The pieces of JSON of a page that have this word. */
function blocksOf<T>(text: string, kind: string): T[] {
  const pattern = new RegExp(`^\`\`\`json ${kind}\\n([\\s\\S]*?)^\`\`\``, 'gm');
  return [...text.matchAll(pattern)].map(([, json = '']) => JSON.parse(json) as T);
}

function scriptOf(answer: Answer): WorkerScript {
  const result = 'status' in answer ? answer : { status: 'COMPLETED', output: answer };
  return () => result as ScriptedResult;
}

/** Ids are new in each run. */
function withoutIds(output: unknown): unknown {
  const id = /"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"/g;
  return JSON.parse(JSON.stringify(output).replace(id, '"<id>"'));
}

describe('the gallery', () => {
  it('has twenty definitions at least, each in its table', () => {
    const list = fs.readFileSync(path.join(folder, 'README.md'), 'utf8');
    expect(names.length).toBeGreaterThanOrEqual(20);
    for (const name of names) expect(list).toContain(`](${name})`);
  });

  it.each(names)('%s runs, and ends as it says', async (name) => {
    const text = fs.readFileSync(path.join(folder, name), 'utf8');
    const definitions = blocksOf<WireWorkflowDef>(text, 'definition');
    const [answers = {}] = blocksOf<Readonly<Record<string, Answer>>>(text, 'workers');
    const [people = {}] = blocksOf<Readonly<Record<string, JsonObject>>>(text, 'people');
    const [input = {}] = blocksOf<JsonObject>(text, 'input');
    const scripts = Object.entries(answers).map(([type, each]) => [type, scriptOf(each)] as const);
    registered.push(...definitions);
    await api.registerWorkflows(...definitions);
    const workers = new ScriptedWorkers(api, Object.fromEntries(scripts));
    try {
      const first = definitions[0]?.name ?? '';
      const id = await api.start({ name: first, version: 1, input });
      for (const [ref, output] of Object.entries(people)) {
        await api.untilTask(id, ref, 'IN_PROGRESS');
        await api.ask('POST', `/api/tasks/${id}/${ref}/COMPLETED`, output);
      }
      const ended = await api.untilWorkflow(id, ({ status }) => finalStatuses.has(status));
      const tasks = ended.tasks.map((task) => [task.referenceTaskName, task.status] as const);
      expect(/it ends as (\w+)\./.exec(text)?.[1]).toBe(ended.status);
      expect([Object.fromEntries(tasks)]).toEqual(blocksOf(text, 'tasks'));
      expect([withoutIds(ended.output)]).toEqual(blocksOf(text, 'output'));
    } finally {
      await workers.stop();
    }
  });
});
