// Settings of executions and their queues: limits of one execution and its payloads, of polls, of
// starts and of user scripts; rules for definitions.
import { flag, integer, list, text } from './setting.js';

const mebibyte = 1024 ** 2;

export const executionSettings = {
  tasksPerExecutionMax: integer('Task records of one execution', 100_000, 10),
  executionBytesMax: integer(
    'Inputs and outputs of all tasks of one execution, bytes of JSON',
    134_217_728,
    65_536,
  ),
  childDepthMax: integer('Depth of workflows that start each other', 32, 1, 1000),
  itemsPerStepMax: integer('Steps of one execution before others get their turn', 60, 1, 100_000),
  longWorkPercentMax: integer(
    "Share of the node's time that loops, forks and starts ordered by executions may take while other callers are active, per cent",
    25,
    1,
    100,
  ),
  variablesBytesMax: integer('Variables of one execution, bytes of JSON', 256 * 1024, 1024),
  taskPayloadBytesMax: integer('Input or output of a task, bytes of JSON', 10_240 * 1024, 1024),
  workflowPayloadBytesMax: integer(
    'Input or output of an execution, bytes of JSON',
    10_240 * 1024,
    1024,
  ),
  valueDepthMax: integer('Lists and maps inside each other in one payload', 500, 64, 1000),
  valueKeysMax: integer('Keys of one map in a payload', 100_000, 100),
  valueKeyBytesMax: integer('Bytes of one key in a payload', 64 * 1024, 256),
  valueCountMax: integer('Values in one payload, lists and maps counted', 2_000_000, 1000),
  'service.workflow-message-queue.enabled': flag('Serves POST /workflow/{id}/messages', true),
  messagesMax: integer('Messages that may wait at one execution', 1000, 1, 100_000),
  historyEntriesMax: integer(
    'Controls and edits that the history of an execution keeps; the oldest go',
    200,
    1,
    10_000,
  ),
  logLinesPerTaskMax: integer('Log lines kept per task', 1000, 1),
  settleTimeoutMs: integer(
    'How long a control waits for its effects on parents and children, ms',
    5000,
    0,
  ),
  startsPerSecondMax: integer(
    'Executions that callers may start per second at this node, beyond it 429; 0 = any',
    0,
    0,
  ),
  callerStartsPerSecondMax: integer(
    'Executions that one caller may start per second at this node, beyond it 429; starts that those order count too, and wait; 0 = any',
    0,
    0,
  ),
  definitionStartsPerSecondMax: integer(
    'Executions of one definition that may be started per second at this node, as above; 0 = any',
    0,
    0,
  ),
  definitionOpenExecutionsMax: integer(
    'Executions of one definition that may be open in the cluster, beyond it callers who are no administrators get 429, and starts that executions order wait, 60 s at most; 0 = any',
    1_000_000,
    0,
  ),
  callerOpenExecutionsMax: integer(
    'Executions that one caller, or what that caller started, has started and that may be open in the cluster, beyond it as above; 0 = any',
    2_000_000,
    0,
  ),
  definitionOpenTasksMax: integer(
    'Tasks that may be open in the cluster of executions of one definition, beyond it as above; a fork beyond it fails its execution; 0 = any',
    5_000_000,
    0,
  ),
  callerOpenTasksMax: integer(
    'Tasks that may be open in the cluster of what one caller started, as above; 0 = any',
    10_000_000,
    0,
  ),
  definitionStoredBytesMax: integer(
    'Bytes that executions of one definition may hold in the cluster, finished ones included, beyond it starts are refused or wait as above; 0 = any',
    256 * 1024 * mebibyte,
    0,
  ),
  callerStoredBytesMax: integer(
    'Bytes that what one caller started may hold in the cluster, as above; 0 = any',
    256 * 1024 * mebibyte,
    0,
  ),
  callerWeights: list(
    'Weights of callers where they share the time of scripts, of loops and forks, and of large reports, SUBJECT=WEIGHT with a weight from 1 to 100, such as app:7f3=4; the others have 1',
  ),
  callerParkedPollsMax: integer(
    'Long polls of one caller that may wait at this node; beyond it 429',
    10_000,
    1,
  ),
  parkedPollsMax: integer('Long polls that may wait at this node', 50_000, 1),
  pollTimeoutMsMax: integer(
    'Longest wait that a batch poll may ask for, ms; beyond it 400. A domain counts as active for twice as long after a poll of it, 10 s at least',
    5000,
    100,
    60_000,
  ),
  pollCountMax: integer('Tasks per batch poll', 1000, 1, 10_000),
  readyHeldMax: integer(
    'Ready tasks of a queue that are held in memory for polls; more are read from Redis when needed',
    100_000,
    0,
  ),
  scriptTimeMsMax: integer('Time of a user script, ms', 4000, 10),
  scriptMemoryBytesMax: integer('Memory of a user script, bytes', 32 * mebibyte, mebibyte),
  scriptOutputBytesMax: integer('Result of a user script, bytes of JSON', 4 * mebibyte, 1024),
  callerScriptMsPerSecondMax: integer(
    'Time that the scripts of executions that one caller started may take per second in the processes for scripts of this node, ms; further ones wait; 0 = any',
    0,
    0,
  ),
  definitionScriptMsPerSecondMax: integer(
    'Time that the scripts of one definition may take so, ms; 0 = any',
    0,
    0,
  ),
  scriptWorkers: integer('Processes for user scripts', 2, 1, 64),
  objectsInText: text('Objects inside a longer text of an expression', 'json', ['json', 'java']),
  ownerEmailRequired: flag('Definitions need an ownerEmail', false),
  nameValidation: flag(
    'Workflow names may only hold letters, digits, blanks and _ - < > { } #',
    false,
  ),
  environmentNames: list(
    'Environment variables that definitions may read as ${NAME} or ${workflow.env.NAME}',
  ),
} as const;
