// Tasks that compute in the engine and name a secret (docs/access.md): a value may stand in no
// output and choose no branch, and its name would choose the wrong one in silence.
import { expect, it } from 'vitest';
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

it.each(computing)('$type fails terminally with the name of the secret', (task) => {
  const secrets = { unreadable: () => undefined, textsIn: () => ['card'] };
  const world = new World({ secrets });
  const id = world.start(workflow([task, simple('c', {})]), {});
  expect(world.status(id)).toBe('FAILED');
  expect(world.reason(id)).toContain('gets no secrets, its input names ${workflow.secrets.kind}');
  expect(world.list(id)).toHaveLength(1);
});
