// Settings of schemas.
import { integer } from '../../settings/setting.js';

export const schemaSettings = {
  schemasMax: integer('Versions of all schemas that there may be', 20_000, 1),
  schemaTimeMsMax: integer(
    'Longest time to read a schema or a form, or to check a value by it, ms',
    1000,
    1,
  ),
} as const;
