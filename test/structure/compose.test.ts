// The compose file is one by the schema of the Compose Specification (github.com/compose-spec,
// Apache-2.0), which lies beside this test: no engine is needed to see a member that is none.
import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { expect, it } from 'vitest';
import { readComposeFile, type ComposeFile } from '../support/compose-file.js';

const schema = JSON.parse(
  fs.readFileSync(path.join(import.meta.dirname, 'compose-spec.schema.json'), 'utf8'),
) as object;
// The schema names formats of its own, which only say how a text looks.
const ajv = new Ajv({
  ...{ strict: false, validateSchema: false, allErrors: true },
  formats: { ports: true, expose: true },
});
addFormats.default(ajv);
const validate = ajv.compile(schema);

function faultsOf(file: unknown): string[] {
  validate(file);
  return (validate.errors ?? []).map(
    ({ instancePath, message = '' }) => `${instancePath || '/'} ${message}`,
  );
}

it('the compose file has the form that Compose asks for', () => {
  expect(faultsOf(readComposeFile())).toEqual([]);
});

it.each([
  ['a member that is none', { restrat: 'always' }, '/services/redis must NOT have additional'],
  ['a value of another kind', { healthcheck: { test: 7 } }, '/services/redis/healthcheck/test'],
  ['a port that is none', { ports: [{ target: [] }] }, '/services/redis/ports/0'],
])('%s is seen', (_case, change, fault) => {
  const file = readComposeFile();
  const services = { ...file.services, redis: { ...file.services['redis'], ...change } };
  expect(faultsOf({ ...file, services } as ComposeFile).join('\n')).toContain(fault);
});
