// `downbeat convert`: each sample machine is converted and runs on a test server, whose clock
// passes the waits. Its worker does what a sample says by the name of the task.
import fs from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { convertMachine } from '../../../cli/asl/convert.js';
import { startTestServer, type TestExecution, type TestServer } from '../../../cli/testing.js';
import { objectOf, type JsonObject } from '../../../cli/shared/json.js';
import { PackedCommand } from '../../support/command.js';
import { until } from '../../../testkit/until.js';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer({ startMs: 120_000 });
}, 240_000);
afterAll(async () => {
  await server.stop();
});

type Work = (input: JsonObject, attempt: number) => JsonObject | Error;

interface Sample {
  readonly about: string;
  readonly machine: JsonObject;
  readonly input?: JsonObject;
  readonly work?: Readonly<Record<string, Work>>;
  /** How far the clock goes when nothing else is to do, ms. */
  readonly advanceMs?: number;
  readonly status?: string;
  readonly result: unknown;
  readonly notes?: readonly string[];
}

const fn = (name: string): string => `arn:aws:lambda:eu-west-1:123456789012:function:${name}`;
const over = { End: true };

const samples: readonly Sample[] = [
  {
    about: 'Task: the data goes in as a whole, the output is the data',
    machine: { StartAt: 'Add', States: { Add: { Type: 'Task', Resource: fn('add'), ...over } } },
    input: { a: 1, b: 2 },
    work: { add: ({ input }) => ({ sum: sum(input) }) },
    result: { sum: 3 },
  },
  {
    about: 'Task: Parameters, ResultSelector, ResultPath, OutputPath and functions',
    machine: {
      StartAt: 'Price',
      States: {
        Price: {
          ...{ Type: 'Task', Resource: fn('price'), Next: 'Say' },
          Parameters: { 'sku.$': '$.order.sku', currency: 'EUR', raw: '${x}' },
          ResultSelector: { 'net.$': '$.price' },
          ResultPath: '$.order.price',
        },
        Say: {
          Type: 'Pass',
          Parameters: {
            'text.$': "States.Format('{} costs {}', $.order.sku, $.order.price.net)",
            'n.$': 'States.ArrayLength(States.Array(1, 2, $.order.sku))',
          },
          ResultPath: '$.said',
          OutputPath: '$.said',
          ...over,
        },
      },
    },
    input: { order: { sku: 'A-17' } },
    work: {
      price: ({ sku, currency }) => ({ price: sku === 'A-17' && currency === 'EUR' ? 4 : 0 }),
    },
    result: { text: 'A-17 costs 4', n: 3 },
  },
  {
    about: 'Task by lambda:invoke, with Payload in and out',
    machine: {
      StartAt: 'Call',
      States: {
        Call: {
          ...{ Type: 'Task', Resource: 'arn:aws:states:::lambda:invoke', ...over },
          Parameters: { FunctionName: fn('double'), Payload: { 'n.$': '$.n' } },
          ResultSelector: { 'n.$': '$.Payload.n' },
        },
      },
    },
    input: { n: 4 },
    work: { double: ({ n }) => ({ n: Number(n) * 2 }) },
    result: { n: 8 },
  },
  {
    about: 'Choice: the branches meet again, one ends on its own',
    machine: {
      StartAt: 'Sort',
      States: {
        Sort: {
          Type: 'Choice',
          Choices: [
            { Variable: '$.n', NumericGreaterThan: 10, Next: 'Large' },
            {
              And: [
                { Variable: '$.name', StringMatches: 'a*z' },
                { Not: { Variable: '$.off', IsPresent: true } },
              ],
              Next: 'Named',
            },
            { Variable: '$.n', NumericEquals: 0, Next: 'None' },
          ],
          Default: 'Small',
        },
        Large: { Type: 'Pass', Result: 'large', ResultPath: '$.kind', Next: 'Meet' },
        Named: { Type: 'Pass', Result: 'named', ResultPath: '$.kind', Next: 'Meet' },
        Small: { Type: 'Pass', Result: 'small', ResultPath: '$.kind', Next: 'Meet' },
        None: { Type: 'Succeed' },
        Meet: { Type: 'Pass', Result: true, ResultPath: '$.met', ...over },
      },
    },
    input: { n: 3, name: 'a-to-z' },
    result: { n: 3, name: 'a-to-z', kind: 'named', met: true },
  },
  {
    about: 'Choice: a branch that ends does not come to what follows',
    machine: {
      StartAt: 'Sort',
      States: {
        Sort: {
          Type: 'Choice',
          Choices: [{ Variable: '$.stop', BooleanEquals: true, Next: 'Stop' }],
          Default: 'Go',
        },
        Stop: { Type: 'Succeed' },
        Go: { Type: 'Pass', Result: 1, ResultPath: '$.went', ...over },
      },
    },
    input: { stop: true },
    result: { stop: true },
  },
  {
    about: 'Choice: no rule matches and there is no Default',
    machine: {
      StartAt: 'Sort',
      States: {
        Sort: { Type: 'Choice', Choices: [{ Variable: '$.a', StringEquals: 'x', Next: 'End' }] },
        End: { Type: 'Succeed' },
      },
    },
    input: { a: 'y' },
    status: 'FAILED',
    result: undefined,
  },
  {
    about: 'Parallel: results in the order of the branches',
    machine: {
      StartAt: 'Both',
      States: {
        Both: {
          Type: 'Parallel',
          Branches: [
            { StartAt: 'A', States: { A: { Type: 'Task', Resource: fn('a'), ...over } } },
            { StartAt: 'B', States: { B: { Type: 'Pass', Result: { b: 2 }, ...over } } },
          ],
          ResultPath: '$.both',
          ...over,
        },
      },
    },
    input: { k: 1 },
    work: { a: ({ input }) => ({ a: objectOf(input)['k'] }) },
    result: { k: 1, both: [{ a: 1 }, { b: 2 }] },
  },
  {
    about: 'Map: an iterator for each item, with its value and index',
    machine: {
      StartAt: 'Each',
      States: {
        Each: {
          Type: 'Map',
          ItemsPath: '$.items',
          ItemSelector: { 'x.$': '$$.Map.Item.Value', 'at.$': '$$.Map.Item.Index' },
          ItemProcessor: {
            StartAt: 'Square',
            States: {
              Square: {
                ...{ Type: 'Task', Resource: fn('square'), ...over },
                Parameters: { 'x.$': '$.x', 'at.$': '$.at' },
              },
            },
          },
          ResultSelector: { 'all.$': '$' },
          ...over,
        },
      },
    },
    input: { items: [3, 4, 5] },
    work: { square: ({ x, at }) => ({ v: Number(x) ** 2 + Number(at) }) },
    result: { all: [{ v: 9 }, { v: 17 }, { v: 27 }] },
  },
  {
    about: 'Map: of nothing',
    machine: {
      StartAt: 'Each',
      States: {
        Each: {
          ...{ Type: 'Map', ItemsPath: '$.items', ...over },
          Iterator: { StartAt: 'P', States: { P: { Type: 'Pass', ...over } } },
        },
      },
    },
    input: { items: [] },
    result: [],
  },
  {
    about: 'Wait: Seconds, SecondsPath and Timestamp',
    machine: {
      StartAt: 'Day',
      States: {
        Day: { Type: 'Wait', Seconds: 86_400, Next: 'More' },
        More: { Type: 'Wait', SecondsPath: '$.more', Next: 'Past' },
        Past: { Type: 'Wait', Timestamp: '2020-01-01T00:00:00Z', Next: 'Done' },
        Done: { Type: 'Succeed' },
      },
    },
    input: { more: 3600 },
    advanceMs: 100_000_000,
    result: { more: 3600 },
  },
  {
    about: 'Fail',
    machine: { StartAt: 'No', States: { No: { Type: 'Fail', Error: 'Bad', Cause: 'It is.' } } },
    status: 'FAILED',
    result: undefined,
  },
  {
    about: 'Retry: as often as it says',
    machine: {
      StartAt: 'Try',
      States: {
        Try: {
          ...{ Type: 'Task', Resource: fn('try'), ...over },
          Retry: [
            { ErrorEquals: ['States.ALL'], IntervalSeconds: 60, MaxAttempts: 2, BackoffRate: 2 },
          ],
        },
      },
    },
    work: { try: (_, attempt) => (attempt < 2 ? new Error('not yet') : { attempt }) },
    advanceMs: 300_000,
    result: { attempt: 2 },
  },
  {
    about: 'Catch: the failure goes into the data, by name and by cause',
    machine: {
      StartAt: 'Pay',
      States: {
        Pay: {
          ...{ Type: 'Task', Resource: fn('pay'), Next: 'Paid' },
          Catch: [
            { ErrorEquals: ['NoMoney'], ResultPath: '$.error', Next: 'Poor' },
            { ErrorEquals: ['States.ALL'], Next: 'Other' },
          ],
        },
        Paid: { Type: 'Succeed' },
        Poor: { Type: 'Pass', Result: 'poor', ResultPath: '$.is', ...over },
        Other: { Type: 'Pass', Result: 'other', ResultPath: '$.is', ...over },
      },
    },
    input: { sum: 9 },
    work: { pay: () => new Error('NoMoney: 3 are left') },
    result: {
      sum: 9,
      error: { Error: 'States.TaskFailed', Cause: 'NoMoney: 3 are left' },
      is: 'poor',
    },
  },
  {
    about: 'Catch: what does not fail goes on',
    machine: {
      StartAt: 'Pay',
      States: {
        Pay: {
          ...{ Type: 'Task', Resource: fn('pay'), Next: 'Paid' },
          Catch: [{ ErrorEquals: ['States.ALL'], Next: 'Other' }],
        },
        Paid: { Type: 'Pass', Result: true, ResultPath: '$.paid', ...over },
        Other: { Type: 'Fail' },
      },
    },
    work: { pay: () => ({ receipt: 1 }) },
    result: { receipt: 1, paid: true },
  },
  {
    about: 'a loop: wait and ask again until it is done',
    machine: {
      StartAt: 'Ask',
      States: {
        Ask: { Type: 'Task', Resource: fn('ask'), ResultPath: '$.job', Next: 'Done?' },
        'Done?': {
          Type: 'Choice',
          Choices: [{ Variable: '$.job.done', BooleanEquals: true, Next: 'End' }],
          Default: 'Wait',
        },
        Wait: { Type: 'Wait', Seconds: 30, Next: 'Ask' },
        End: { Type: 'Pass', Result: 'ended', ResultPath: '$.is', ...over },
      },
    },
    input: { id: 7 },
    work: { ask: asks() },
    advanceMs: 31_000,
    result: { id: 7, job: { done: true, asked: 3 }, is: 'ended' },
  },
  {
    about: 'an activity, and what is not carried',
    machine: {
      StartAt: 'Do',
      States: {
        Do: {
          Type: 'Task',
          Resource: 'arn:aws:states:eu-west-1:123456789012:activity:do-it',
          Retry: [{ ErrorEquals: ['Custom'], BackoffRate: 1.5 }],
          Credentials: { RoleArn: 'x' },
          ...over,
        },
      },
    },
    work: { 'do-it': () => ({ ok: true }) },
    result: { ok: true },
    notes: [
      'Do Credentials is left out',
      'Do Retry BackoffRate 1.5 becomes 2',
      'Do Retry it is tried again after every failure, whatever ErrorEquals names',
    ],
  },
];

