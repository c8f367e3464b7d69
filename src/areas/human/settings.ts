// Settings of user forms and of searches for human tasks.
import { integer } from '../../settings/setting.js';

export const humanSettings = {
  userFormsMax: integer('Versions of user forms that there may be', 20_000, 1),
  humanTasksLookedAtMax: integer(
    'Human tasks that one search looks at when no single facet answers it',
    20_000,
    100,
    1_000_000,
  ),
} as const;
