// Human tasks and user forms (interface 4.7).
import { humanTaskRoutes } from './api/human/tasks.js';
import { userFormRoutes } from './api/human/templates.js';
import type { Area, AreaParts } from './area.js';
import { HumanTaskExpiry } from './operation/human/expire-human-tasks.js';
import { FormValidation } from './operation/human/form-validation.js';
import { createHumanTaskTexts } from './operation/human/human-texts.js';
import { HumanTasks } from './operation/human/human-tasks.js';
import { userFormForm, UserForms } from './operation/human/user-forms.js';

export function humanArea(parts: AreaParts): Area {
  const { settings, clock, access, operations: context, administration, log } = parts;
  const { tags, ownership } = administration;
  const { humanTasks: store } = parts.stores;
  const validation = new FormValidation();
  const table = parts.tables.open(userFormForm);
  const formsMax = settings.userFormsMax;
  const forms = new UserForms({ table, clock, access, ownership, tags, validation, formsMax });
  tags.describe('USER_FORM_TEMPLATE', (name) => forms.described(name));
  const tasks = new HumanTasks({ context, access, store, forms, validation });
  const expiry = new HumanTaskExpiry({
    store,
    clock,
    lifeMs: settings.retentionSeconds * 1000,
    failed: (error) => log.warn({ err: error }, 'ended human tasks are cleared away later'),
  });
  const texts = createHumanTaskTexts(store, {
    ...{ clock, feed: parts.stores.humanTaskFeed, bytesMax: settings.searchTextBytesMax },
    failed: (error) => log.warn({ err: error }, 'the text index of human tasks is built again'),
  });
  return {
    endpoints: [
      ...humanTaskRoutes({ tasks, forms, store, texts, context }),
      ...userFormRoutes({ forms, tasks, tags }),
    ],
    services: [expiry, texts],
  };
}
