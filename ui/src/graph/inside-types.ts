// Task types of the server itself, and that of workers.
import {
  field,
  input,
  kind,
  ms,
  old,
  own,
  seconds,
  type TaskField,
  type TaskTypeKind,
} from './task-type';

const languages = ['javascript', 'graaljs', 'value-param', 'python'];
const httpFields: readonly TaskField[] = [
  input.choice('Method', 'http_request.method', {
    options: ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'],
  }),
  input.line('Address', 'http_request.uri'),
  input.map('Headers', 'http_request.headers'),
  input.json('Body', 'http_request.body'),
  input.line('Accepts', 'http_request.accept', { hint: 'application/json unless said' }),
  input.line('Content type', 'http_request.contentType'),
  input.number('Connect within', 'http_request.connectionTimeOut', ms),
  input.number('Answer within', 'http_request.readTimeOut', ms),
  input.texts('Succeeds on', 'http_request.acceptedStatusCodes', { hint: 'Such as 200, 2xx' }),
];
const script = [
  input.choice('Language', 'evaluatorType', { options: languages }),
  input.text('Script', 'expression'),
];
const started = (root: string): readonly TaskField[] => [
  field('line')('Workflow', `${root}.name`),
  field('number')('Version', `${root}.version`, { hint: 'Empty: the newest' }),
  field('map')('Task domains', `${root}.taskToDomain`),
  field('line')('Idempotency key', `${root}.idempotencyKey`),
];

