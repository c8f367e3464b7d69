// Schemas of human tasks and user forms on the wire (contract-admin 10.2, 10.8, 11.1).
import { anyObject, integer, list, object, oneOf, text, time } from '../../model/schema.js';
import {
  completionStrategies,
  humanUserTypes,
  triggerTypes,
} from '../../model/human/human-definition.js';
import { humanSorts } from '../../model/human/human-search.js';
import { humanStates } from '../../model/human/human-entry.js';
import { userForm } from './user-form.js';

const userOf = object(
  'HumanTaskUser',
  { userType: oneOf(humanUserTypes), user: text('Id of a user, name of a group') },
  ['userType', 'user'],
);

export const assignmentSchema = object(
  'HumanTaskAssignment',
  { assignee: userOf, slaMinutes: integer('0: no limit') },
  ['assignee'],
);

/** As the task was configured; absent in search results. */
const definitionSchema = object(
  'HumanTaskDefinition',
  {
    displayName: text(),
    assignments: list(assignmentSchema),
    assignmentCompletionStrategy: oneOf(completionStrategies),
    taskTriggers: list(
      object(
        'HumanTaskTrigger',
        { triggerType: oneOf(triggerTypes), startWorkflowRequest: anyObject },
        ['triggerType', 'startWorkflowRequest'],
      ),
    ),
    userFormTemplate: object(
      'UserFormReference',
      { name: text(), version: integer('0: the newest') },
      ['name', 'version'],
    ),
    fullTemplate: userForm.shown.schema,
  },
  ['displayName', 'assignments', 'assignmentCompletionStrategy', 'taskTriggers'],
);

export const entrySchema = object(
  'HumanTaskEntry',
  {
    taskId: text(),
    state: oneOf(humanStates),
    displayName: text(),
    definitionName: text(),
    workflowId: text(),
    workflowName: text(),
    correlationId: text('Business key of the execution; absent: it has none'),
    taskRefName: text(),
    assignee: userOf,
    claimant: userOf,
    humanTaskDef: definitionSchema,
    input: anyObject,
    output: anyObject,
    createdBy: text(),
    updatedBy: text(),
    createdOn: time(),
    updatedOn: time(),
    dueTime: time(
      'When it is due: the end of the limit of its assignment or of a time-out of its own; absent: never, or it has ended',
    ),
  },
  ['taskId', 'state', 'displayName', 'definitionName', 'workflowId', 'workflowName', 'input'],
);

const texts = list(text());

export const searchSchema = object('HumanTaskSearch', {
  searchType: oneOf(['ADMIN', 'INBOX']),
  start: integer(),
  size: integer(),
  states: list(oneOf(humanStates)),
  assignees: list(userOf),
  claimants: list(userOf),
  definitionNames: texts,
  displayNames: texts,
  taskRefNames: texts,
  workflowIds: texts,
  workflowNames: texts,
  fullTextQuery: text('Words over input and output, with AND and OR'),
  taskInputQuery: text('FIELD = VALUE, FIELD IN (v1, v2), with AND and OR'),
  taskOutputQuery: text('As taskInputQuery'),
  updateStartTime: time(),
  updateEndTime: time(),
  sort: oneOf(humanSorts, 'Newest change first when absent; dueTime:ASC: those without behind'),
});

export const searchResultSchema = object(
  'HumanTaskSearchResult',
  {
    totalHits: integer(),
    results: list(entrySchema),
    hits: integer('Entries of this page'),
    start: integer(),
    pageSizeLimit: integer(),
  },
  ['totalHits', 'results', 'hits', 'start', 'pageSizeLimit'],
);
