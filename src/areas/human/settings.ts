// Settings of user forms.
import { integer } from '../../settings/setting.js';

export const humanSettings = {
  userFormsMax: integer('Versions of user forms that there may be', 20_000, 1),
} as const;
