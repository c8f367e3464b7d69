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
import { NotFound } from './shell/not-found';
import { Shell } from './shell/shell';
import { parseView, viewText, type View } from './state/view';

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  validateSearch: (search: Record<string, unknown>): View => search as View,
});

type PageModule = Record<string, unknown>;

function page<Module extends PageModule>(
  path: string,
  load: () => Promise<Module>,
  name: keyof Module & string,
): AnyRoute {
  const component = lazyRouteComponent(load as () => Promise<Record<string, never>>, name as never);
  return createRoute({ getParentRoute: () => root, path, component }) as unknown as AnyRoute;
}

const pages = [
  page('/', () => import('./pages/overview/overview'), 'Overview'),
  page('/executions', () => import('./pages/executions/executions'), 'Executions'),
  page('/executions/$id', () => import('./pages/execution/execution'), 'Execution'),
];

export const router: AnyRouter = createRouter({
  routeTree: root.addChildren(pages),
  basepath: basePath,
  parseSearch: parseView,
  stringifySearch: viewText,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
