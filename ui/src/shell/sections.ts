// What the side bar and the palette lead to. `area`: shown only where the server serves that path
// (of GET /api/features).
export interface Section {
  readonly title: string;
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
    title: 'Run',
    sections: [
      { title: 'Overview', to: '/', key: 'o' },
      { title: 'Executions', to: '/executions', key: 'e' },
      { title: 'Failures', to: '/failures' },
      { title: 'Bulk jobs', to: '/bulk-jobs', needs: 'bulk-jobs' },
      { title: 'Queues', to: '/queues', key: 'q' },
      { title: 'Inbox', to: '/inbox', key: 'i', needs: 'human/tasks' },
    ],
  },
  {
    title: 'Build',
    sections: [
      { title: 'Definitions', to: '/definitions', key: 'd' },
      { title: 'Task definitions', to: '/task-definitions' },
      { title: 'Schedules', to: '/schedules', needs: 'scheduler/schedules' },
      { title: 'Webhooks', to: '/webhooks', needs: 'metadata/webhook' },
      { title: 'Prompts', to: '/prompts', needs: 'prompts' },
      { title: 'Integrations', to: '/integrations', needs: 'integrations/provider' },
      { title: 'Models', to: '/models', needs: 'integrations/provider' },
      { title: 'Schemas', to: '/schemas', needs: 'schema' },
      { title: 'Remote services', to: '/remote-services', needs: 'registry/service' },
      { title: 'Event handlers', to: '/events', needs: 'event' },
      { title: 'Outgoing webhooks', to: '/outgoing-webhooks', needs: 'metadata/outgoing-webhook' },
      { title: 'Forms', to: '/forms', needs: 'human/template' },
    ],
  },
  {
    title: 'Administer',
    sections: [
      { title: 'Users', to: '/admin/users', needs: 'users' },
      { title: 'Groups', to: '/admin/groups', needs: 'groups' },
      { title: 'Applications', to: '/admin/applications', needs: 'applications' },
      { title: 'Roles', to: '/admin/roles', needs: 'roles' },
      { title: 'Secrets', to: '/admin/secrets', needs: 'secrets' },
      { title: 'Environment', to: '/admin/environment', needs: 'environment' },
      { title: 'Tags', to: '/admin/tags', needs: 'metadata/tags' },
      { title: 'Nodes and settings', to: '/admin/cluster', needs: 'admin/cluster' },
      { title: 'Audit log', to: '/admin/audit', needs: 'admin/audit' },
    ],
  },
];
