// Records of files whose execution does not exist yet; the content is an object (object-store.ts).
import type { StoredFile } from './file-store.js';

/** A file that belongs to who made it, until an execution of `workflowId` takes it over. */
export interface EarlyFile {
  readonly file: StoredFile;
  readonly workflowId: string;
  /** Subject id; '' while authentication is off. */
  readonly madeBy: string;
  /** Epoch ms. */
  readonly endsAt: number;
}

export interface EarlyFileStore {
  put(early: EarlyFile): Promise<void>;
  find(fileId: string): Promise<EarlyFile | undefined>;
  /** Files that somebody has made. */
  count(madeBy: string): Promise<number>;
  /** Ids of some files whose time has ended, at most `limit`. */
  ended(now: number, limit: number): Promise<string[]>;
  remove(fileId: string): Promise<void>;
}
