// Settings of prompts.
import { integer } from '../../settings/setting.js';

export const promptSettings = {
  promptsMax: integer('Versions of all prompts that there may be', 20_000, 1),
} as const;
