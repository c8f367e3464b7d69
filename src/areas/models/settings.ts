// The setting of calls of models.
import { integer } from '../../settings/setting.js';

export const modelSettings = {
  modelSilenceMsMax: integer(
    'Longest silence of the provider of a model while it answers, ms',
    120_000,
    1,
  ),
} as const;
