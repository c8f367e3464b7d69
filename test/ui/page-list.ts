// Every page by its address below the base path, and the heading that it shows. Names in braces
// stand for what a filled server holds (full-server.ts).

export const pages = [
  ['', 'Overview'],
  ['executions', 'Executions'],
  ['executions?q=nonsense', 'Executions'],
  ['executions/{failed}', 'ui_order'],
  ['executions/{failed}?tab=tasks', 'ui_order'],
  ['executions/{failed}?tab=timeline', 'ui_order'],
  ['executions/{failed}?tab=children', 'ui_order'],
  ['executions/{failed}?tab=payloads', 'ui_order'],
  ['executions/{failed}?tab=history', 'ui_order'],
  ['executions/{failed}?tab=compare&compare={waiting}', 'ui_order'],
  ['executions/{failed}?at=9999999999999', 'ui_order'],
  ['executions/{failed}?tab=json', 'ui_order'],
  ['executions/{failed}?task={task}', 'ui_order'],
  ['executions/{wide}', 'ui_wide'],
  ['executions/{wide}?fork=fork&branches=1', 'ui_wide'],
  ['failures', 'Failures'],
  ['run', 'Run a workflow'],
  ['run?name=ui_order', 'Run ui_order'],
  ['definitions', 'Definitions'],
  ['definitions/ui_order', 'ui_order'],
  ['definitions/ui_order?tab=json', 'ui_order'],
  ['definitions/ui_order?tab=versions', 'ui_order'],
  ['definitions/ui_order?tab=executions', 'ui_order'],
  ['definitions/ui_order?tab=schedules', 'ui_order'],
  ['definitions/ui_order?tab=access', 'ui_order'],
  ['definitions/ui_order?tab=tags', 'ui_order'],
  ['templates', 'Templates'],
  ['first-steps', 'First steps'],
  ['first-steps?execution={waiting}', 'Your first worker'],
  ['definition-editor', 'sample_approval'],
  ['definition-editor?template=saga', 'saga_order'],
  ['definition-editor?name=ui_order&version=1', 'ui_order'],
  ['definition-editor?name=ui_order&version=1&task=fork', 'ui_order'],
  ['task-definitions', 'Task definitions'],
  ['task-definitions/ui_charge', 'Task definitions'],
  ['queues', 'Queues'],
  ['queues/ui_ship', 'Queues'],
  ['operations', 'Operations'],
  ['operations?tab=definitions', 'Operations'],
  ['operations?tab=task-types&order=-Run p95', 'Operations'],
  ['operations?tab=workers', 'Operations'],
  ['operations?tab=workers&worker=ui-worker', 'Operations'],
  ['schedules', 'Schedules'],
  ['admin/users', 'Users'],
  ['admin/users?id=ann@example.com', 'Users'],
  ['admin/users?edit=new', 'Users'],
  ['admin/access', 'Access'],
  ['admin/sessions', 'Who is signed in'],
  ['admin/groups', 'Groups'],
  ['admin/applications', 'Applications'],
  ['admin/roles', 'Roles'],
  ['admin/secrets', 'Secrets'],
  ['admin/environment', 'Environment'],
  ['admin/tags', 'Tags'],
  ['admin/settings', 'Settings'],
  ['admin/plugins', 'Plug-ins'],
  ['admin/plugins?id=weather', 'Plug-ins'],
  ['admin/audit', 'Audit log'],
  ['webhooks', 'Webhooks'],
  ['prompts', 'Prompts'],
  ['integrations', 'Integrations'],
  ['models', 'Models'],
  ['schemas', 'Schemas'],
  ['remote-services', 'Remote services'],
  ['events', 'Event handlers'],
  ['outgoing-webhooks', 'Outgoing webhooks'],
  ['forms', 'Forms'],
  ['bulk-jobs', 'Bulk jobs'],
  ['bulk-jobs/{job}', 'Retry'],
  ['inbox', 'Inbox'],
  ['inbox/{human}', 'Inbox'],
  ['nowhere', 'No such page'],
] as const;

export type Places = Readonly<
  Record<'failed' | 'waiting' | 'wide' | 'task' | 'job' | 'human', string>
>;

/** The address with what stands in braces filled in. */
export function addressOf(path: string, places: Places): string {
  return path.replace(/\{(\w+)\}/g, (_all, name: keyof Places) => places[name]);
}

/** Pages that a server without any data has. */
export function isFixed(path: string): boolean {
  return !/[{=]|\//.test(path.replace(/^admin\//, ''));
}
