// A task whose large members are cut (contract-core 15.4): a JOIN of 10,000 branches has 10 MB of
// output, and who looks at it wants to see that and the beginning. A member that is cut is absent
// and named in `cut`, so that nobody takes a part for the whole.
import type { Task } from '../model/execution.js';
import type { Json, JsonMap } from '../model/json.js';
import { parseJson, toJsonText } from '../model/json-text.js';
import { Payload } from '../model/payload.js';
import { toTaskJson } from '../model/task-json.js';
import type { OpenExecution } from '../engine/open-execution.js';
import { shownPayloads } from './execution-view.js';

/** Members that may be large. */
const others = ['workflowTask', 'taskDefinition', 'executionMetadata'] as const;

/**
 * JSON text of the Task, in which each payload and description has at most `bytesMax` bytes. `now`:
 * epoch ms.
 */
export function cutTaskText(
  open: OpenExecution,
  task: Task,
  { bytesMax, now }: { bytesMax: number; now: number },
): string {
  const { input, output } = shownPayloads(open, task);
  const cut: JsonMap = {};
  const kept = (name: string, payload: Payload): Payload => {
    const shown = cutText(payload.text, bytesMax);
    if (shown === undefined) return payload;
    cut[name] = shown;
    return Payload.empty;
  };
  const payloads = { inputData: kept('inputData', input), outputData: kept('outputData', output) };
  // Payloads that are cut are never a part of this text.
  const text = toTaskJson(open.execution, task, payloads.inputData, payloads.outputData, now);
  const shown = parseJson(text) as JsonMap;
  for (const name of others) {
    const member = cutText(toJsonText(shown[name] ?? null), bytesMax);
    if (member !== undefined) cut[name] = member;
  }
  const isKept = ([name]: [string, Json]): boolean => !Object.hasOwn(cut, name);
  const left = Object.fromEntries(Object.entries(shown).filter(isKept));
  return toJsonText(Object.keys(cut).length === 0 ? left : { ...left, cut });
}

/** Its size and beginning; undefined when it has no more than `bytesMax` bytes. */
function cutText(text: string, bytesMax: number): JsonMap | undefined {
  if (text.length * 3 <= bytesMax) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= bytesMax) return undefined;
  // A character that the bound divides is left out.
  const begin = Buffer.from(text.slice(0, bytesMax)).subarray(0, bytesMax);
  return { bytes, text: begin.toString('utf8').replace(/\uFFFD$/, '') };
}
