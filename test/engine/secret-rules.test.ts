// Tasks that compute in the engine and name a secret (docs/access.md): a value may stand in no
// output and choose no branch, and its name would choose the wrong one in silence.
import { expect, it } from 'vitest';
import type { SecretRules } from '../../src/engine/context.js';
import type { JsonMap } from '../../src/model/json.js';
import { simple, taskOf, workflow, World } from './support/world.js';

const inputParameters = { kind: '${workflow.secrets.kind}' };
const a = simple('a', {});

const computing: readonly JsonMap[] = [
  taskOf('INLINE', 't', {
    inputParameters: { ...inputParameters, evaluatorType: 'javascript', expression: '$.kind' },
  }),
  taskOf('LAMBDA', 't', { inputParameters: { ...inputParameters, scriptExpression: 'return 1' } }),
  taskOf('SWITCH', 't', {
    ...{ inputParameters, evaluatorType: 'value-param', expression: 'kind' },
    ...{ decisionCases: { card: [a] }, defaultCase: [simple('b', {})] },
  }),
  taskOf('DECISION', 't', { inputParameters, caseValueParam: 'kind', decisionCases: { x: [a] } }),
  taskOf('DO_WHILE', 't', { inputParameters, loopCondition: '$.kind == "x"', loopOver: [a] }),
];

const secrets: SecretRules = {
  any: true,
  unreadable: () => undefined,
  unknown: (names) => names.find((name) => name.startsWith('no_')),
  withheld: (name) => (name.startsWith('no_') ? 'unknown' : undefined),
  textsOf: () => ['card'],
};

it.each(computing)('$type fails terminally with the name of the secret', (task) => {
  const world = new World({ secrets });
  const id = world.start(workflow([task, simple('c', {})]), {});
  expect(world.status(id)).toBe('FAILED');
  expect(world.reason(id)).toContain('gets no secrets, its input names ${workflow.secrets.kind}');
  expect(world.list(id)).toHaveLength(1);
});

it('the script of a JOIN fails it with the name of the secret', () => {
  const world = new World({ secrets });
  const fork = taskOf('FORK_JOIN', 'fork', { forkTasks: [[taskOf('NOOP', 'n', {})]] });
  const join = taskOf('JOIN', 'join', {
    ...{ inputParameters, joinOn: ['n'], evaluatorType: 'javascript' },
    expression: '$.kind == "card"',
  });
  const id = world.start(workflow([fork, join]), {});
  expect(world.status(id)).toBe('FAILED');
  expect(world.reason(id)).toContain('gets no secrets, its input names ${workflow.secrets.kind}');
});

it.each([
  ['alone', '${workflow.secrets.no_such}'],
  ['inside a text', 'Bearer ${workflow.secrets.no_such}!'],
  ['with a path', '${workflow.secrets.no_such.password}'],
  ['below', { deep: ['${workflow.secrets.kind}', '${workflow.secrets.no_such}'] }],
])('an unknown secret %s fails the task by its name', (_where, value) => {
  const world = new World({ secrets });
  const id = world.start(workflow([simple('c', { inputParameters: { value } })]), {});
  expect(world.status(id)).toBe('FAILED');
  expect(world.reason(id)).toContain('names the secret no_such, which does not exist');
});

it('text that only speaks of a secret fails nothing', () => {
  const world = new World({ secrets });
  const value = 'see workflow.secrets.no_such';
  const id = world.start(workflow([simple('c', { inputParameters: { value } })]), {});
  expect(world.status(id)).toBe('RUNNING');
});

const secret = '${workflow.secrets.kind}';

it('what a worker reported names no secret', () => {
  const world = new World({ secrets });
  const next = simple('b', { inputParameters: { v: 'echo ${a.output.text}' } });
  const id = world.start(workflow([a, next]), {});
  world.report(id, 'a', 'COMPLETED', { text: `the key is ${secret}` });
  expect(world.status(id)).toBe('FAILED');
  expect(world.reason(id)).toContain('names the secret kind in what another task or a message');
});

it.each(['retry', 'rerun'] as const)('nor after a %s', (kind) => {
  const world = new World({ secrets });
  const next = simple('b', { inputParameters: { v: 'echo ${a.output.text}' } });
  const id = world.start(workflow([a, next]), {});
  world.report(id, 'a', 'COMPLETED', { text: `the key is ${secret}` });
  const again = { kind: 'retry', resumeSubworkflowTasks: false } as const;
  const { number } = world.task(id, 'b');
  world.command(id, kind === 'retry' ? again : { kind, taskNumber: number });
  expect(world.status(id)).toBe('FAILED');
  expect(world.reason(id)).toContain('names the secret kind in what another task or a message');
});

it('nor in an attempt that follows one without it', () => {
  const world = new World({ secrets, taskDefs: [{ name: 'b', retryCount: 1 }] });
  const other = simple('b', { inputParameters: { v: 'echo ${a.output.text}' } });
  const fork = taskOf('FORK_JOIN', 'fork', { forkTasks: [[a], [other]] });
  const id = world.start(workflow([fork, taskOf('JOIN', 'j', { joinOn: ['a', 'b'] })]), {});
  world.report(id, 'a', 'COMPLETED', { text: `the key is ${secret}` });
  expect(world.status(id)).toBe('RUNNING');
  world.report(id, 'b', 'FAILED');
  expect(world.status(id)).toBe('FAILED');
  expect(world.reason(id)).toContain('names the secret kind in what another task or a message');
});

it('the definition, the input of the start and variables do', () => {
  const world = new World({ secrets });
  const sets = taskOf('SET_VARIABLE', 'set', { inputParameters: { kept: secret } });
  const parameters = {
    own: secret,
    given: '${workflow.input.g}',
    kept: '${workflow.variables.kept}',
  };
  const task = simple('b', { inputParameters: parameters });
  const id = world.start(workflow([sets, task]), { g: secret });
  expect(world.status(id)).toBe('RUNNING');
});

it('a definition may have the name computed', () => {
  const world = new World({ secrets });
  const parameters = { v: '${workflow.secrets.${workflow.input.which}}' };
  const id = world.start(workflow([simple('b', { inputParameters: parameters })]), {
    which: 'kind',
  });
  expect(world.status(id)).toBe('RUNNING');
  expect(world.inputOf(id, 'b')).toEqual({ v: secret });
});