export const insideTypes: readonly TaskTypeKind[] = [
  kind('SIMPLE', 'Work', ['Worker task', 'a worker does it'], [input.map('Values', '')]),
  kind('HTTP', 'Work', ['HTTP', 'calls an address'], httpFields, {
    inputParameters: { http_request: { uri: 'https://example.com', method: 'GET' } },
  }),
  kind(
    'HTTP_POLL',
    'Work',
    ['HTTP poll', 'calls an address until its answer fits'],
    [
      ...httpFields.slice(0, 4),
      input.text('Ends when', 'http_request.terminationCondition'),
      input.number('Asks every', 'http_request.pollingInterval', seconds),
      input.choice('Interval', 'http_request.pollingStrategy', {
        options: ['FIXED', 'LINEAR_BACKOFF', 'EXPONENTIAL_BACKOFF'],
      }),
    ],
    {
      inputParameters: {
        http_request: {
          ...{ uri: 'https://example.com', method: 'GET', pollingInterval: 60 },
          ...{ pollingStrategy: 'FIXED', terminationCondition: "$.output.response.body == 'done'" },
        },
      },
    },
  ),
  kind('INLINE', 'Work', ['Script', 'runs a script'], script, {
    inputParameters: { evaluatorType: 'javascript', expression: '1 + 1' },
  }),
  kind(
    'JSON_JQ_TRANSFORM',
    'Work',
    ['jq', 'transforms JSON'],
    [input.text('Query', 'queryExpression')],
    { inputParameters: { queryExpression: '.' } },
  ),
  kind(
    'HUMAN',
    'Work',
    ['Human', 'a person does it'],
    [
      input.line('Title', '__humanTaskDefinition.displayName'),
      input.line('Form', '__humanTaskDefinition.userFormTemplate.name'),
      input.number('Version of the form', '__humanTaskDefinition.userFormTemplate.version'),
      input.choice('When nobody is left', '__humanTaskDefinition.assignmentCompletionStrategy', {
        options: ['LEAVE_OPEN', 'TERMINATE'],
      }),
      input.json('Assigned to', '__humanTaskDefinition.assignments'),
      input.flag('The first one claims it', '__humanTaskDefinition.autoClaim'),
    ],
  ),
  kind('EVENT', 'Work', ['Event', 'sends an event'], [own.line('Sink', 'sink')], {
    ...{ sink: 'conductor:queue', inputParameters: {} },
  }),
  kind(
    'SWITCH',
    'Flow',
    ['Switch', 'chooses a case'],
    [
      own.choice('Language', 'evaluatorType', { options: languages }),
      own.text('Expression', 'expression', { hint: 'value-param: the name of a value' }),
    ],
  ),
  old(
    kind(
      'DECISION',
      'Flow',
      ['Decision', 'chooses a case'],
      [
        own.line('Case from the value', 'caseValueParam'),
        own.text('Case script', 'caseExpression'),
      ],
    ),
  ),
  kind('FORK_JOIN', 'Flow', ['Fork and join', 'runs branches side by side']),
  kind(
    'FORK_JOIN_DYNAMIC',
    'Flow',
    ['Fork per item', 'runs a task for each item of a list'],
    [
      input.line('Task of each item', 'forkTaskName'),
      input.line('Its type', 'forkTaskType', { hint: 'SIMPLE unless said' }),
      input.line('Workflow of each item', 'forkTaskWorkflow'),
      input.line('Items', 'forkTaskInputs'),
      own.line('Value with the tasks', 'dynamicForkTasksParam'),
      own.line('Value with what they get', 'dynamicForkTasksInputParamName'),
    ],
  ),
  kind(
    'JOIN',
    'Flow',
    ['Join', 'waits for branches'],
    [
      own.texts('Waits for', 'joinOn', { hint: 'Reference names, with commas' }),
      own.choice('Mode', 'joinMode', { options: ['SYNC', 'ASYNC'] }),
      own.text('Joined when', 'expression'),
    ],
  ),
  kind(
    'EXCLUSIVE_JOIN',
    'Flow',
    ['Exclusive join', 'goes on with the branch that ran'],
    [
      own.texts('Waits for', 'joinOn', { hint: 'Reference names, with commas' }),
      own.texts('Otherwise', 'defaultExclusiveJoinTask'),
    ],
  ),
  kind(
    'DO_WHILE',
    'Flow',
    ['Loop', 'repeats tasks'],
    [own.text('Repeat while', 'loopCondition'), own.line('Or once for each of', 'items')],
  ),
  kind(
    'SUB_WORKFLOW',
    'Flow',
    ['Sub-workflow', 'runs another workflow'],
    [...started('subWorkflowParam'), own.line('Priority', 'subWorkflowParam.priority')],
    { subWorkflowParam: { name: 'name of the workflow' } },
  ),
  kind(
    'WAIT',
    'Flow',
    ['Wait', 'waits for a time'],
    [
      input.line('For', 'duration', { hint: 'Such as 2 hours 30 minutes' }),
      input.line('Until', 'until', { hint: 'Such as 2027-01-31 09:00 UTC' }),
    ],
    { inputParameters: { duration: '5 seconds' } },
  ),
  kind(
    'WAIT_FOR_WEBHOOK',
    'Flow',
    ['Wait for a webhook', 'goes on when a call comes that fits'],
    [input.map('Fits', 'matches', { hint: 'JSON path and value' })],
    { inputParameters: { matches: {} } },
  ),
  kind('YIELD', 'Flow', ['Yield', 'answers the caller and waits for a signal']),
  kind('SET_VARIABLE', 'Flow', ['Set variables', 'keeps variables'], [input.map('Variables', '')], {
    inputParameters: {},
  }),
  kind(
    'TERMINATE',
    'Flow',
    ['Terminate', 'ends the execution'],
    [
      input.choice('Ends as', 'terminationStatus', {
        options: ['COMPLETED', 'FAILED', 'TERMINATED'],
      }),
      input.line('Reason', 'terminationReason'),
      input.json('With the output', 'workflowOutput'),
    ],
    { inputParameters: { terminationStatus: 'COMPLETED' } },
  ),
  kind('NOOP', 'Flow', ['Nothing', 'does nothing']),
  kind(
    'DYNAMIC',
    'Flow',
    ['Task by name', 'a value says which task it is'],
    [own.line('Value with its name', 'dynamicTaskNameParam')],
    {
      ...{ dynamicTaskNameParam: 'taskToExecute' },
      inputParameters: { taskToExecute: 'name_of_the_task' },
    },
  ),
  kind(
    'PULL_WORKFLOW_MESSAGES',
    'Flow',
    ['Take messages', 'takes what was sent to the execution'],
    [input.number('At most', 'batchSize'), input.flag('Waits for one', 'blocking')],
  ),
  old(
    kind('LAMBDA', 'Work', ['Lambda', 'runs a script'], [input.text('Script', 'scriptExpression')]),
  ),
  kind(
    'START_WORKFLOW',
    'Executions',
    ['Start a workflow', 'starts one and goes on'],
    [
      ...started('inputParameters.startWorkflow'),
      input.line('Business key', 'startWorkflow.correlationId'),
      input.json('Given to it', 'startWorkflow.input'),
    ],
    { inputParameters: { startWorkflow: { name: 'name of the workflow' } } },
  ),
  kind(
    'GET_WORKFLOW',
    'Executions',
    ['Read an execution', 'its state as output'],
    [input.line('Id', 'id'), input.flag('With its tasks', 'includeTasks')],
    { inputParameters: { id: '${workflow.input.id}' } },
  ),
  kind(
    'TERMINATE_WORKFLOW',
    'Executions',
    ['Terminate executions', 'ends other executions'],
    [
      input.texts('Ids', 'workflowId'),
      input.line('Reason', 'terminationReason'),
      input.flag('With their failure workflows', 'triggerFailureWorkflow'),
    ],
    { inputParameters: { workflowId: ['${workflow.input.id}'] } },
  ),
  kind(
    'UPDATE_TASK',
    'Executions',
    ['Complete a task', 'ends a task of another execution'],
    [
      input.choice('As', 'taskStatus', {
        options: ['COMPLETED', 'FAILED', 'FAILED_WITH_TERMINAL_ERROR'],
      }),
      input.line('Task id', 'taskId'),
      input.line('Or execution', 'workflowId'),
      input.line('And reference', 'taskRefName'),
      input.map('Output', 'taskOutput'),
      input.flag('Added to its output', 'mergeOutput'),
    ],
    { inputParameters: { taskStatus: 'COMPLETED', taskId: '${workflow.input.taskId}' } },
  ),
  kind(
    'QUERY_PROCESSOR',
    'Executions',
    ['Search executions', 'what a search finds, as output'],
    [
      input.choice('Kind', 'queryType', { options: ['CONDUCTOR_API', 'METRICS'] }),
      input.texts('Workflows', 'workflowNames'),
      input.texts('Statuses', 'statuses'),
      input.texts('Business keys', 'correlationIds'),
      input.number('Started since', 'startTimeFrom', { hint: 'Minutes back' }),
      input.line('Text', 'freeText'),
      input.line('Metrics query', 'metricsQuery'),
    ],
    { inputParameters: { queryType: 'CONDUCTOR_API' } },
  ),
];
