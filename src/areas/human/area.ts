// Human tasks and user forms (interface 4.7). The index of human tasks belongs to the kernel: what
// executions commit feeds it, and the overview reads it.
import type { FormRules } from '../../engine/context.js';
import { readRefusal } from '../../operation/read-refusal.js';
import { area } from '../area.js';
import { humanTaskExpiry } from './expire-human-tasks.js';
import { FormValidation } from './form-validation.js';
import { HumanTasks } from './human-tasks.js';
import { createHumanTaskTexts } from './human-texts.js';
import { createHumanTaskFollower } from './index-human-task.js';
import { humanSettings } from './settings.js';
import { humanTaskRoutes } from './task-endpoints.js';
import { userFormRoutes } from './template-endpoints.js';
import { userForm } from './user-form.js';
import { UserForms } from './user-forms.js';

export const human = area({
  name: 'human',
  about: 'Tasks that people do, found in inboxes, with forms that check what they enter.',
  settings: humanSettings,
  records: { forms: userForm.record },
  needsFirst: ['clock', 'access', 'ownership', 'tags', 'starterOf', 'schemaReader'],
  lends: ['formRules', 'followHumanTasks'],
  begin(ports, { settings, records: { forms: table } }) {
    const validation = new FormValidation(ports.schemaReader);
    const { clock, access, ownership, tags } = ports;
    const formsMax = settings.userFormsMax;
    const forms = new UserForms({ table, clock, access, ownership, tags, validation, formsMax });
    tags.describe('USER_FORM_TEMPLATE', (name) => forms.described(name));
    const formRules: FormRules = {
      refusal: (id, readers) =>
        forms.has(id) ? readRefusal(ports, { type: 'USER_FORM_TEMPLATE', id }, readers) : undefined,
    };
    const lent = { formRules, followHumanTasks: createHumanTaskFollower };
    return { lent, forms, formRules, validation };
  },
  needs: [
    ...(['clock', 'log', 'access', 'starterOf', 'operations'] as const),
    ...(['humanTasks', 'humanTaskFeed', 'retentionMs', 'searchTextBytesMax'] as const),
  ],
  build(
    { clock, log, access, starterOf, operations: context, humanTasks: store, ...more },
    { begun: { forms, formRules, validation } },
  ) {
    const { humanTaskFeed: feed, retentionMs: lifeMs, searchTextBytesMax: bytesMax } = more;
    const checks = { access, starterOf, forms, formRules, validation };
    const tasks = new HumanTasks({ context, store, ...checks });
    const texts = createHumanTaskTexts(store, {
      ...{ clock, feed, bytesMax },
      failed: (error) => log.warn({ err: error }, 'the text index of human tasks is built again'),
    });
    return {
      endpoints: [
        ...humanTaskRoutes({ tasks, forms, store, texts, context }),
        ...userFormRoutes({ forms, tasks }),
      ],
      services: [texts],
      jobs: [humanTaskExpiry({ store, clock, lifeMs })],
    };
  },
});
