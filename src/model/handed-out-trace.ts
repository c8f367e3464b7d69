// How the task that a worker is handed carries the trace of its execution (docs/tracing.md): in
// `executionMetadata.additionalContext`, where the field's SDKs find it. The text of such a task
// begins with that member, and the member with the trace, so the endpoint that answers with one
// task finds what its headers must hold. For a task without a trace it compares one character.
import { readContext, traceHeaders, type TraceContext } from '../telemetry/trace-context.js';
import { isMap, type JsonMap } from './json.js';
import { toJsonText } from './json-text.js';

const before = '{"executionMetadata":{"additionalContext":{"traceparent":"';
const traceparentChars = 55;
const statePattern = /,"tracestate":("(?:[^"\\]|\\.)*")/y;
/** Texts of other tasks begin with `taskId`. */
const tracedStart = before.charCodeAt(2);

/**
 * The text with which a traced task begins: `executionMetadata` with what workers of earlier
 * attempts left there, in both spellings that the field's SDKs read.
 */
export function tracedStartOf(metadata: JsonMap | undefined, trace: TraceContext): string {
  const { additionalContext } = metadata ?? {};
  const others =
    additionalContext !== undefined && isMap(additionalContext) ? additionalContext : {};
  const context = [
    ...traceHeaders(trace).map(([name, value]) => memberOf(name, value)),
    ...membersOf(others, ['traceparent', 'tracestate']),
  ].join(',');
  const rest = membersOf(metadata ?? {}, ['additionalContext', 'empty', 'additionalContextMap']);
  const members = [
    `"additionalContext":{${context}}`,
    ...rest,
    `"empty":false,"additionalContextMap":{${context}}`,
  ];
  return `{"executionMetadata":{${members.join(',')}}`;
}

/** The trace of a task, from its text; undefined: it has none. */
export function traceOfTaskText(text: string): TraceContext | undefined {
  if (text.charCodeAt(2) !== tracedStart || !text.startsWith(before)) return undefined;
  const end = before.length + traceparentChars;
  statePattern.lastIndex = end + 1;
  const state = statePattern.exec(text)?.[1];
  const tracestate = state === undefined ? '' : (JSON.parse(state) as string);
  return readContext(text.slice(before.length, end), tracestate);
}

function membersOf(map: JsonMap, except: readonly string[]): string[] {
  return Object.entries(map)
    .filter(([name]) => !except.includes(name))
    .map(([name, value]) => memberOf(name, value));
}

function memberOf(name: string, value: JsonMap[string]): string {
  return `${toJsonText(name)}:${toJsonText(value)}`;
}
