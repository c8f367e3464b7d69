import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { everythingAllowed } from '../../src/access/access-rules.js';
import { createApi } from '../../src/api/api.js';
import { RecordTables } from '../../src/operation/records/record-tables.js';
import { identityRecords, IdentityTables } from '../../src/areas/identity/identity-tables.js';
import {
  DefinitionOwners,
  pendingOwnerCodec,
} from '../../src/areas/identity/rights/definition-owners.js';
import { Acting } from '../../src/areas/identity/rights/acting.js';
import { RecordedOwnership } from '../../src/areas/identity/rights/ownership.js';
import { Tags, tagsCodec } from '../../src/operation/tags/tags.js';
import { MemoryRecordStore } from '../operation/records/memory-record-store.js';
import { createConfigurationCheck } from '../../src/engine/check-configuration.js';
import { engineTaskTypes } from '../../src/engine/task-types/list.js';
import { fieldTaskTypes } from '../../src/model/field-task-types.js';
import { systemTaskTypes } from '../support/every-plugin.js';
import { describeApi } from '../../src/api/description/openapi.js';
import { ErrorAnswers } from '../../src/api/errors.js';
import type { ApiHandler } from '../../src/api/http-server.js';
import { taskDefRoutes } from '../../src/api/metadata/task-def-routes.js';
import { workflowDefRoutes } from '../../src/api/metadata/workflow-def-routes.js';
import { Definitions } from '../../src/operation/definitions/definitions.js';
import { TaskDefinitions } from '../../src/operation/definitions/task-definitions.js';
import { DefinitionWarnings } from '../../src/operation/definitions/definition-warnings.js';
import { WorkflowDefinitions } from '../../src/operation/definitions/workflow-definitions.js';
import { expectRecorded } from '../model/recorded.js';
import { ApiSchemas, type ApiDescription } from '../../testkit/api-schemas.js';
import { plainRequest } from './plain-request.js';
import type { Caller } from '../../src/model/caller.js';
import type { Registration } from '../../src/model/name-registration.js';
import { MemoryDefinitionStore } from '../operation/definitions/memory-definition-store.js';

/** Warnings of the log. */
const warned: string[] = [];

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

let api: ApiHandler;
let forms: ApiSchemas;
let now = 1000;

beforeEach(async () => {
  now = 1000;
  const store = new MemoryDefinitionStore();
  const clock = {
    now: () => now,
    monotonic: () => 0,
    after: () => ({ cancel: () => undefined }),
  };
  const definitions = new Definitions({
    store,
    shownInput: () => undefined,
    clock,
    onLookFailed: (error) => {
      throw error;
    },
  });
  await definitions.start();
  const rules = {
    checkConfiguration: createConfigurationCheck(systemTaskTypes, {
      checkSyntax: () => undefined,
      taskDef: (name) => definitions.taskDef(name),
    }),
    ownerEmailRequired: false,
    namesChecked: false,
    environmentNames: new Set<string>(),
  };
  const access = everythingAllowed;
  const tables = new RecordTables(new MemoryRecordStore(), clock, (error) => {
    throw error;
  });
  const tags = new Tags(tables.open(tagsCodec));
  const identities = new IdentityTables(tables.openAll(identityRecords));
  const ownership = new DefinitionOwners({
    ...{ table: tables.open(pendingOwnerCodec), identities, clock, randomId: randomUUID },
    ownerOf: new Acting(identities, true).ownerOf,
    ownership: new RecordedOwnership(identities, tags),
  });
  let drawn = 0;
  const claims = {
    workflow: (caller: Caller): Promise<Registration> =>
      Promise.resolve({ id: `registration ${++drawn}`, at: 0, by: caller.id }),
    tasks: (): Promise<void> => Promise.resolve(),
  };
  const parts = {
    definitions,
    clock,
    rules,
    access,
    tags,
    ownership,
    taskUse: { require: () => undefined },
    workflowUse: { require: () => undefined },
    claims,
    warnings: new DefinitionWarnings({
      absence: (type) => (type === 'ABSENT' ? 'Tasks of type ABSENT need "more"' : undefined),
      warn: (message) => void warned.push(message),
    }),
  };
  await tables.start();
  const routes = [
    ...workflowDefRoutes(new WorkflowDefinitions(parts)),
    ...taskDefRoutes(new TaskDefinitions(parts)),
  ];
  const description = describeApi(routes, { version: '', basePath: '' });
  forms = new ApiSchemas(description as unknown as ApiDescription);
  const log = { error: (fields: object) => expect.fail(JSON.stringify(fields)) };
  api = createApi(routes, {
    errors: new ErrorAnswers('<node>', log),
    json: { depthMax: 64, keysMax: 100_000 },
  });
});

