// QUERY_PROCESSOR (semantics 4.23): searches for executions with the rights of who started this
// one, or asks the server that keeps the metrics (setting metricsServerUrl).
import { isMap, type Json, type JsonMap } from '../model/json.js';
import { numberFrom, parseJson, textFrom } from '../model/json-text.js';
import { isGiven } from '../engine/task-types/checks.js';
import { OutboundError } from './outbound-error.js';
import { requireStarter } from './starter.js';
import {
  failed,
  runningTask,
  type SystemTaskServices,
  type SystemTaskType,
  type TaskOutcome,
  type TaskRun,
} from './system-task.js';

/** Executions in one output. */
const workflowsMax = 200;
const metricsTimeoutMs = 30_000;
const minuteMs = 60_000;

export const queryProcessorTask: SystemTaskType = runningTask({
  name: 'QUERY_PROCESSOR',
  reaches: [{ right: 'READ', target: 'WORKFLOW_DEF', named: 'those that the search finds' }],
  needs: ['starter', 'searchWorkflows', 'clock', 'client', 'metricsServerUrl'],
  async run(services, run) {
    const type = textFrom(run.input['queryType'] ?? '').toUpperCase();
    if (type === 'CONDUCTOR_API') return await searched(services, run);
    if (type === 'METRICS') return await measured(services, run);
    return failed('queryType must be CONDUCTOR_API or METRICS');
  },
});

type Services = Pick<
  SystemTaskServices,
  'starter' | 'searchWorkflows' | 'clock' | 'client' | 'metricsServerUrl'
>;

async function searched(services: Services, { input, startedBy }: TaskRun): Promise<TaskOutcome> {
  const caller = requireStarter(services.starter, { startedBy });
  const now = services.clock.now();
  const conditions = [
    isOneOf('workflowType', input['workflowNames']),
    isOneOf('correlationId', input['correlationIds']),
    isOneOf('status', input['statuses']),
    ...['startTime', 'endTime'].flatMap((field) => [
      isBeyond(field, '>=', input[`${field}From`], now),
      isBeyond(field, '<=', input[`${field}To`], now),
    ]),
  ].filter((condition) => condition !== undefined);
  const { freeText } = input;
  const query = conditions.length === 0 ? undefined : conditions.join(' AND ');
  const { totalHits, results } = await services.searchWorkflows({
    caller,
    ...{ start: 0, size: workflowsMax, sort: 'startTime:DESC', query },
    freeText: typeof freeText === 'string' && freeText !== '' ? freeText : undefined,
    ...{ classifiers: [], topLevelOnly: false },
  });
  const workflows = results.map((text) => parseJson(text));
  const workflowsUrl = `/executions?${new URLSearchParams({ query: query ?? '' }).toString()}`;
  const result = { totalHits, count: workflows.length, workflowsUrl, workflows };
  return { status: 'COMPLETED', output: { result } };
}

/** undefined: any. */
function isOneOf(field: string, given: Json | undefined): string | undefined {
  const values = (Array.isArray(given) ? given : [given ?? '']).map(String).filter(Boolean);
  if (values.length === 0) return undefined;
  const quoted = values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`);
  return `${field} IN (${quoted.join(',')})`;
}

/** `minutes` count back from now; undefined: any time. */
function isBeyond(
  field: string,
  sign: '<=' | '>=',
  minutes: Json | undefined,
  now: number,
): string | undefined {
  const given = isGiven(minutes) && minutes !== '' ? numberFrom(minutes) : Number.NaN;
  return given >= 0 ? `${field} ${sign} ${Math.round(now - given * minuteMs)}` : undefined;
}

async function measured(services: Services, { input, signal }: TaskRun): Promise<TaskOutcome> {
  const { client, clock, metricsServerUrl } = services;
  if (metricsServerUrl === '') {
    return failed('There is no server of metrics to ask (setting metricsServerUrl)');
  }
  const { metricsQuery } = input;
  if (typeof metricsQuery !== 'string' || metricsQuery === '') {
    return failed('Missing input metricsQuery');
  }
  const url = new URL(`${metricsServerUrl.replace(/\/$/, '')}/api/v1/query_range`);
  const now = clock.now();
  url.search = new URLSearchParams({
    query: metricsQuery,
    start: momentOf(input['metricsStart'], now, 15),
    end: momentOf(input['metricsEnd'], now, 0),
    step: textFrom(input['metricsStep'] ?? 60),
  }).toString();
  try {
    const { statusCode, body } = await client.request({
      ...{ url, method: 'GET', body: undefined, followRedirects: false, signal },
      headers: new Map([['accept', 'application/json']]),
      ...{ connectTimeoutMs: metricsTimeoutMs, readTimeoutMs: metricsTimeoutMs },
    });
    const result = jsonOf(body);
    if (statusCode === 200 && result !== undefined) {
      return { status: 'COMPLETED', output: { result } };
    }
    return failed(`The server of metrics answered with status ${statusCode}`, {
      result: result ?? {},
    });
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return failed(`The server of metrics cannot be asked: ${error.message}`);
  }
}

/** Minutes back from now, or a moment as it is; epoch seconds. */
function momentOf(given: Json | undefined, now: number, minutes: number): string {
  const value = isGiven(given) && given !== '' ? given : minutes;
  const back = numberFrom(value);
  return Number.isNaN(back) ? textFrom(value) : String((now - back * minuteMs) / 1000);
}

function jsonOf(body: Buffer): JsonMap | undefined {
  try {
    const value = parseJson(body.toString('utf8'));
    return isMap(value) ? value : undefined;
  } catch {
    return undefined; // Not JSON: the status says what there is to say.
  }
}
