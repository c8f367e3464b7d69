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
  textsIn: () => ['card'],
};

it.each(computing)('$type fails terminally with the name of the secret', (task) => {
  const world = new World({ secrets });
  const id = world.start(workflow([task, simple('c', {})]), {});
  expect(world.status(id)).toBe('FAILED');
  expect(world.reason(id)).toContain('gets no secrets, its input names ${workflow.secrets.kind}');
  expect(world.list(id)).toHaveLength(1);
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
