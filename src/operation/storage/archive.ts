// The archive (setting `archive`): an execution is written to the object store as callers see it,
// with its tasks, before it is removed from Redis, by retention or by a call with archiveWorkflow.
// What is archived is still read and found by its id; it cannot be changed any more. A kill
// between the two steps leaves both, and the removal is repeated; the object is then replaced by
// the same one.
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { ExecutionId } from '../../std/ids.js';
import { parseExecutionId } from '../../std/ids.js';
import type { Execution } from '../../model/execution.js';
import type { Json, JsonMap } from '../../model/json.js';
import { parseJson, toJsonText } from '../../model/json-text.js';
import { Payload } from '../../model/payload.js';
import type { OpenExecution } from '../../engine/open-execution.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { ExecutionSummary } from '../../store/search-store.js';
import { workflowText } from '../execution-view.js';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** The fields of a Workflow (contract-core 7.1) that are read back. */
interface ArchivedWorkflow extends JsonMap {
  readonly workflowName: string;
  readonly status: string;
}

export class Archive {
  constructor(private readonly objects: ObjectStore) {}

  /** Resolves when it is durable. `now`: epoch ms. */
  async put(open: OpenExecution, now: number): Promise<void> {
    const { execution } = open;
    await this.putText(execution.id, workflowText(open, true, now));
  }

  /** `text` is the JSON of a Workflow with its tasks. */
  async putText(id: ExecutionId, text: string): Promise<void> {
    await this.objects.put(keyOf(id), await zip(text), 'application/gzip');
  }

  /** JSON of a Workflow; undefined when it is not in the archive. */
  async text(id: string): Promise<string | undefined> {
    const known = parseExecutionId(id);
    const content = known && (await this.objects.get(keyOf(known)));
    return content && (await unzip(content)).toString();
  }

  async workflow(id: string): Promise<ArchivedWorkflow | undefined> {
    const text = await this.text(id);
    return text === undefined ? undefined : (parseJson(text) as ArchivedWorkflow);
  }

  /** As a search looks at it. */
  async summary(id: ExecutionId): Promise<ExecutionSummary | undefined> {
    const workflow = await this.workflow(id);
    return workflow && toSummary(id, workflow);
  }

  async remove(id: string): Promise<void> {
    const known = parseExecutionId(id);
    if (known !== undefined) await this.objects.remove(keyOf(known));
  }
}

/** Spread over folders by the shard, in which ids begin. */
function keyOf(id: ExecutionId): string {
  return `archive/${id.slice(0, 4)}/${id}.json.gz`;
}

/** Without tasks. */
export function withoutTasks(workflow: JsonMap): string {
  return toJsonText({ ...workflow, tasks: [] } as Json);
}

/**
 * The fields of a Workflow have the names of attributes and state; those that a search does not ask
 * for stay as they are there.
 */
function toSummary(id: ExecutionId, workflow: ArchivedWorkflow): ExecutionSummary {
  const { workflowDefinition, input, output } = workflow;
  const shown = workflow as unknown as Execution['attributes'] & Execution['state'];
  return {
    id,
    snapshot: { hash: '', def: workflowDefinition as unknown as Execution['snapshot']['def'] },
    attributes: shown,
    state: shown,
    input: Payload.of(input as JsonMap),
    output: Payload.of(output as JsonMap),
  };
}
