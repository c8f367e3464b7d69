// Schemas (contract-admin 16): the registry, and the checks of payloads by what is registered.
import { JsonSchemas } from '../../operation/schemas/json-schema.js';
import { area } from '../area.js';
import { schemaRoutes } from './endpoints.js';
import { EnforcedSchemas } from './enforced-schemas.js';
import { schema } from './schema.js';
import { Schemas } from './schemas.js';
import { schemaSettings } from './settings.js';

export const schemas = area({
  name: 'schemas',
  about: 'Schemas by name and version, which payloads of executions are checked against.',
  settings: schemaSettings,
  records: { schemas: schema.record },
  needsFirst: ['clock', 'access', 'ownership', 'tags', 'starterOf', 'threadTurns'],
  lends: ['schemaRules', 'jsonSchemas'],
  provides: ['registerSchemas', 'schemaReader'],
  begin(ports, { settings, records: { schemas: table } }) {
    const jsonSchemas = new JsonSchemas(settings.schemaTimeMsMax, ports.clock, ports.threadTurns);
    const { schemasMax } = settings;
    const registered = new Schemas({ ...ports, table, jsonSchemas, schemasMax });
    return {
      lent: {
        schemaRules: new EnforcedSchemas(registered, jsonSchemas, ports),
        jsonSchemas,
      },
      ports: {
        registerSchemas: registered.registerAbsent.bind(registered),
        schemaReader: jsonSchemas.reader,
      },
      schemas: registered,
    };
  },
  needs: [],
  build: (_ports, { begun }) => ({ endpoints: schemaRoutes(begun.schemas) }),
});
