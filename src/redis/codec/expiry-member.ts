// Members of a shard's expiry set. A finished execution's key expires by itself; the member carries
// what is needed to take back its index entries and its snapshot's count afterwards.
import type { Execution } from '../../model/execution.js';
import type { WorkflowStatus } from '../../model/status.js';
import type { ExecutionId } from '../../std/ids.js';

export interface ExpiryEntry {
  readonly id: ExecutionId;
  readonly name: string;
  readonly status: WorkflowStatus;
  readonly correlationId: string | undefined;
  readonly snapshotHash: string;
  readonly segments: readonly string[];
}

export function expiryMemberOf(execution: Execution, segments: readonly string[]): string {
  return JSON.stringify([
    execution.id,
    execution.snapshot.def.name,
    execution.state.status,
    execution.attributes.correlationId ?? null,
    execution.snapshot.hash,
    segments,
  ]);
}

export function parseExpiryMember(member: string): ExpiryEntry {
  const [id, name, status, correlationId, snapshotHash, segments] = JSON.parse(member) as [
    ExecutionId,
    string,
    WorkflowStatus,
    string | null,
    string,
    string[],
  ];
  return { id, name, status, correlationId: correlationId ?? undefined, snapshotHash, segments };
}
