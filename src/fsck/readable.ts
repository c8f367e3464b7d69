// Reads of the checks that look at one thing and need another: one that cannot be decoded is a
// finding of its own (`record-unreadable`) and counts as absent here.
import { decodeAttributes, decodeProgress } from '../redis/codec/header-record.js';
import type { StoredHeaders } from '../redis/execution-headers.js';
import type { WorkflowStatus } from '../model/status.js';
import { StoreError, type StoredExecution } from '../store/execution-store.js';
import { shardOf, type ExecutionId } from '../std/ids.js';
import type { FsckParts } from './check.js';

export async function loadReadable(
  { executions, shards }: FsckParts,
  id: ExecutionId,
): Promise<StoredExecution | undefined> {
  try {
    return await executions.load(shardOf(id, shards), id);
  } catch (error) {
    if (error instanceof StoreError) throw error;
    return undefined;
  }
}

export function attributesOf(
  headers: StoredHeaders | undefined,
): ReturnType<typeof decodeAttributes> | undefined {
  try {
    return headers && decodeAttributes(headers.attributes);
  } catch {
    return undefined;
  }
}

export function statusOf(headers: StoredHeaders): WorkflowStatus | undefined {
  try {
    return decodeProgress(headers.progress).status;
  } catch {
    return undefined;
  }
}
