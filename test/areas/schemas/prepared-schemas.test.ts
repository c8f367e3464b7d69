// Schemas of a definition are read before an execution starts, in the turn of who starts it: a step
// has not to read them then.
import { expect, it } from 'vitest';
import { everythingAllowed } from '../../../src/access/access-rules.js';
import { EnforcedSchemas } from '../../../src/areas/schemas/enforced-schemas.js';
import type { SchemaDef } from '../../../src/model/audit-fields.js';
import { systemCaller } from '../../../src/model/caller.js';
import { JsonSchemas } from '../../../src/operation/schemas/json-schema.js';
import { systemClock } from '../../../src/std/clock.js';
import { parseWorkflowDef } from '../../support/parse-workflow-def.js';

it('all that are enforced are read, once', async () => {
  const rights = { access: everythingAllowed, starterOf: () => systemCaller };
  const checks = new JsonSchemas(60_000, systemClock);
  const schemas = new EnforcedSchemas({ find: () => undefined }, checks, rights);
  const schema = (name: string): object => ({ name, data: { title: name } });
  const of = (name: string, enforceSchema: boolean): object => ({
    ...{ name, taskReferenceName: name, type: 'SIMPLE' },
    taskDefinition: { name, enforceSchema, outputSchema: schema(name) },
  });
  const tasks = [of('enforced', true), of('left', false)];
  const given = { name: 'w', enforceSchema: true, inputSchema: schema('input'), tasks };
  const def = parseWorkflowDef(given, '');
  const all = [
    def.inputSchema,
    ...def.tasks.map(({ taskDefinition }) => taskDefinition?.outputSchema),
  ];
  const parts = (): number[] =>
    all.map((each) => schemas.partOfStep(each as SchemaDef, ['somebody']));
  expect(parts()).toEqual([1, 1, 1]);
  await schemas.prepare({ hash: 'h', def }, 'somebody');
  const [input = 1, enforced = 1, left] = parts();
  expect([input < 0.1, enforced < 0.1, left]).toEqual([true, true, 1]);
  expect(schemas.prepare({ hash: 'h', def }, 'somebody')).toBeUndefined();
});