/** `question` such as `GET /api/metadata/taskdefs?x=1`. */
async function ask(question: string, body?: unknown): Promise<Answer> {
  const [method = '', address = ''] = question.split(' ');
  const [path = '', query = ''] = address.split('?');
  const sent = body === undefined ? '' : JSON.stringify(body);
  const answer = await api(plainRequest({ method, path, query, body: sent }));
  const text = String(answer.body ?? '');
  forms.check(method, path, { ...answer, contentType: answer.contentType ?? '', text });
  return {
    status: answer.status,
    type: answer.contentType ?? '',
    body: answer.contentType === 'application/json' ? JSON.parse(text) : text,
  };
}

describe('a task type whose plug-in is absent', () => {
  const named = (type: string): object =>
    workflow({ tasks: ['a', 'b'].map((ref) => ({ name: ref, taskReferenceName: ref, type })) });
  const absence = 'Tasks of type ABSENT need "more"';

  it('is accepted, once in the log and in the answer of the validation', async () => {
    warned.length = 0;
    const valid = await ask('POST /api/metadata/workflow/validate', named('ABSENT'));
    expect(valid.status).toBe(200);
    const { warnings } = valid.body as { warnings: string[] };
    expect(warnings.filter((each) => each === absence)).toHaveLength(1);
    expect(warned).toEqual([]);
    expect((await ask('POST /api/metadata/workflow', named('ABSENT'))).status).toBe(200);
    expect((await ask('PUT /api/metadata/workflow', [named('ABSENT')])).status).toBe(200);
    const line = `workflow w 1 is registered. ${absence}`;
    expect(warned).toEqual([line, line]);
  });

  it('is no matter for other definitions', async () => {
    const valid = await ask('POST /api/metadata/workflow/validate', named('SIMPLE'));
    expect(valid).toMatchObject({ status: 200, body: '' });
  });
});

const workflow = (over: object = {}): object => ({
  name: 'w',
  tasks: [{ name: 't', taskReferenceName: 't' }],
  ...over,
});

