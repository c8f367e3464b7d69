// The thread of large-bodies.ts: checks, parses and writes large bodies, one after the other. It
// reads them as the server reads small ones, and keeps as text what the server itself would write:
// equal values have equal texts, whichever way they came.
import { parentPort, workerData } from 'node:worker_threads';
import { excessOf } from '../engine/expression/bounds.js';
import { AppError } from '../model/errors.js';
import { isMap, ownValue } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import { bufferOf, ownBytes } from '../std/own-bytes.js';
import { readJson } from './json-body.js';
import type { LargeBodyAnswer, LargeBodyLimits, LargeBodyTask } from './large-bodies.js';

const { json, values, keptBytesMax } = workerData as LargeBodyLimits;

/** Members beside the large one that go on as values: a copy of more would take long as well. */
const restCharsMax = 64 * 1024;

parentPort?.on('message', ({ pieces, member }: LargeBodyTask) => {
  const body = pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  const answer = answerOf(body, member);
  const bytes = answer.kind === 'read' ? answer.kept : body;
  const handedOver = answer.kind === 'refused' ? [] : [bytes.buffer as ArrayBuffer];
  parentPort?.postMessage(answer, handedOver);
});

function answerOf(body: Uint8Array, member: string): LargeBodyAnswer {
  try {
    const map = readJson(bufferOf(body), json);
    // A body beyond a limit is refused, or ends its task, with the words for small bodies.
    const large = isMap(map) ? ownValue(map, member) : undefined;
    if (!isMap(map) || !isMap(large)) return { kind: 'unusual', body };
    const { [member]: _, ...rest } = map;
    if (excessOf(rest, restCharsMax, values) !== undefined) return { kind: 'unusual', body };
    if (excessOf(large, keptBytesMax, values) !== undefined) return { kind: 'unusual', body };
    const kept = ownBytes(Buffer.from(toJsonText(large)));
    if (kept.length > keptBytesMax) return { kind: 'unusual', body };
    return { kind: 'read', rest, kept };
  } catch (error) {
    if (error instanceof AppError) return { kind: 'refused', message: error.message };
    throw error;
  }
}
