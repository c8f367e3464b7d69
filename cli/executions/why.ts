// Why an execution does not go on. This server explains it; of another one the open tasks and the
// queues are read, and the same is said from those.
import type { ApiClient } from '../shared/api-client.js';
import { objectOf, objectsOf, textOf, type JsonObject } from '../shared/json.js';
import { hasEnded, readExecution } from './follow.js';

/** In the form of `GET /api/workflow/{id}/why`. Throws a Failure where there is none. */
export async function whyOf(client: ApiClient, id: string): Promise<JsonObject> {
  const answer = await client.find(`/api/workflow/${encodeURIComponent(id)}/why`);
  if (answer !== undefined) return objectOf(answer);
  const execution = await readExecution(client, id);
  const status = textOf(execution['status']);
  const open = objectsOf(execution['tasks']).filter((task) =>
    ['SCHEDULED', 'IN_PROGRESS'].includes(textOf(task['status'])),
  );
  const because = textOf(execution['reasonForIncompletion']);
  const waitsFor = hasEnded(execution) ? [] : open.map(reasonOf);
  const first = hasEnded(execution)
    ? `The execution ended as ${status}${because === '' ? '' : `: ${because}`}.`
    : textOf(waitsFor[0]?.['reason']) || 'No task is open.';
  return { workflowId: id, status, reason: first, waitsFor };
}

function reasonOf(task: JsonObject): JsonObject {
  const ref = textOf(task['referenceTaskName']);
  const type = textOf(task['taskType']);
  const worker = textOf(task['workerId']);
  const isWaiting = task['status'] === 'SCHEDULED';
  return {
    kind: isWaiting ? 'queued' : 'in-progress',
    reason: isWaiting
      ? `Task ${ref} waits for a worker of type ${type}.`
      : `Task ${ref} is in progress${worker === '' ? '' : ` with ${worker}`}.`,
    moves: isWaiting
      ? `a worker that polls type ${type}`
      : 'a report, or the end of its time limit',
    taskId: task['taskId'],
    referenceTaskName: ref,
    data: {},
  };
}
