// Secrets and environment variables (contract-admin 7 and 8): values that definitions name and that
// stand in no stored execution. A task that is handed out gets them through what the area lends.
import { area } from '../area.js';
import { secretRoutes } from './endpoints.js';
import { environmentRoutes } from './environment-endpoints.js';
import { EnvironmentVariables, variable } from './environment-variables.js';
import { SecretHandOut } from './secret-hand-out.js';
import { secret, Secrets } from './secrets.js';
import { secretSettings } from './settings.js';
import { updateSecretTask } from './update-secret.js';

export const secrets = area({
  name: 'secrets',
  about: 'Secrets and environment variables, which definitions read by name.',
  settings: secretSettings,
  records: { secrets: secret.record, variables: variable.record },
  taskTypes: [updateSecretTask],
  needsFirst: [
    ...(['log', 'access', 'ownership', 'tags', 'secretBox'] as const),
    ...(['starterOf', 'environment'] as const),
  ],
  lends: [
    ...(['secretRules', 'handedOut', 'secretsFor', 'secretWriter'] as const),
    'environmentVariables',
  ],
  begin(ports, { settings, records }) {
    const { secretBytesMax: bytesMax, unknownSecretsAsNull: unknownAsNull } = settings;
    const secrets = new Secrets({ ...ports, table: records.secrets, bytesMax });
    const variables = new EnvironmentVariables({
      ...{ ...ports, table: records.variables, bytesMax },
      own: ports.environment,
    });
    const handOut = new SecretHandOut({ ...ports, secrets, variables, unknownAsNull });
    return {
      lent: {
        secretRules: handOut,
        handedOut: handOut,
        secretsFor: handOut.lookupFor,
        secretWriter: secrets,
        environmentVariables: {
          environmentVariable: variables.valueNow,
          mayReadVariable: variables.mayRead,
        },
      },
      ...{ secrets, variables, handOut },
    };
  },
  needs: ['tags'],
  provides: ['secretsFor'],
  build: ({ tags }, { begun: { secrets, variables, handOut } }) => ({
    endpoints: [...secretRoutes(secrets, tags), ...environmentRoutes(variables, tags)],
    ports: { secretsFor: handOut.lookupFor },
  }),
});
