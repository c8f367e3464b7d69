// HTTP_POLL (semantics 4.23): the request of an HTTP task, repeated until its answer fulfils the
// task's condition. Between two polls the task is IN_PROGRESS with the newest answer as its output
// and waits for the moment of its next run, which the engine keeps with the record.
//
// Beside the fields of HTTP, `http_request` has `terminationCondition` (JavaScript over
// `$.output.response` and `$.<ref>.output` of earlier tasks; without one the first accepted answer
// completes the task), `pollingInterval` (seconds) and `pollingStrategy`. Each poll carries its own
// idempotency key: a peer that replays answers by key would repeat the first one for ever.
import type { ScriptResult } from '../engine/script.js';
import { outputOf } from '../engine/derived-payloads.js';
import { scriptReads } from '../engine/expression/script-reads.js';
import { scriptErrorText, toCondition } from '../engine/expression/script-values.js';
import { checkScript } from '../engine/task-types/checks.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { isMap, type Json, type JsonMap } from '../model/json.js';
import { checkHttpFields, createHttpTask, httpTask } from './http.js';
import { fieldsOf, HttpInputError } from './http-request.js';
import { numberFrom } from './task-input.js';
import {
  failed,
  systemTaskType,
  type SystemTask,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskOutcome,
  type TaskRun,
} from './system-task.js';

const strategies = {
  FIXED: () => 1,
  LINEAR_BACKOFF: (pollCount: number) => pollCount,
  EXPONENTIAL_BACKOFF: (pollCount: number) => 2 ** pollCount,
} as const;
type Strategy = keyof typeof strategies;

const intervalSecondsDefault = 60;
/** However far a strategy backs off. */
const intervalSecondsMax = 86_400;

const parts = [
  'client',
  'requestTimeMsMax',
  'instance',
  'executions',
  'evaluate',
  'httpPollIntervalSecondsMin',
] as const;
type Parts = Pick<SystemTaskServices, (typeof parts)[number]>;

export const httpPollTask: SystemTaskType = systemTaskType({
  ...httpTask,
  name: 'HTTP_POLL',
  check: (config, rules) => [
    ...httpTask.check(config, rules),
    ...checkHttpFields(config, { pollingInterval: numberFrom(0) }),
    ...literals(config.inputParameters, 'terminationCondition').flatMap((source) =>
      checkScript(config, source, rules),
    ),
    ...literals(config.inputParameters, 'pollingStrategy')
      .filter((name) => !isStrategy(name))
      .map((name) => `${unknownStrategy(name)} taskName: ${config.name}`),
  ],
  needs: parts,
  create: createHttpPollTask,
});

export function createHttpPollTask(parts: Parts): SystemTask {
  const http = createHttpTask(parts);
  return {
    ...http,
    async run(run) {
      const pollCount = run.pollCount + 1;
      let polling: Polling;
      try {
        polling = parsePolling(run.input);
      } catch (error) {
        if (!(error instanceof HttpInputError)) throw error;
        return { ...failed(error.message), workerId: parts.instance };
      }
      const attemptKey = `${run.attemptKey}:${pollCount}`;
      const answer = await http.run({ ...run, attemptKey, asyncComplete: false });
      if (answer.status !== 'COMPLETED') return answer;
      const verdict = await judge(parts, run, { condition: polling.condition, answer });
      if (verdict.kind !== 'value') return broken(polling.condition, answer, verdict);
      if (toCondition(verdict.value)) {
        return { ...answer, status: run.asyncComplete ? 'IN_PROGRESS' : 'COMPLETED' };
      }
      const callbackAfterSeconds = secondsToNextPoll(
        polling,
        pollCount,
        parts.httpPollIntervalSecondsMin,
      );
      return { ...answer, status: 'IN_PROGRESS', callbackAfterSeconds };
    },
  };
}

interface Polling {
  /** Empty: the first accepted answer is the last. */
  readonly condition: string;
  readonly strategy: Strategy;
  readonly intervalSeconds: number;
}

/** Throws HttpInputError. */
function parsePolling(input: JsonMap): Polling {
  const { terminationCondition, pollingInterval, pollingStrategy } = fieldsOf(input);
  const strategy = textOf(pollingStrategy).toUpperCase() || 'FIXED';
  if (!isStrategy(strategy)) throw new HttpInputError(unknownStrategy(strategy));
  const given = textOf(pollingInterval);
  const intervalSeconds = given === '' ? intervalSecondsDefault : Number(given);
  if (!(intervalSeconds >= 0)) {
    throw new HttpInputError(`pollingInterval must be a number of seconds, not ${given}`);
  }
  return { condition: textOf(terminationCondition), strategy, intervalSeconds };
}

function secondsToNextPoll(
  { strategy, intervalSeconds }: Polling,
  pollCount: number,
  secondsMin: number,
): number {
  const seconds = Math.max(intervalSeconds, secondsMin) * strategies[strategy](pollCount);
  return Math.min(seconds, intervalSecondsMax);
}

async function judge(
  { executions, evaluate }: Parts,
  run: TaskRun,
  { condition, answer }: { condition: string; answer: TaskOutcome },
): Promise<ScriptResult> {
  if (condition === '') return { kind: 'value', value: true };
  const refs = readRefs(condition);
  const earlier =
    refs.length === 0 ? {} : await executions.read(run.workflowId, (open) => outputsOf(open, refs));
  const input = { ...earlier, output: answer.output };
  return await evaluate({ language: 'javascript', source: condition, input: () => input });
}

/** Tasks that the condition reads; none where its text does not tell. */
function readRefs(condition: string): string[] {
  const names = (scriptReads(condition) ?? []).map((read) => read.split('.', 1)[0] as string);
  return [...new Set(names)].filter((name) => name !== 'output');
}

function outputsOf(open: OpenExecution, refs: readonly string[]): JsonMap {
  const outputs: JsonMap = {};
  for (const ref of refs) {
    const task = open.lastByPlainRef(ref);
    if (task !== undefined) outputs[ref] = { output: outputOf(open, task).value };
  }
  return outputs;
}

/** A condition that fails would fail again: its text is what must change. A limit may pass. */
function broken(
  condition: string,
  answer: TaskOutcome,
  result: Exclude<ScriptResult, { kind: 'value' }>,
): TaskOutcome {
  const reason = `Unable to evaluate condition ${condition}, exception ${scriptErrorText(result)}`;
  const status = result.kind === 'limit' ? 'FAILED' : 'FAILED_WITH_TERMINAL_ERROR';
  return { ...answer, status, reason };
}

/** The texts that a configuration gives for a field and that hold no expression. */
function literals(parameters: JsonMap, name: string): string[] {
  const inner = parameters['http_request'];
  const value = isMap(inner) ? inner[name] : parameters[name];
  return typeof value === 'string' && value.trim() !== '' && !value.includes('${') ? [value] : [];
}

function isStrategy(name: string): name is Strategy {
  return Object.hasOwn(strategies, name.toUpperCase());
}

function unknownStrategy(name: string): string {
  return `pollingStrategy must be one of ${Object.keys(strategies).join(', ')}, not ${name}`;
}

function textOf(value: Json | undefined): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' ? String(value) : '';
}
