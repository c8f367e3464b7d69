import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/model/errors.js';
import type { Json } from '../../src/model/json.js';
import { parseTaskDef } from '../../src/model/parse-task-def.js';
import { parseWorkflowTask } from '../../src/model/parse-workflow-def.js';
import { parseJson } from '../../src/model/json-text.js';
import { depthMax, keysMax } from '../../src/model/shape-limits.js';
import { toTaskDefJson } from '../../src/model/task-def-json.js';
import { toWorkflowDefJson } from '../../src/model/workflow-def-json.js';
import { readLines } from './recorded.js';
import { parseWorkflowDef } from '../support/parse-workflow-def.js';

const refusal = (parse: () => unknown): string => {
  try {
    parse();
  } catch (error) {
    if (error instanceof AppError && error.kind === 'bad-request') return error.message;
    throw error;
  }
  throw new Error('was accepted');
};

describe('scalars of a definition', () => {
  it('are read leniently: numeric texts, fractions, numbers as texts', () => {
    const def = parseTaskDef(
      { name: 5, retryCount: '7', timeoutSeconds: 9.9, enforceSchema: 'TRUE', description: true },
      'd',
    );
    expect(def).toMatchObject({
      name: '5',
      retryCount: 7,
      timeoutSeconds: 9,
      enforceSchema: true,
      description: 'true',
    });
  });

  it('are 0 or false when null and primitive, absent when null and optional', () => {
    const def = parseTaskDef(
      {
        name: 't',
        retryCount: null,
        taskStatusListenerEnabled: null,
        pollTimeoutSeconds: null,
        description: null,
        inputKeys: null,
        rateLimitFrequencyInSeconds: null,
      },
      'd',
    );
    expect(def).toMatchObject({
      retryCount: 0,
      taskStatusListenerEnabled: false,
      inputKeys: [],
      rateLimitFrequencyInSeconds: 1,
    });
    expect(def).not.toHaveProperty('pollTimeoutSeconds');
    expect(def).not.toHaveProperty('description');
  });

  it.each<[object, string]>([
    [{ retryCount: [] }, 'd.retryCount must be a number'],
    [{ retryCount: 'x' }, 'd.retryCount must be a number'],
    [{ retryCount: 3e9 }, 'd.retryCount must be between -2147483648 and 2147483647'],
    [{ name: {} }, 'd.name must be a text'],
    [{ enforceSchema: 'yes' }, 'd.enforceSchema must be true or false'],
    [{ retryLogic: 'fixed' }, 'd.retryLogic must be one of FIXED, EXPONENTIAL_BACKOFF, LINEAR'],
    [{ retryLogic: '' }, 'd.retryLogic must be one of'],
    [{ timeoutPolicy: 7 }, 'd.timeoutPolicy must be one of RETRY, TIME_OUT_WF, ALERT_ONLY'],
    [{ inputKeys: 'a' }, 'd.inputKeys must be a list'],
    [{ inputKeys: [{}] }, 'd.inputKeys[0] must be a text'],
    [{ inputTemplate: [] }, 'd.inputTemplate must be an object'],
    [{ inputSchema: { type: 'XML' } }, 'd.inputSchema.type must be one of JSON, AVRO, PROTOBUF'],
  ])('are refused by name of the field and rule: %j', (input, expected) => {
    expect(refusal(() => parseTaskDef(input, 'd'))).toContain(expected);
  });

  it('take an enumeration by its position', () => {
    expect(parseTaskDef({ name: 't', retryLogic: 1 }, 'd').retryLogic).toBe('EXPONENTIAL_BACKOFF');
  });
});

