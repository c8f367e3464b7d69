// Parsing of a mock that a test gives to a test server (docs/test-server.md). Strict, unlike other
// bodies of this API: a field that nobody reads would make a test pass for the wrong reason.
import { AppError } from './errors.js';
import { isMap, type JsonMap } from './json.js';

/** IN_PROGRESS: the attempt stays open until somebody reports or a timeout comes. */
export const mockStatuses = [
  'COMPLETED',
  'FAILED',
  'FAILED_WITH_TERMINAL_ERROR',
  'TIMED_OUT',
  'IN_PROGRESS',
] as const;
export type MockStatus = (typeof mockStatuses)[number];

/** How a mocked attempt ends. */
export interface MockOutcome {
  readonly status: MockStatus;
  readonly output: JsonMap;
  readonly reasonForIncompletion?: string;
  /** Between its start and its end. */
  readonly delayMs: number;
}

/** Which tasks a mock stands for: all that fit every field given. */
export interface MockSelector {
  readonly workflowName?: string;
  readonly workflowVersion?: number;
  readonly workflowId?: string;
  readonly correlationId?: string;
  /** With the suffix of an iteration it means that iteration, without one all of them. */
  readonly taskReferenceName?: string;
  readonly taskName?: string;
  readonly taskType?: string;
}

export interface TaskMockRequest extends MockSelector {
  /** Of the first attempt, the second, and so on; the last one repeats. Never empty. */
  readonly attempts: readonly MockOutcome[];
}

/** A year and a day, as the longest move of the clock. */
const delayMsMax = 366 * 86_400_000;
const attemptsMax = 100;
const textCharsMax = 1000;

const selectorTexts = [
  'workflowName',
  'workflowId',
  'correlationId',
  'taskReferenceName',
  'taskName',
  'taskType',
] as const;
const taskFields = ['taskReferenceName', 'taskName', 'taskType'] as const;
const outcomeFields = ['status', 'output', 'reasonForIncompletion', 'delayMs'] as const;

/** Types that hold the flow together; their record has no outcome that could be another one. */
const unmockable: ReadonlySet<string> = new Set([
  'FORK_JOIN',
  'FORK_JOIN_DYNAMIC',
  'FORK',
  'JOIN',
  'EXCLUSIVE_JOIN',
  'TERMINATE',
  'DYNAMIC',
]);

/** Throws AppError 'bad-request' that names the field and its rule. */
export function parseTaskMock(body: JsonMap): TaskMockRequest {
  refuseUnknown(body, [...selectorTexts, 'workflowVersion', 'attempts', ...outcomeFields], '');
  const selector: Record<string, string | number> = {};
  for (const name of selectorTexts) {
    const value = body[name];
    if (value !== undefined) selector[name] = textOf(value, name);
  }
  if (body['workflowVersion'] !== undefined) {
    selector['workflowVersion'] = wholeOf(body['workflowVersion'], 'workflowVersion', 1, 2 ** 31);
  }
  if (taskFields.every((name) => selector[name] === undefined)) {
    throw wrong(`one of ${quoted(taskFields)} must say which tasks the mock stands for`);
  }
  const { taskType } = selector;
  if (typeof taskType === 'string' && unmockable.has(taskType)) {
    throw wrong(
      `'taskType' must not be ${taskType}: no mock can stand for a task of this type. Mock the tasks around it`,
    );
  }
  return { ...selector, attempts: attemptsOf(body) };
}

function attemptsOf(body: JsonMap): readonly MockOutcome[] {
  const { attempts } = body;
  const beside = outcomeFields.filter((name) => body[name] !== undefined);
  if (attempts === undefined) return [outcomeOf(body, '')];
  if (beside.length > 0) {
    throw wrong(`'${beside[0]}' must stand in 'attempts' when 'attempts' is given`);
  }
  if (!Array.isArray(attempts) || attempts.length === 0 || attempts.length > attemptsMax) {
    throw wrong(`'attempts' must be a list of 1 to ${attemptsMax} outcomes`);
  }
  return attempts.map((each, index) => {
    const path = `attempts[${index}]`;
    if (!isMap(each)) throw wrong(`'${path}' must be an object`);
    refuseUnknown(each, outcomeFields, `${path}.`);
    return outcomeOf(each, `${path}.`);
  });
}

function outcomeOf(fields: JsonMap, path: string): MockOutcome {
  const { status = 'COMPLETED', output = {}, reasonForIncompletion: reason, delayMs = 0 } = fields;
  const known = mockStatuses.find((each) => each === status);
  if (known === undefined) throw wrong(`'${path}status' must be one of ${mockStatuses.join(', ')}`);
  if (!isMap(output)) throw wrong(`'${path}output' must be an object`);
  return {
    status: known,
    output,
    ...(reason === undefined
      ? {}
      : { reasonForIncompletion: textOf(reason, `${path}reasonForIncompletion`) }),
    delayMs: wholeOf(delayMs, `${path}delayMs`, 0, delayMsMax),
  };
}

function refuseUnknown(fields: JsonMap, known: readonly string[], path: string): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw wrong(`'${path}${unknown}' is no field of a mock. Its fields are ${known.join(', ')}`);
}

function textOf(value: unknown, path: string): string {
  if (typeof value === 'string' && value !== '' && value.length <= textCharsMax) return value;
  throw wrong(`'${path}' must be a text of 1 to ${textCharsMax} characters`);
}

function wholeOf(value: unknown, path: string, least: number, most: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) {
    return value;
  }
  throw wrong(`'${path}' must be a whole number from ${least} to ${most}`);
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `'${name}'`).join(', ');
}

function wrong(rule: string): AppError {
  return new AppError('bad-request', rule);
}
