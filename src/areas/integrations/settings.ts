// Settings of integrations and of the calls to their models.
import { integer } from '../../settings/setting.js';

export const integrationSettings = {
  modelSilenceMsMax: integer(
    'Longest silence of the provider of a model while it answers, ms',
    120_000,
    1,
  ),
  integrationsMax: integer('Integration providers, and models, that there may be', 5000, 1),
} as const;