describe('a workflow definition', () => {
  it('has the defaults of the contract', () => {
    const text = toWorkflowDefJson(
      parseWorkflowDef({ name: 'w', tasks: [{ name: 't', taskReferenceName: 'r' }] }, 'd'),
    );
    expect(JSON.parse(text)).toEqual({
      createTime: 0,
      updateTime: 0,
      name: 'w',
      version: 1,
      inputParameters: [],
      outputParameters: {},
      schemaVersion: 2,
      restartable: true,
      workflowStatusListenerEnabled: false,
      timeoutPolicy: 'ALERT_ONLY',
      timeoutSeconds: 0,
      variables: {},
      inputTemplate: {},
      enforceSchema: true,
      metadata: {},
      maskedFields: [],
      tasks: [
        {
          name: 't',
          taskReferenceName: 'r',
          inputParameters: {},
          type: 'SIMPLE',
          decisionCases: {},
          defaultCase: [],
          forkTasks: [],
          startDelay: 0,
          joinOn: [],
          optional: false,
          defaultExclusiveJoinTask: [],
          asyncComplete: false,
          loopOver: [],
          onStateChange: {},
          permissive: false,
          metadata: {},
        },
      ],
    });
  });

  it('keeps null values and long integers inside free maps', () => {
    const input = parseJson(
      '{"name":"w","tasks":[],"variables":{"n":null,"i":12345678901234567890,"d":1.5}}',
    );
    expect(toWorkflowDefJson(parseWorkflowDef(input, 'd'))).toContain(
      '"variables":{"n":null,"i":12345678901234567890,"d":1.5}',
    );
  });

  it('takes name and version of an inline sub-workflow definition', () => {
    const inline = { name: 'child', version: 4, tasks: [] };
    const task = parseWorkflowTask(
      {
        name: 's',
        taskReferenceName: 's',
        type: 'SUB_WORKFLOW',
        subWorkflowParam: { name: 'other', version: 1, workflowDefinition: inline },
      },
      't',
    );
    expect(task.subWorkflowParam).toMatchObject({ name: 'child', version: 4 });
  });

  it('refuses a text that is no expression in the place of an inline definition', () => {
    const task = { name: 's', subWorkflowParam: { name: 'x', workflowDefinition: 'nope' } };
    expect(refusal(() => parseWorkflowTask(task, 't'))).toContain(
      't.subWorkflowParam.workflowDefinition is a string, but not a valid DSL string',
    );
    task.subWorkflowParam.workflowDefinition = '${workflow.input.def}';
    expect(parseWorkflowTask(task, 't').subWorkflowParam?.workflowDefinition).toBe(
      '${workflow.input.def}',
    );
  });

  it('reads the type from its older name', () => {
    expect(parseWorkflowTask({ name: 'n', workflowTaskType: 'HTTP' }, 't').type).toBe('HTTP');
  });

  it('keeps keys named like parts of a prototype without reaching one', () => {
    const input = JSON.parse(
      '{"name":"s","decisionCases":{"constructor":[],"__proto__":[{"name":"x","taskReferenceName":"y"}]}}',
    ) as Json;
    const { decisionCases } = parseWorkflowTask(input, 't');
    expect(Object.keys(decisionCases)).toEqual(['constructor', '__proto__']);
    expect(decisionCases['toString']).toBeUndefined();
    expect(({} as { name?: string }).name).toBeUndefined();
  });

  it('is refused when it is nested too deeply or has too many keys', () => {
    let task: object = { name: 'n', taskReferenceName: 'r' };
    for (let i = 0; i < depthMax; i++) task = { name: 'n', loopOver: [task] };
    expect(refusal(() => parseWorkflowDef({ name: 'w', tasks: [task] }, 'd'))).toContain('nested');
    const many = Object.fromEntries(Array.from({ length: keysMax }, (_, i) => [`k${i}`, 0]));
    expect(refusal(() => parseWorkflowDef({ name: 'w', variables: many }, 'd'))).toContain('keys');
  });

  it('reads back what it has written, for every recorded and every real definition', () => {
    const folder = new URL('./definitions/', import.meta.url);
    const files = readdirSync(folder).filter((file) => file.endsWith('.json'));
    const real = files.map(
      (file) => JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as unknown,
    );
    for (const input of [...real, ...readLines<unknown>('./accepted-definitions.jsonl')]) {
      const def = parseWorkflowDef(input, 'd');
      expect(parseWorkflowDef(parseJson(toWorkflowDefJson(def)), 'd')).toEqual(def);
    }
  });
});

