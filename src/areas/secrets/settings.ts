// Settings of secrets and environment variables.
import { flag, integer } from '../../settings/setting.js';

export const secretSettings = {
  secretBytesMax: integer('Value of a secret or an environment variable, bytes', 65_536, 1),
  unknownSecretsAsNull: flag(
    'A name that no secret has gives null to the task that names it; off: the task fails, with the name',
    false,
  ),
} as const;