function sum(input: unknown): number {
  const { a, b } = objectOf(input);
  return Number(a) + Number(b);
}

/** Done at the third time. */
function asks(): Work {
  let asked = 0;
  return () => ({ done: ++asked >= 3, asked });
}

describe('a converted machine runs', () => {
  it.each(samples)('$about', async (sample) => {
    const { machine, input = {}, status = 'COMPLETED', result, notes = [] } = sample;
    const name = `asl_${samples.indexOf(sample)}`;
    const converted = convertMachine(machine, name);
    expect(converted.notes.map(({ state, field, what }) => `${state} ${field} ${what}`)).toEqual(
      notes,
    );
    await server.register(...converted.definitions);
    const ended = await run(await server.start(name.replace(/_+/g, '_'), input), sample);
    expect(ended.status, JSON.stringify(ended)).toBe(status);
    if (status === 'COMPLETED') expect(ended.output['result']).toEqual(result);
  });
});

/** Works and moves the clock until the execution has ended. */
async function run(
  id: string,
  { work = {}, advanceMs = 0 }: Pick<Sample, 'work' | 'advanceMs'>,
): Promise<TestExecution> {
  let isClockMoved = false;
  return await until(
    'the end of the execution',
    async () => {
      let worked = false;
      for (const [type, does] of Object.entries(work)) worked = (await serve(type, does)) || worked;
      const seen = await server.execution(id);
      if (seen.status !== 'RUNNING') return seen;
      if (!worked && advanceMs > 0) {
        await server.advance(advanceMs);
        isClockMoved = true;
      }
      return undefined;
    },
    { timeoutMs: 40_000 },
  ).catch(async (error: unknown) => {
    const seen = JSON.stringify(await server.execution(id));
    throw new Error(`${String(error)}; clock moved: ${isClockMoved}; ${seen}`);
  });
}

