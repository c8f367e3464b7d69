// The registry of schemas (contract-admin 16).
import { schemaRoutes } from './api/schemas/endpoints.js';
import type { Area, AreaParts } from './area.js';
import { JsonSchemas } from './operation/schemas/json-schema.js';
import { schemaForm, Schemas } from './operation/schemas/schemas.js';

export function schemaArea(parts: AreaParts): Area {
  const { settings, clock, access, administration } = parts;
  const { ownership } = administration;
  const jsonSchemas = new JsonSchemas(settings.schemaTimeMsMax);
  const schemas = new Schemas({
    table: parts.tables.open(schemaForm),
    ...{ clock, access, ownership },
    schemasMax: settings.schemasMax,
    check: ({ type, data }, path) => {
      if (type === 'JSON' && data !== undefined) jsonSchemas.check(data, path);
    },
  });
  return { endpoints: schemaRoutes(schemas), services: [] };
}