const text = fc.string({ maxLength: 6 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(value, { nil: undefined });
const freeMap = fc.dictionary(text, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 3 });
const int = fc.integer({ min: -5, max: 2 ** 31 - 1 });

/** Definitions with every field at random. */
const taskDefInput = fc.record({
  name: text,
  description: maybe(text),
  retryCount: maybe(int),
  retryLogic: maybe(fc.constantFrom('FIXED', 'EXPONENTIAL_BACKOFF', 'LINEAR_BACKOFF')),
  timeoutSeconds: maybe(int),
  timeoutPolicy: maybe(fc.constantFrom('RETRY', 'TIME_OUT_WF', 'ALERT_ONLY')),
  responseTimeoutSeconds: maybe(int),
  pollTimeoutSeconds: maybe(int),
  concurrentExecLimit: maybe(int),
  inputKeys: maybe(fc.array(text, { maxLength: 3 })),
  inputTemplate: maybe(freeMap),
  isolationGroupId: maybe(text),
  executionNameSpace: maybe(text),
  inputSchema: maybe(
    fc.record({ name: text, version: int, type: fc.constantFrom('JSON', 'AVRO'), data: freeMap }),
  ),
  enforceSchema: maybe(fc.boolean()),
  createdBy: maybe(text),
});

/** Task configurations with up to `depth` levels inside them. */
function taskOfDepth(depth: number): fc.Arbitrary<object> {
  const inner = depth === 0 ? fc.constant({ name: 'n' }) : taskOfDepth(depth - 1);
  const tasks = maybe(fc.array(inner, { maxLength: 2 }));
  return fc.record(
    {
      name: text,
      taskReferenceName: text,
      type: maybe(fc.constantFrom('SIMPLE', 'SWITCH', 'DO_WHILE', 'SUB_WORKFLOW', 'X')),
      inputParameters: maybe(freeMap),
      decisionCases: maybe(fc.dictionary(text, fc.array(inner, { maxLength: 1 }), { maxKeys: 2 })),
      defaultCase: tasks,
      forkTasks: maybe(fc.array(fc.array(inner, { maxLength: 1 }), { maxLength: 2 })),
      loopOver: tasks,
      joinOn: maybe(fc.array(text, { maxLength: 2 })),
      joinMode: maybe(fc.constantFrom('SYNC', 'ASYNC')),
      items: maybe(text),
      retryCount: maybe(int),
      rateLimited: maybe(fc.boolean()),
      taskDefinition: maybe(taskDefInput),
      subWorkflowParam: maybe(
        fc.record({
          name: text,
          version: maybe(int),
          taskToDomain: maybe(fc.dictionary(text, text, { maxKeys: 2 })),
          priority: maybe(fc.oneof(int, text)),
          idempotencyStrategy: maybe(fc.constantFrom('FAIL', 'RETURN_EXISTING')),
        }),
      ),
      onStateChange: maybe(
        fc.dictionary(text, fc.array(fc.record({ type: text, payload: maybe(freeMap) })), {
          maxKeys: 2,
        }),
      ),
      cacheConfig: maybe(fc.record({ key: text, ttlInSecond: int })),
    },
    { requiredKeys: ['name', 'taskReferenceName'] },
  );
}

const workflowInput = fc.record({
  name: text,
  version: maybe(int),
  tasks: fc.array(taskOfDepth(1), { maxLength: 2 }),
  outputParameters: maybe(freeMap),
  failureWorkflow: maybe(text),
  failureWorkflowVersion: maybe(int),
  timeoutSeconds: maybe(int),
  variables: maybe(freeMap),
  rateLimitConfig: maybe(fc.record({ rateLimitKey: text, concurrentExecLimit: int })),
  ownerEmail: maybe(text),
  restartable: maybe(fc.boolean()),
  metadata: maybe(freeMap),
});

/** As it arrives from a client. */
const sent = (input: object): Json => parseJson(JSON.stringify(input));

describe('writing and reading again', () => {
  it('gives the same task definition', () => {
    fc.assert(
      fc.property(taskDefInput, (input) => {
        const def = parseTaskDef(sent(input), 'd');
        expect(parseTaskDef(parseJson(toTaskDefJson(def)), 'd')).toEqual(def);
      }),
    );
  });

  it('gives the same workflow definition', () => {
    fc.assert(
      fc.property(workflowInput, (input) => {
        const def = parseWorkflowDef(sent(input), 'd');
        expect(parseWorkflowDef(parseJson(toWorkflowDefJson(def)), 'd')).toEqual(def);
      }),
    );
  });
});