interface RecordedLine {
  readonly scenario: string;
  readonly step: number;
  readonly q: string;
  readonly send?: unknown;
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

const lines = readFileSync(new URL('./recorded-definitions.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as RecordedLine);

/** Where ours is to be better than the recorded answer: scenario and step to our status. */
const decided: ReadonlyMap<string, number> = new Map([
  // Answers 500 to a caller's mistake.
  ['taskdef-lifecycle 7', 404],
  ['taskdef-invalid 6', 400],
  ['taskdef-invalid 7', 400],
  ['taskdef-invalid 14', 400],
  ['workflowdef-lifecycle 13', 404],
  ['workflowdef-invalid 4', 400],
  // Tells that no task type has that name.
  ['workflowdef-invalid 10', 200],
  // Names with a colon.
  ['taskdef-invalid 12', 400],
  ['workflowdef-invalid 27', 400],
]);

/** Audit times that ours keeps (contract-core 6.6): the recorded 0 stands for a time. */
function withKeptTimes(line: RecordedLine): unknown {
  if (line.scenario !== 'workflowdef-lifecycle' || line.status !== 200) return line.body;
  return JSON.parse(JSON.stringify(line.body).replaceAll('"createTime":0', '"createTime":"<ms>"'));
}

function sorted(body: unknown): unknown {
  const errors = (body as { validationErrors?: { message: string }[] } | null)?.validationErrors;
  if (errors === undefined) return body;
  return {
    ...(body as object),
    validationErrors: [...errors].sort((a, b) => (a.message < b.message ? -1 : 1)),
  };
}

describe.each([...new Set(lines.map((line) => line.scenario))])(
  'the recorded scenario %s',
  (scenario) => {
    it('is answered as recorded', async () => {
      for (const line of lines.filter((each) => each.scenario === scenario)) {
        const answer = await ask(line.q, line.send);
        const key = `${line.scenario} ${line.step}`;
        const status = decided.get(key);
        expect({ key, status: answer.status }).toEqual({ key, status: status ?? line.status });
        if (status !== undefined) continue;
        expect({ key, type: answer.type }).toEqual({ key, type: line.type });
        if (/\/versions$/.test(line.q)) {
          // Ours fills updateTime (contract-core 6.6).
          const versions = (answer.body as { version: number }[]).map((each) => each.version);
          expect(versions).toEqual((line.body as { version: number }[]).map((v) => v.version));
        } else {
          expectRecorded(sorted(answer.body), sorted(withKeptTimes(line)));
        }
      }
    });
  },
);

describe('workflow definitions', () => {
  it('keep their first createTime when they are replaced', async () => {
    await ask('POST /api/metadata/workflow', workflow({ createTime: 5, createdBy: 'me' }));
    now = 2000;
    await ask('PUT /api/metadata/workflow', [workflow(), workflow({ version: 2 })]);
    now = 3000;
    await ask('POST /api/metadata/workflow?overwrite=true', workflow({ version: 2 }));
    const times = async (version: number): Promise<unknown> =>
      (await ask(`GET /api/metadata/workflow/w?version=${version}`)).body;
    expect(await times(1)).toMatchObject({ createTime: 1000, updateTime: 2000 });
    expect(await times(1)).not.toHaveProperty('createdBy');
    expect(await times(2)).toMatchObject({ createTime: 2000, updateTime: 3000 });
  });

  it('are listed by name, version and latest version', async () => {
    const all = [workflow({ version: 2 }), workflow(), workflow({ name: 'a b/c' })];
    await ask('PUT /api/metadata/workflow', all);
    const { body: names } = await ask('GET /api/metadata/workflow/names');
    expect(names).toEqual(['w', 'a b/c']);
    const { body: versions } = await ask('GET /api/metadata/workflow/names-and-versions');
    expect(versions).toEqual({
      w: [
        { name: 'w', version: 1, createTime: 1000, updateTime: 1000 },
        { name: 'w', version: 2, createTime: 1000, updateTime: 1000 },
      ],
      'a b/c': [{ name: 'a b/c', version: 1, createTime: 1000, updateTime: 1000 }],
    });
    const { body: latest } = await ask('GET /api/metadata/workflow/latest-versions');
    expect(latest).toMatchObject([
      { name: 'w', version: 2 },
      { name: 'a b/c', version: 1 },
    ]);
    expect((await ask('GET /api/metadata/workflow')).body).toHaveLength(3);
    const { body: short } = await ask('GET /api/metadata/workflow?short=true&name=w');
    expect(short).toMatchObject([
      { version: 1, tasks: [] },
      { version: 2, tasks: [] },
    ]);
    const encoded = await ask('GET /api/metadata/workflow/a%20b%2Fc');
    expect(encoded.body).toMatchObject({ name: 'a b/c' });
  });

  it('are filtered by classifier', async () => {
    await ask('PUT /api/metadata/workflow', [
      workflow(),
      workflow({ name: 'bot', metadata: { agentDef: {} } }),
    ]);
    const { body } = await ask('GET /api/metadata/workflow?classifier=agent');
    expect(body).toMatchObject([{ name: 'bot' }]);
    const both = await ask('GET /api/metadata/workflow?classifier=agent,workflow');
    expect(both.body).toHaveLength(2);
    const message = "Parameter 'classifier' must be one of workflow, agent";
    const other = await ask('GET /api/metadata/workflow?classifier=none');
    expect(other).toMatchObject({ status: 400, body: { message } });
  });

  it('get the next free version when asked to', async () => {
    await ask('POST /api/metadata/workflow?newVersion=true', workflow());
    await ask('POST /api/metadata/workflow?newVersion=true', workflow());
    await ask('PUT /api/metadata/workflow?newVersion=true', [workflow(), workflow()]);
    const { body } = await ask('GET /api/metadata/workflow/w/versions');
    expect(body).toMatchObject([{ version: 1 }, { version: 2 }, { version: 3 }, { version: 4 }]);
  });

  it('are stored all or none', async () => {
    const answer = await ask('PUT /api/metadata/workflow', [workflow(), { name: 'x' }]);
    expect(answer).toMatchObject({
      status: 400,
      body: {
        validationErrors: [
          { path: 'updateWorkflowDef.arg0[1].tasks', message: 'WorkflowTask list cannot be empty' },
        ],
      },
    });
    expect((await ask('GET /api/metadata/workflow/names')).body).toEqual([]);
  });

  it('name the update in paths only when one is replaced', async () => {
    const bad = workflow({ schemaVersion: 1 });
    const path = async (question: string): Promise<unknown> =>
      ((await ask(question, bad)).body as { validationErrors: { path: string }[] })
        .validationErrors[0]?.path;
    expect(await path('POST /api/metadata/workflow?overwrite=true')).toBe(
      'registerWorkflowDef.arg0.schemaVersion',
    );
    await ask('POST /api/metadata/workflow', workflow());
    expect(await path('POST /api/metadata/workflow?overwrite=true')).toBe(
      'updateWorkflowDef.arg0.schemaVersion',
    );
  });

  it.each([
    ['PUT /api/metadata/workflow', null, 'WorkflowDef list name cannot be null or empty'],
    ['PUT /api/metadata/workflow', [], 'WorkflowDefList is empty'],
    ['POST /api/metadata/taskdefs', null, 'TaskDefList cannot be empty or null'],
    ['POST /api/metadata/taskdefs', [], 'TaskDefList is empty'],
  ])('%s of %j is a violated rule', async (question, body, message) => {
    expect(await ask(question, body)).toMatchObject({
      status: 400,
      body: { validationErrors: [{ message }] },
    });
  });

  it.each([
    ['POST /api/metadata/workflow', undefined],
    ['POST /api/metadata/workflow', 5],
    ['PUT /api/metadata/workflow', {}],
    ['PUT /api/metadata/workflow', [null]],
    ['POST /api/metadata/workflow/validate', []],
    ['DELETE /api/metadata/workflow/w/x', undefined],
    ['GET /api/metadata/workflow/w?version=x', undefined],
  ])('%s of %j is a bad request', async (question, body) => {
    expect(await ask(question, body)).toMatchObject({ status: 400, body: { status: 400 } });
  });
});

describe('a task of any type of the field', () => {
  // Names of the engine's own are checked for what they need, which tests of each type do.
  const built = new Set([
    ...engineTaskTypes.flatMap(({ names }) => names),
    ...systemTaskTypes.keys(),
  ]);
  const notRun = [...fieldTaskTypes].filter((type) => !built.has(type) && type !== 'FORK');

  it.each(['AGENT', 'GET_AGENT_CARD', 'CANCEL_AGENT'])('such as %s is one', (type) => {
    expect(notRun).toContain(type);
  });

  it.each(notRun)('that this server does not run is stored and read back: %s', async (type) => {
    const inputParameters = { agent: { url: 'http://a' }, list: [1, '${workflow.input.x}', null] };
    const task = { name: 'n', taskReferenceName: 'r', type, inputParameters, optional: true };
    const def = { name: 'w', version: 1, tasks: [task] };
    expect((await ask('POST /api/metadata/workflow', def)).status).toBe(200);
    const { body } = await ask('GET /api/metadata/workflow/w');
    expect(body).toMatchObject({ tasks: [task] });
  });
});

describe('tags of definitions', () => {
  const red = { key: 'colour', value: 'red' };
  const team = { key: 'team', value: 'a' };

  it.each([
    ['workflow', 'POST /api/metadata/workflow?overwrite=true', '/api/metadata/workflow', false],
    ['workflow', 'PUT /api/metadata/workflow', '/api/metadata/workflow', true],
    ['task', 'POST /api/metadata/taskdefs', '/api/metadata/taskdefs', true],
  ])(
    'of a %s by %s are kept and shown where they are asked for',
    async (_kind, question, base, isList) => {
      const save = async (more: object): Promise<void> => {
        const def = { name: 'w', tasks: [{ name: 't', taskReferenceName: 't' }], ...more };
        expect((await ask(question, isList ? [def] : def)).status).toBe(200);
      };
      const read = async (query: string): Promise<{ [field: string]: unknown }> =>
        (await ask(`GET ${base}/w${query}`)).body as { [field: string]: unknown };
      await save({ tags: [red] });
      expect(await read('')).not.toHaveProperty('tags');
      expect((await read('?metadata=true'))['tags']).toEqual([red]);
      await save({ tags: [team] });
      expect((await read('?metadata=true'))['tags']).toEqual([red, team]);
      await save({});
      expect((await read('?metadata=true'))['tags']).toEqual([red, team]);
      await save({ tags: [team], overwriteTags: true });
      expect((await read('?metadata=true'))['tags']).toEqual([team]);
      await save({ name: 'other' });
      const names = async (query: string): Promise<unknown[]> =>
        ((await ask(`GET ${base}${query}`)).body as { name: string }[]).map(({ name }) => name);
      expect((await names('')).sort()).toEqual(['other', 'w']);
      expect(await names('?tagKey=team&tagValue=a')).toEqual(['w']);
      expect(await names('?tagKey=team&tagValue=b')).toEqual([]);
    },
  );

  it('that cannot be read are refused by name', async () => {
    const def = { name: 'w', tasks: [{ name: 't', taskReferenceName: 't' }], tags: [{ key: 1 }] };
    const answer = await ask('POST /api/metadata/workflow', def);
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain('tags[0].key');
  });
});

describe('task definitions', () => {
  it('are stored all or none and listed', async () => {
    const bad = await ask('POST /api/metadata/taskdefs', [{ name: 'a' }, { name: '' }]);
    expect(bad.status).toBe(400);
    expect((await ask('GET /api/metadata/taskdefs')).body).toEqual([]);
    await ask('POST /api/metadata/taskdefs', [{ name: 'a' }, { name: 'b/c' }]);
    expect((await ask('GET /api/metadata/taskdefs')).body).toMatchObject([
      { name: 'a' },
      { name: 'b/c' },
    ]);
    expect((await ask('GET /api/metadata/taskdefs/b%2Fc')).body).toMatchObject({ name: 'b/c' });
  });

  it('keep who and when made them, whatever the body says', async () => {
    await ask('POST /api/metadata/taskdefs', [{ name: 'a', createTime: 7, updatedBy: 'x' }]);
    now = 2000;
    await ask('PUT /api/metadata/taskdefs', { name: 'a', createTime: 7, createdBy: 'x' });
    expect((await ask('GET /api/metadata/taskdefs/a')).body).toMatchObject({
      createTime: 1000,
      createdBy: '',
      updateTime: 2000,
      updatedBy: '',
    });
  });
});