async function serve(type: string, does: Work): Promise<boolean> {
  const tasks = (await server.request(
    'GET',
    `/api/tasks/poll/batch/${type}?count=10&timeout=50`,
  )) as (JsonObject & { retryCount: number })[];
  for (const task of tasks) {
    const made = does(objectOf(task['inputData']), task.retryCount);
    const { taskId, workflowInstanceId } = task;
    const report =
      made instanceof Error
        ? { status: 'FAILED', reasonForIncompletion: made.message, outputData: {} }
        : { status: 'COMPLETED', outputData: made };
    await server.request('POST', '/api/tasks', { taskId, workflowInstanceId, ...report });
  }
  return tasks.length > 0;
}

describe('the command convert', () => {
  let downbeat: PackedCommand;
  beforeAll(() => {
    downbeat = new PackedCommand(server.url);
  }, 120_000);
  afterAll(() => {
    downbeat.remove();
  });
  const write = (name: string, content: unknown): string => {
    const file = path.join(downbeat.folder, name);
    fs.writeFileSync(file, JSON.stringify(content));
    return file;
  };

  it('writes files that apply takes, and tells what is not carried', async () => {
    const [machine] = samples.filter(({ about }) => about.startsWith('Parallel'));
    const file = write('both.asl.json', { ...machine?.machine, QueryLanguage: 'JSONPath', X: 1 });
    const out = path.join(downbeat.folder, 'converted');
    const ran = await downbeat.run(['convert', file, '--out', out, '--strict']);
    expect(ran.stderr).toMatch(/^\(machine\): X: is left out$/m);
    expect(ran.code).toBe(1);
    const applied = await downbeat.run(['apply', out]);
    expect(applied).toMatchObject({ code: 0, stdout: '3 done, 0 unchanged\n' });
  });

  it.each([
    [{ States: {} }, /the machine has no States/],
    [
      { StartAt: 'A', States: { A: { Type: 'Pass', Next: 'B' } } },
      /state 'A' names the state 'B', which is not there/,
    ],
    [{ StartAt: 'A', States: { A: { Type: 'Jump' } } }, /the Type of state 'A' must be one of/],
    [{ StartAt: 'A', States: { A: { Type: 'Pass' } } }, /state 'A' needs Next or End/],
  ])('refuses %j', async (machine, sentence) => {
    const ran = await downbeat.run(['convert', write('bad.json', machine)]);
    expect(ran.stderr).toMatch(sentence);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
  });

  it('refuses a machine of too many states, and one that is nested too deeply', async () => {
    const chain = Array.from({ length: 9000 }, (_, i) => [
      `S${i}`,
      { Type: 'Pass', Next: `S${i + 1}` },
    ]);
    const States = { ...Object.fromEntries(chain), S9000: { Type: 'Succeed' } };
    const long = await downbeat.run(['convert', write('long.json', { StartAt: 'S0', States })]);
    expect(long.stderr).toMatch(/^the machine has more than 2000 states: split it\.$/m);
    expect(long).toMatchObject({ code: 2, stdout: '' });
    const rule = `${'{"Not":'.repeat(30_000)}{"Variable":"$.a","IsNull":true}${'}'.repeat(30_000)}`;
    const choice = `{"Type":"Choice","Choices":[${rule.slice(0, -1)},"Next":"B"}]}`;
    const file = path.join(downbeat.folder, 'deep.json');
    fs.writeFileSync(file, `{"StartAt":"A","States":{"A":${choice},"B":{"Type":"Succeed"}}}`);
    const deep = await downbeat.run(['convert', file]);
    expect(deep.stderr).toMatch(/deep\.json is nested more deeply than it can be read/);
    expect(deep).toMatchObject({ code: 2, stdout: '' });
  });
});
