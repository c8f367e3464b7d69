// Endpoints that sum up what the server does: for the page, and for anybody who asks the same.
import type { Json } from '../../model/json.js';
import { AppError } from '../../model/errors.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import type { OperationContext } from '../../operation/context.js';
import { countWorkflows } from '../../operation/overview/facets.js';
import { groupFailures } from '../../operation/overview/failure-groups.js';
import { outlineWorkflow } from '../../operation/overview/outline.js';
import { overdueTimers } from '../../operation/overview/overdue.js';
import { overview } from '../../operation/overview/overview.js';
import { queueStats } from '../../operation/overview/queue-stats.js';
import { rates } from '../../operation/overview/rates.js';
import { workflowHistory } from '../../operation/workflow-history.js';
import type { ExecutionTexts } from '../../operation/search/execution-texts.js';
import { defaultSearchLimits, type SearchContext } from '../../operation/search/request.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';
import type { SearchStore } from '../../store/search-store.js';
import type { StatisticsStore } from '../../store/statistics-store.js';
import type { AccessRules } from '../../access/access-rules.js';
import { query, replies, type Endpoint } from '../endpoint.js';
import { readsExecutions } from '../execution-access.js';
import * as form from '../form.js';
import { json, jsonText, type RouteRequest } from '../route.js';
import { lackOf } from '../access-guard.js';
import {
  facetsForm,
  failuresForm,
  featuresForm,
  historyForm,
  outlineForm,
  overviewForm,
  queueStatsListForm,
  type signInKinds,
} from './forms.js';
import { overdueForm, ratesForm } from './rate-forms.js';
import { inWindow, windowOf } from './window.js';

export interface OverviewStores {
  /** The indexes of executions. */
  readonly executions: SearchStore;
  readonly humanTasks: HumanTaskStore;
  readonly statistics: StatisticsStore;
  /** The index of their words. */
  readonly texts: ExecutionTexts | undefined;
  /** Registered workflows that a caller may read. */
  readonly workflowNames: (caller: Caller) => readonly string[];
  /** Memory of the store now. */
  readonly storeMemory: () => { readonly usedBytes: number; readonly limitBytes: number };
}

