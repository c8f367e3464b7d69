// Records of the files of an execution; the content is an object (object-store.ts).
import type { ExecutionId } from '../../std/ids.js';

export interface StoredFile {
  readonly fileId: string;
  readonly fileName: string | undefined;
  readonly contentType: string | undefined;
  readonly taskId: string | undefined;
  readonly status: 'UPLOADING' | 'UPLOADED';
  readonly bytes: number;
  readonly hash: string | undefined;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface FileStore {
  put(owner: ExecutionId, file: StoredFile): Promise<void>;
  get(owner: ExecutionId, fileId: string): Promise<StoredFile | undefined>;
  count(owner: ExecutionId): Promise<number>;
  /** Ids of the files of each execution, in the order of the owners. */
  ids(owners: readonly ExecutionId[]): Promise<string[][]>;
}
