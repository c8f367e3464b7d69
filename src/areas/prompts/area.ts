// Prompts (contract-admin 13): texts with placeholders for models, registered by name and version.
// Tasks that ask a model read them through what the area lends.
import { area } from '../area.js';
import { promptRoutes } from './endpoints.js';
import { promptUse } from './prompt-use.js';
import { prompt } from './prompt.js';
import { Prompts } from './prompts.js';
import { promptSettings } from './settings.js';
import { trialRoute } from './trial.js';

export const prompts = area({
  name: 'prompts',
  about: 'Prompts by name and version, which tasks send to models.',
  settings: promptSettings,
  records: { prompts: prompt.record },
  needsFirst: ['clock', 'access', 'ownership', 'tags', 'integrations', 'starterOf'],
  lends: ['prompts'],
  begin({ starterOf, ...ports }, { settings: { promptsMax }, records: { prompts: table } }) {
    const registered = new Prompts({ ...ports, table, promptsMax });
    return { lent: { prompts: promptUse(registered, starterOf) }, registered };
  },
  needs: ['integrations', 'testPrompt'],
  build: ({ integrations, testPrompt }, { begun: { registered } }) => ({
    endpoints: [trialRoute(testPrompt), ...promptRoutes({ prompts: registered, integrations })],
  }),
});
