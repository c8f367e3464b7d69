// Routes of human tasks (interface 4.7, contract-admin 10.7, 10.8).
import { systemCaller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import { parseOrderedAssignments } from '../../model/human/human-definition.js';
import { shownEntry, type HumanTaskEntry } from '../../model/human/human-entry.js';
import { parseHumanSearch } from '../../model/human/human-search.js';
import { parseTexts } from '../../model/record-reader.js';
import type { OperationContext } from '../../operation/context.js';
import { getTask } from '../../operation/get-task.js';
import type { HumanTasks } from './human-tasks.js';
import { humanTaskNames, searchHumanTasks } from './search-human-tasks.js';
import type { UserForms } from './user-forms.js';
import type { HumanTaskTexts } from './human-texts.js';
import type { HumanTaskStore } from '../../store/human-task-store.js';
import {
  body,
  endpoint,
  nothing,
  query,
  writtenJson,
  type Endpoint,
  type Method,
} from '../../api/endpoint.js';
import {
  anyObject,
  flag,
  integer,
  list,
  object,
  oneOf,
  text,
  type ValueOf,
} from '../../model/schema.js';
import { taskSchema } from '../../api/schemas/task.js';
import type { RouteRequest } from '../../api/route.js';
import { assignmentSchema, entrySchema, searchSchema, searchResultSchema } from './schemas.js';

export interface HumanTaskParts {
  readonly tasks: HumanTasks;
  readonly forms: UserForms;
  readonly store: HumanTaskStore;
  /** Index of words. */
  readonly texts: HumanTaskTexts;
  readonly context: OperationContext;
}

const base = '/api/human/tasks';
/** The operation looks at the task itself: who may do what depends on its state. */
const perTask = { rule: 'each', type: 'TASK_DEF', right: 'READ' } as const;

export function humanTaskRoutes(parts: HumanTaskParts): Endpoint[] {
  return [
    ...readEndpoints(parts),
    ...claimEndpoints(parts),
    ...moveEndpoints(parts),
    ...updateEndpoints(parts),
    ...deleteEndpoints(parts),
    ...searchEndpoints(parts),
  ];
}

const withTemplate = { withTemplate: query(flag('With the whole form', { default: false })) };
type ShownEntry = ValueOf<typeof entrySchema>;

async function shown(
  { tasks, forms }: HumanTaskParts,
  entry: HumanTaskEntry,
  full: boolean,
): Promise<ShownEntry> {
  const form = full ? await tasks.formOf(entry) : undefined;
  if (form === undefined) return shownEntry(entry);
  return {
    ...shownEntry(entry),
    humanTaskDef: { ...entry.humanTaskDef, fullTemplate: forms.shown(form) },
  };
}

function readEndpoints(parts: HumanTaskParts): Endpoint[] {
  const { tasks, context } = parts;
  return [
    endpoint({
      method: 'GET',
      pattern: `${base}/:taskId`,
      name: 'getHumanTask',
      summary: 'Shows a human task.',
      access: perTask,
      parameters: withTemplate,
      reply: entrySchema,
      errors: ['not-found'],
      handle: async (request) => {
        const entry = await tasks.get(request.caller, request.param('taskId'));
        return await shown(parts, entry, request.queryBoolean('withTemplate'));
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/:taskId/conductorTask`,
      name: 'getTaskOfHumanTask',
      summary: 'Shows the workflow task behind a human task.',
      access: perTask,
      reply: writtenJson(taskSchema),
      handle: async (request) => {
        const { taskId } = await tasks.getKnown(request.caller, request.param('taskId'));
        // The caller's right to see it was checked against the human task.
        return await getTask(context, systemCaller, taskId);
      },
    }),
  ];
}

function claimEndpoints(parts: HumanTaskParts): Endpoint[] {
  const { tasks } = parts;
  const parameters = {
    overrideAssignment: query(
      flag('Also when it is assigned to somebody else', { default: false }),
    ),
    ...withTemplate,
  };
  const answer = async (request: RouteRequest, entry: HumanTaskEntry): Promise<ShownEntry> =>
    await shown(parts, entry, request.queryBoolean('withTemplate'));
  return [
    endpoint({
      method: 'POST',
      pattern: `${base}/:taskId/claim`,
      name: 'claimHumanTask',
      summary: 'Claims a human task for the caller.',
      access: perTask,
      parameters,
      reply: entrySchema,
      handle: async (request) => {
        const override = request.queryBoolean('overrideAssignment');
        return await answer(
          request,
          await tasks.claim(request.caller, request.param('taskId'), override),
        );
      },
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:taskId/externalUser/:userId`,
      name: 'claimHumanTaskForExternalUser',
      summary: 'Claims a human task for a user of another system.',
      access: perTask,
      parameters,
      reply: entrySchema,
      handle: async (request) => {
        const user = request.param('userId');
        const override = request.queryBoolean('overrideAssignment');
        const taskId = request.param('taskId');
        return await answer(
          request,
          await tasks.claimFor(request.caller, taskId, { user, override }),
        );
      },
    }),
  ];
}

function moveEndpoints({ tasks }: HumanTaskParts): Endpoint[] {
  return [
    endpoint({
      method: 'POST',
      pattern: `${base}/:taskId/reassign`,
      name: 'reassignHumanTask',
      summary: 'Replaces who gets a human task.',
      access: perTask,
      body: body(list(assignmentSchema)),
      reply: nothing,
      handle: async (request) => {
        const assignments = parseOrderedAssignments(request.json());
        await tasks.reassign(request.caller, request.param('taskId'), assignments);
      },
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:taskId/release`,
      name: 'releaseHumanTask',
      summary: 'Gives a claimed human task back.',
      access: perTask,
      reply: nothing,
      handle: (request) => tasks.release(request.caller, request.param('taskId')),
    }),
    endpoint({
      method: 'POST',
      pattern: `${base}/:taskId/skip`,
      name: 'skipHumanTask',
      summary: 'Passes a human task on to its next assignee.',
      access: perTask,
      parameters: { reason: query(text()) },
      reply: nothing,
      handle: async (request) => {
        const reason = request.query('reason') || undefined;
        await tasks.skip(request.caller, request.param('taskId'), reason);
      },
    }),
  ];
}

/** The Go client sends updates with PUT, all others with POST. */
const updateMethods: readonly Method[] = ['POST', 'PUT'];

function updateEndpoints({ tasks }: HumanTaskParts): Endpoint[] {
  const complete = { complete: query(flag('Ends the task', { default: false })) };
  return updateMethods.flatMap((method): Endpoint[] => [
    endpoint({
      method,
      pattern: `${base}/:taskId/update`,
      name: `updateHumanTask${method === 'POST' ? '' : 'ByPut'}`,
      summary: 'Enters values into the form of a human task.',
      access: perTask,
      parameters: complete,
      body: body(anyObject, false),
      reply: nothing,
      errors: ['validation'],
      handle: async (request) => {
        const values = request.jsonMapIfAny() ?? {};
        const isComplete = request.queryBoolean('complete');
        await tasks.update(request.caller, request.param('taskId'), values, isComplete);
      },
    }),
    endpoint({
      method,
      pattern: `${base}/update/taskRef`,
      name: `updateHumanTaskByRef${method === 'POST' ? '' : 'ByPut'}`,
      summary: 'Enters values into the form of the human task of a reference.',
      access: perTask,
      parameters: {
        workflowId: query(text(), { required: true }),
        taskRefName: query(text(), { required: true }),
        iteration: query(integer('The newest when absent'), { repeated: true }),
        ...complete,
      },
      body: body(anyObject, false),
      reply: nothing,
      errors: ['not-found', 'validation'],
      handle: async (request) => {
        const target = {
          workflowId: request.queryRequired('workflowId'),
          ref: request.queryRequired('taskRefName'),
          iteration: iterationOf(request.queryAll('iteration')),
        };
        const values = request.jsonMapIfAny() ?? {};
        const isComplete = request.queryBoolean('complete');
        await tasks.updateByRef(request.caller, target, { values, complete: isComplete });
      },
    }),
  ]);
}

/** Of several the last counts. */
function iterationOf(given: readonly string[]): number | undefined {
  const last = given.at(-1);
  if (last === undefined || last === '') return undefined;
  if (!/^\d{1,9}$/.test(last)) {
    throw new AppError(
      'bad-request',
      `Parameter 'iteration' is not a number: '${last.slice(0, 100)}'`,
    );
  }
  return Number(last);
}

function deleteEndpoints({ tasks }: HumanTaskParts): Endpoint[] {
  return [
    endpoint({
      method: 'DELETE',
      pattern: `${base}/delete/:taskId`,
      name: 'deleteHumanTask',
      summary: 'Forgets the record of a human task; the workflow task goes on.',
      access: perTask,
      reply: nothing,
      handle: (request) => tasks.delete(request.caller, request.param('taskId')),
    }),
    endpoint({
      method: 'DELETE',
      pattern: `${base}/delete`,
      name: 'deleteHumanTasks',
      summary: 'Forgets the records of several human tasks.',
      access: perTask,
      body: body(list(text())),
      reply: nothing,
      handle: async (request) => {
        const ids = parseTexts(request.json(), '');
        if (ids.length > deletedAtOnceMax) {
          throw new AppError('bad-request', `the list may have ${deletedAtOnceMax} ids at most`);
        }
        request.noteObjects(ids);
        for (const id of ids) await tasks.delete(request.caller, id);
      },
    }),
  ];
}

const deletedAtOnceMax = 1000;

function searchEndpoints(parts: HumanTaskParts): Endpoint[] {
  const { store, texts } = parts;
  return [
    endpoint({
      method: 'POST',
      pattern: `${base}/search`,
      name: 'searchHumanTasks',
      summary: 'Finds human tasks, newest change first or by when they are due.',
      access: perTask,
      audit: 'reads',
      body: body(searchSchema, false),
      reply: searchResultSchema,
      handle: async (request) => {
        const search = parseHumanSearch(request.jsonMapIfAny() ?? {});
        const { entries, total } = await searchHumanTasks({ store, texts }, request.caller, search);
        return {
          totalHits: total,
          results: entries.map(({ humanTaskDef: _def, ...entry }) => shownEntry(entry)),
          hits: entries.length,
          start: search.start,
          pageSizeLimit: search.size,
        };
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/getTaskDisplayNames`,
      name: 'listHumanTaskDisplayNames',
      summary: 'Lists display names of human tasks.',
      access: perTask,
      parameters: { searchType: query(oneOf(['ADMIN', 'INBOX']), { required: true }) },
      reply: list(text()),
      handle: async (request) => {
        const searchType = request.queryRequired('searchType');
        if (searchType !== 'ADMIN' && searchType !== 'INBOX') {
          throw new AppError('bad-request', "Parameter 'searchType' must be ADMIN or INBOX");
        }
        return await humanTaskNames(store, request.caller, searchType);
      },
    }),
    endpoint({
      method: 'GET',
      pattern: `${base}/backPopulateFullTextIndex`,
      name: 'rebuildHumanTaskIndex',
      summary: 'Does nothing: full text is read from the entries themselves.',
      access: { rule: 'administrator' },
      audit: 'changes',
      reply: object('HumanTaskIndexRebuilt', {}),
      handle: () => ({}),
    }),
  ];
}
