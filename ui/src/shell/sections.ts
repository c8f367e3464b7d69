// The sections that the side bar and the palette lead to. `area`: shown only where the server
// serves that path (of GET /api/features).
import type { IconName } from '../design/icon';

export interface Section {
  readonly title: string;
  readonly icon: IconName;
  readonly to: string;
  /** Letter after `g`. */
  readonly key?: string;
  /** Begin of an API path that must be served. */
  readonly needs?: string;
}

export interface SectionGroup {
  readonly title: string;
  readonly sections: readonly Section[];
}

export const sectionGroups: readonly SectionGroup[] = [
  {
    title: 'Operate',
    sections: [
      { title: 'Overview', icon: 'overview', to: '/', key: 'o' },
      { title: 'Executions', icon: 'exec', to: '/executions', key: 'e' },
      { title: 'Failures', icon: 'fail', to: '/failures' },
      { title: 'Bulk jobs', icon: 'bulk', to: '/bulk-jobs', needs: 'bulk-jobs' },
      { title: 'Queues', icon: 'queue', to: '/queues', key: 'q' },
      { title: 'Operations', icon: 'node', to: '/operations', needs: 'stats/performance' },
      { title: 'Inbox', icon: 'inbox', to: '/inbox', key: 'i', needs: 'human/tasks' },
    ],
  },
  {
    title: 'Build',
    sections: [
      { title: 'Definitions', icon: 'def', to: '/definitions', key: 'd' },
      { title: 'Templates', icon: 'bookmark', to: '/templates' },
      { title: 'Task definitions', icon: 'task', to: '/task-definitions' },
      { title: 'Schedules', icon: 'sched', to: '/schedules', needs: 'scheduler/schedules' },
      { title: 'Webhooks', icon: 'link', to: '/webhooks', needs: 'metadata/webhook' },
      { title: 'Prompts', icon: 'edit', to: '/prompts', needs: 'prompts' },
      { title: 'Integrations', icon: 'plug', to: '/integrations', needs: 'integrations/provider' },
      { title: 'Models', icon: 'script', to: '/models', needs: 'integrations/provider' },
      { title: 'Schemas', icon: 'code', to: '/schemas', needs: 'schema' },
      { title: 'Remote services', icon: 'http', to: '/remote-services', needs: 'registry/service' },
      { title: 'Event handlers', icon: 'event', to: '/events', needs: 'event' },
      {
        title: 'Outgoing webhooks',
        icon: 'redo',
        to: '/outgoing-webhooks',
        needs: 'metadata/outgoing-webhook',
      },
      { title: 'Forms', icon: 'form', to: '/forms', needs: 'human/template' },
    ],
  },
  {
    title: 'Administer',
    sections: [
      { title: 'Users', icon: 'human', to: '/admin/users', needs: 'users' },
      { title: 'Groups', icon: 'people', to: '/admin/groups', needs: 'groups' },
      { title: 'Applications', icon: 'task', to: '/admin/applications', needs: 'applications' },
      { title: 'Access', icon: 'link', to: '/admin/access', needs: 'admin/grants' },
      { title: 'Who is signed in', icon: 'side', to: '/admin/sessions', needs: 'admin/sessions' },
      { title: 'Roles', icon: 'check', to: '/admin/roles', needs: 'roles' },
      { title: 'Secrets', icon: 'key', to: '/admin/secrets', needs: 'secrets' },
      { title: 'Environment', icon: 'db', to: '/admin/environment', needs: 'environment' },
      { title: 'Tags', icon: 'bookmark', to: '/admin/tags', needs: 'metadata/tags' },
      { title: 'Settings', icon: 'form', to: '/admin/settings', needs: 'admin/config' },
      { title: 'Audit log', icon: 'audit', to: '/admin/audit', needs: 'admin/audit' },
    ],
  },
];
