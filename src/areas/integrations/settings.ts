// The setting of integrations.
import { integer } from '../../settings/setting.js';

export const integrationSettings = {
  integrationsMax: integer('Integration providers, and models, that there may be', 5000, 1),
} as const;
