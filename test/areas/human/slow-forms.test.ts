// A form whose schema takes too long to read is refused, and one whose check takes too long ends.
import { expect, it } from 'vitest';
import { FormValidation } from '../../../src/areas/human/form-validation.js';
import type { UserForm } from '../../../src/areas/human/user-form.js';
import { systemCaller } from '../../../src/model/caller.js';
import type { JsonMap } from '../../../src/model/json.js';
import { SchemaReader } from '../../../src/operation/schemas/schema-reader.js';
import { systemClock } from '../../../src/std/clock.js';

const formOf = (jsonSchema: JsonMap): UserForm => ({
  ...{ name: 'form', version: 1, jsonSchema, templateUI: {} },
  ...{ createTime: 0, updateTime: 0, createdBy: '', updatedBy: '' },
});

it('a form that takes too long to read is refused', async () => {
  const forms = new FormValidation(new SchemaReader(1, systemClock));
  const slow = { allOf: Array.from({ length: 20_000 }, () => ({ type: 'object' })) };
  await expect(forms.checkSchema(systemCaller, slow)).rejects.toThrow(
    'jsonSchema is no JSON Schema of draft-07: it took more than 1 ms to read',
  );
});

it('values whose check takes too long are refused', () => {
  const forms = new FormValidation(new SchemaReader(50, systemClock));
  const form = formOf({ properties: { all: { uniqueItems: true } } });
  const all = Array.from({ length: 20_000 }, (_, id) => ({ id }));
  expect(() => forms.check(form, { all: [1, 2] }, true)).not.toThrow();
  expect(() => forms.check(form, { all }, true)).toThrow(
    'The check of the values took more than 50 ms',
  );
});
