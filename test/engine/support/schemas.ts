// The registered schemas of a test: one version of each name.
import { everythingAllowed } from '../../../src/access/access-rules.js';
import { systemCaller } from '../../../src/model/caller.js';
import type { JsonMap } from '../../../src/model/json.js';
import type { RegisteredSchema } from '../../../src/areas/schemas/schema.js';
import { EnforcedSchemas } from '../../../src/areas/schemas/enforced-schemas.js';
import { systemClock } from '../../../src/std/clock.js';
import { JsonSchemas } from '../../../src/operation/schemas/json-schema.js';

export function testSchemas(dataOf: (name: string) => JsonMap | undefined): EnforcedSchemas {
  const written = { createTime: 0, createdBy: '', updateTime: 0, updatedBy: '' };
  const find = (name: string): RegisteredSchema | undefined => {
    const data = dataOf(name);
    return data && { name, version: 1, type: 'JSON', data, ...written };
  };
  return new EnforcedSchemas({ find }, new JsonSchemas(1000, systemClock), {
    access: everythingAllowed,
    starterOf: () => systemCaller,
  });
}