export function overviewRoutes(
  context: OperationContext,
  { executions: store, humanTasks, statistics, texts, workflowNames, storeMemory }: OverviewStores,
): Endpoint[] {
  const search: SearchContext = { context, store, texts, limits: defaultSearchLimits };
  const entry = { method: 'GET', body: null, parameters: {} } as const;
  return [
    {
      ...entry,
      pattern: '/api/workflow/:workflowId/outline',
      name: 'outlineWorkflow',
      summary: 'Shows an execution and its tasks without their payloads.',
      access: readsExecutions,
      parameters: {
        includeTasks: query(form.flag('Whether the tasks are shown', { default: true })),
      },
      replies: replies(outlineForm),
      errors: ['not-found'],
      handle: async (request) => {
        const id = request.param('workflowId');
        const includeTasks = request.queryBoolean('includeTasks', true);
        return jsonText(await outlineWorkflow(context, request.caller, { id, includeTasks }));
      },
    },
    {
      ...entry,
      pattern: '/api/workflow/:workflowId/history',
      name: 'getWorkflowHistory',
      summary: 'Shows who controlled or edited an execution, and why.',
      access: readsExecutions,
      replies: replies(historyForm),
      errors: ['not-found'],
      handle: async (request) =>
        answer(await workflowHistory(context, request.caller, request.param('workflowId'))),
    },
    {
      ...entry,
      pattern: '/api/workflow/facets',
      name: 'countWorkflows',
      summary: 'Counts the executions that a search finds, by status and by workflow.',
      access: readsExecutions,
      parameters: {
        query: query(form.text('Conditions, as in a search')),
        freeText: query(form.text('Words to look for; `*` or empty for all')),
        by: query(form.oneOf(facets, 'What is counted, with commas between; `status` always'), {
          repeated: true,
        }),
      },
      replies: replies(facetsForm),
      errors: [],
      handle: async (request) => {
        const asked = { query: request.query('query'), freeText: request.query('freeText') };
        const { caller } = request;
        const names = facetsOf(request).has('workflowType') ? { names: workflowNames(caller) } : {};
        return answer(await countWorkflows(search, { caller, ...asked, ...names }));
      },
    },
    {
      ...entry,
      pattern: '/api/workflow/failures',
      name: 'groupFailures',
      summary: 'Groups failed executions by definition, task and reason.',
      access: readsExecutions,
      parameters: inWindow,
      replies: replies(failuresForm),
      errors: [],
      handle: async (request) =>
        answer(await groupFailures(search, request.caller, windowOf(request))),
    },
    {
      ...entry,
      pattern: '/api/stats/overview',
      name: 'getOverview',
      summary: 'Shows what runs and what needs attention.',
      access: readsExecutions,
      parameters: inWindow,
      replies: replies(overviewForm),
      errors: [],
      handle: async (request) => {
        const { caller } = request;
        const asked = { caller, windowMs: windowOf(request) };
        const seen = await overview({ context, search, humanTasks, statistics }, asked);
        return answer(isAdministrator(caller) ? { ...seen, store: storeMemory() } : seen);
      },
    },
    {
      ...entry,
      pattern: '/api/stats/queues',
      name: 'getQueueStats',
      summary: 'Shows what each queue holds, who polls it and what holds it up.',
      access: { rule: 'caller' },
      replies: replies(queueStatsListForm),
      errors: [],
      handle: async (request) => answer(await queueStats(context, request.caller)),
    },
    {
      ...entry,
      pattern: '/api/stats/timers',
      name: 'getOverdueTimers',
      summary: 'Shows timers of executions that are overdue.',
      access: readsExecutions,
      replies: replies(overdueForm),
      errors: [],
      handle: async ({ caller }) => answer(await overdueTimers({ search, statistics }, caller)),
    },
    {
      ...entry,
      pattern: '/api/stats/rates',
      name: 'getRates',
      summary:
        'Shows in steps of time what started and ended, and what queues took in and gave out.',
      access: { rule: 'caller' },
      parameters: {
        ...inWindow,
        workflow: query(form.text('Of this workflow only')),
        taskType: query(form.text('Of the queues of this task type only')),
      },
      replies: replies(ratesForm),
      errors: [],
      handle: async (request) => {
        const { caller } = request;
        const workflow = request.query('workflow') || undefined;
        const taskType = request.query('taskType') || undefined;
        const windowMs = windowOf(request);
        return answer(await rates(context, { caller, windowMs, workflow, taskType }));
      },
    },
  ];
}

export interface ServerFeatures {
  readonly version: string;
  readonly durability: string;
  readonly basePath: string;
  /** What the operator calls this environment; '' for nothing. */
  readonly environment: string;
  readonly signIn: readonly (typeof signInKinds)[number][];
}

/** The endpoints together with the one that tells which areas they serve. */
export function withFeatures(
  endpoints: readonly Endpoint[],
  access: AccessRules,
  server: ServerFeatures,
): Endpoint[] {
  const paths = endpoints.map(({ pattern }) => pattern.split('/'));
  const ofApi = paths.filter(([, root, area]) => root === 'api' && isLiteral(area));
  const names = ofApi.flatMap(([, , area, part]) =>
    isLiteral(part) ? [String(area), `${area}/${part}`] : [String(area)],
  );
  const served = [...new Set(names)].sort();
  return [
    ...endpoints,
    {
      method: 'GET',
      pattern: '/api/features',
      name: 'getFeatures',
      summary: 'Tells what this server serves and who asks.',
      access: { rule: 'caller' },
      parameters: {},
      body: null,
      replies: replies(featuresForm),
      errors: [],
      handle: ({ caller }) => {
        const closed = endpoints
          .filter((endpoint) => lackOf(endpoint.access, access, caller) !== undefined)
          .map(({ method, pattern }) => `${method} ${pattern}`);
        const user = { id: caller.id, administrator: isAdministrator(caller), closed };
        return answer({ ...server, areas: served, user });
      },
    },
  ];
}

function isLiteral(segment: string | undefined): boolean {
  return segment !== undefined && segment !== '' && !segment.startsWith(':');
}

const facets = ['status', 'workflowType'];

/** Throws AppError 'bad-request' for what cannot be counted by. */
function facetsOf(request: RouteRequest): ReadonlySet<string> {
  const by = request.queryAll('by');
  if (by.every((each) => facets.includes(each))) return new Set(by);
  throw new AppError('bad-request', `by: one of ${facets.join(', ')}`);
}

function answer(value: object): ReturnType<typeof json> {
  return json(value as Json);
}
