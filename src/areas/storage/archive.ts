// The archive (setting `archive`): an execution is written to the object store as callers see it,
// with its tasks, before it is removed from Redis, by retention or by a call with archiveWorkflow.
// An archived execution is still read and found by its id; it cannot be changed any more. A kill
// between the two steps leaves both, and the removal is repeated; the object is then replaced by
// the same one.
import type { WorkflowDef } from '../../model/workflow-def.js';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { parseExecutionId, type ExecutionId } from '../../std/ids.js';
import type { Execution } from '../../model/execution.js';
import { type Json, type JsonMap, ownRecord } from '../../model/json.js';
import { parseJson } from '../../model/json-text.js';
import type { NameOwner } from '../../model/name-registration.js';
import { present } from '../../model/record-reader.js';
import { Payload } from '../../model/payload.js';
import type { OpenExecution } from '../../engine/open-execution.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { ExecutionSummary } from '../../store/search-store.js';
import type { Archived, ArchivedWorkflow, ExecutionArchive } from '../../operation/archive.js';
import { workflowText } from '../../operation/execution-view.js';

const zip = promisify(gzip);
const unzip = promisify(gunzip);

/** The member of the stored JSON that callers are not shown; the last one. */
const ownerMember = ',"_nameOwner":';

export class Archive implements ExecutionArchive {
  constructor(private readonly objects: ObjectStore) {}

  /** Resolves when it is durable. `now`: epoch ms. */
  async put(open: OpenExecution, now: number): Promise<void> {
    const { execution } = open;
    const { nameOwner } = execution.attributes;
    await this.putText(execution.id, workflowText(open, true, now), nameOwner);
  }

  async putText(id: ExecutionId, text: string, nameOwner: NameOwner | undefined): Promise<void> {
    const stored =
      nameOwner === undefined
        ? text
        : `${text.slice(0, -1)}${ownerMember}${JSON.stringify(nameOwner)}}`;
    await this.objects.put(keyOf(id), await zip(stored), 'application/gzip');
  }

  async text(id: string): Promise<string | undefined> {
    return (await this.#stored(id))?.text;
  }

  async workflow(id: string): Promise<Archived | undefined> {
    const stored = await this.#stored(id);
    if (stored === undefined) return undefined;
    const workflow = parseJson(stored.text) as ArchivedWorkflow;
    const { createTime, createdBy } = workflow as { createTime?: number; createdBy?: string };
    const { nameOwner } = stored;
    const owned = { name: workflow.workflowName, nameOwner, createdBy, startedAt: createTime ?? 0 };
    return { workflow, owned };
  }

  async summary(id: ExecutionId): Promise<ExecutionSummary | undefined> {
    const archived = await this.workflow(id);
    return archived && toSummary(id, archived);
  }

  async #stored(
    id: string,
  ): Promise<{ readonly text: string; readonly nameOwner: NameOwner | undefined } | undefined> {
    const known = parseExecutionId(id);
    const content = known && (await this.objects.get(keyOf(known)));
    return content && split((await unzip(content)).toString());
  }

  async remove(id: string): Promise<void> {
    const known = parseExecutionId(id);
    if (known !== undefined) await this.objects.remove(keyOf(known));
  }
}

/** The JSON that callers are shown, and what stands behind it; earlier versions stored no more. */
function split(stored: string): { text: string; nameOwner: NameOwner | undefined } {
  const at = stored.lastIndexOf(ownerMember);
  if (at === -1) return { text: stored, nameOwner: undefined };
  try {
    const nameOwner = JSON.parse(stored.slice(at + ownerMember.length, -1)) as NameOwner;
    return { text: `${stored.slice(0, at)}}`, nameOwner };
  } catch {
    // It stands in a payload: what follows it is not the end of the object.
    return { text: stored, nameOwner: undefined };
  }
}

/** Spread over folders by the shard, in which ids begin. */
function keyOf(id: ExecutionId): string {
  return `archive/${id.slice(0, 4)}/${id}.json.gz`;
}

type Shown = Omit<Execution['attributes'], 'definitionVariables'> & Execution['state'];

/**
 * The fields of a Workflow have the names of attributes and state; those that a search does not ask
 * for stay as they are there.
 */
function toSummary(id: ExecutionId, { workflow, owned }: Archived): ExecutionSummary {
  const { workflowDefinition, input, output } = workflow;
  const shown = ownRecord<Shown>(workflow);
  return {
    id,
    snapshot: { hash: '', def: ownRecord<WorkflowDef>(workflowDefinition as Json) },
    attributes: { ...shown, ...present({ nameOwner: owned.nameOwner }) },
    state: shown,
    input: Payload.of(input as JsonMap),
    output: Payload.of(output as JsonMap),
  };
}
