// The table of contents of the page: one line per page, loaded when it is first opened.
import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type AnyRoute,
  type AnyRouter,
} from '@tanstack/react-router';
import { basePath } from './api/client';
import { loadCode } from './shell/page-code';
import { PageError } from './shell/page-error';
import { Shell } from './shell/shell';
import { parseView, viewText, type View } from './state/view';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: lazyRouteComponent(() => import('./shell/not-found'), 'NotFound'),
  validateSearch: (search: Record<string, unknown>): View => search as View,
});

type PageModule = Record<string, unknown>;

function page<Module extends PageModule>(
  path: string,
  load: () => Promise<Module>,
  name: keyof Module & string,
): AnyRoute {
  const component = lazyRouteComponent(
    () => loadCode(load) as Promise<Record<string, never>>,
    name as never,
  );
  return createRoute({ getParentRoute: () => root, path, component });
}

const pages = [
  page('/', () => import('./pages/overview/overview'), 'Overview'),
  page('/executions', () => import('./pages/executions/executions'), 'Executions'),
  page('/executions/$id', () => import('./pages/execution/execution'), 'Execution'),
  page('/bulk-jobs', () => import('./pages/bulk-jobs/bulk-jobs'), 'BulkJobs'),
  page('/bulk-jobs/$id', () => import('./pages/bulk-jobs/bulk-job'), 'BulkJobPage'),
  page('/failures', () => import('./pages/failures/failures'), 'Failures'),
  page('/run', () => import('./pages/run/run'), 'Run'),
  page('/definitions', () => import('./pages/definitions/definitions'), 'Definitions'),
  page('/definitions/$name', () => import('./pages/definitions/definition'), 'Definition'),
  page('/definition-editor', () => import('./pages/definitions/editor'), 'DefinitionEditor'),
  page('/templates', () => import('./pages/templates/templates'), 'Templates'),
  page('/first-steps', () => import('./pages/first-steps/first-steps'), 'FirstSteps'),
  page(
    '/task-definitions',
    () => import('./pages/task-definitions/task-definitions'),
    'TaskDefinitions',
  ),
  page(
    '/task-definitions/$name',
    () => import('./pages/task-definitions/task-definitions'),
    'TaskDefinitions',
  ),
  page('/queues', () => import('./pages/queues/queues'), 'Queues'),
  page('/queues/$taskType', () => import('./pages/queues/queues'), 'Queues'),
  page('/operations', () => import('./pages/operations/operations'), 'Operations'),
  page('/schedules', () => import('./pages/schedules/schedules'), 'Schedules'),
  page('/inbox', () => import('./pages/inbox/inbox'), 'Inbox'),
  page('/inbox/$taskId', () => import('./pages/inbox/inbox'), 'Inbox'),
  page('/forms', () => import('./pages/administration/pages'), 'Forms'),
  page('/webhooks', () => import('./pages/administration/pages'), 'Webhooks'),
  page('/prompts', () => import('./pages/administration/pages'), 'Prompts'),
  page('/integrations', () => import('./pages/administration/pages'), 'Integrations'),
  page('/models', () => import('./pages/administration/pages'), 'Models'),
  page('/schemas', () => import('./pages/administration/pages'), 'Schemas'),
  page('/remote-services', () => import('./pages/administration/pages'), 'RemoteServices'),
  page('/events', () => import('./pages/administration/pages'), 'EventHandlers'),
  page('/outgoing-webhooks', () => import('./pages/administration/pages'), 'OutgoingWebhooks'),
  page('/more/$name', () => import('./pages/administration/pages'), 'Described'),
  page('/account', () => import('./pages/account/account'), 'Account'),
  page('/accept-invitation', () => import('./shell/accept-invitation'), 'AcceptInvitation'),
  page('/admin/access', () => import('./pages/administration/grants'), 'Access'),
  page('/admin/sessions', () => import('./pages/administration/sessions'), 'Sessions'),
  page('/admin/users', () => import('./pages/administration/pages'), 'Users'),
  page('/admin/groups', () => import('./pages/administration/pages'), 'Groups'),
  page('/admin/applications', () => import('./pages/administration/pages'), 'Applications'),
  page('/admin/roles', () => import('./pages/administration/pages'), 'Roles'),
  page('/admin/secrets', () => import('./pages/administration/pages'), 'Secrets'),
  page('/admin/environment', () => import('./pages/administration/pages'), 'Environment'),
  page('/admin/tags', () => import('./pages/administration/pages'), 'Tags'),
  // Where the nodes stood before; addresses that somebody kept still lead there.
  page('/admin/cluster', () => import('./pages/operations/operations'), 'Operations'),
  page('/admin/plugins', () => import('./pages/administration/plugins'), 'Plugins'),
  page('/admin/settings', () => import('./pages/administration/settings'), 'Settings'),
  page('/admin/audit', () => import('./pages/administration/pages'), 'AuditLog'),
];

export const router: AnyRouter = createRouter({
  routeTree: root.addChildren(pages),
  basepath: basePath,
  parseSearch: parseView,
  stringifySearch: viewText,
  defaultErrorComponent: PageError,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
