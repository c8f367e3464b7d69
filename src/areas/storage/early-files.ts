// Files that are made before their execution (docs/storage.md, "Files of executions"): each is its
// maker's alone and ends after a time. An execution of that id takes it over when the maker has
// started it.
import type { Clock } from '../../std/clock.js';
import type { ExecutionId } from '../../std/ids.js';
import { PeriodicService } from '../../std/periodic-service.js';
import { isAdministrator, type Caller } from '../../model/caller.js';
import { AppError } from '../../model/errors.js';
import type { EarlyFile, EarlyFileStore } from './early-file-store.js';
import type { FileStore, StoredFile } from './file-store.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { OperationContext } from '../../operation/context.js';
import { plainId } from '../../model/subject.js';

export interface EarlyFileParts {
  readonly clock: Clock;
  readonly executions: OperationContext['executions'];
  readonly store: EarlyFileStore;
  readonly files: FileStore;
  readonly objects: ObjectStore | undefined;
  /** How long a file waits for its execution, ms. */
  readonly lifeMs: number;
  /** Files of one maker. */
  readonly filesMax: number;
  readonly failed: (error: unknown) => void;
}

/** Ids that servers of this API draw, and those of clients that draw their own. */
const workflowIdPattern = /^[\w.-]{1,128}$/;
const prefix = 'early.';
const expireEveryMs = 60_000;
const endedAtOnce = 100;

/** Ids of other files begin with the id of their execution. */
export function isEarlyId(fileId: string): boolean {
  return fileId.startsWith(prefix);
}

/** Where the content stands, also once the file belongs to its execution. */
export function earlyFileKey(fileId: string): string {
  return `files/early/${fileId}`;
}

export class EarlyFiles extends PeriodicService {
  constructor(private readonly parts: EarlyFileParts) {
    const { clock, failed } = parts;
    super({ clock, failed, everyMs: expireEveryMs, runsOn: 'node' });
  }

  /** Whether an execution of this id may come. */
  mayCome(workflowId: string): boolean {
    return workflowIdPattern.test(workflowId);
  }

  idOf(random: string): string {
    return prefix + random;
  }

  /** Throws AppError 'bad-request' beyond the files of one maker. */
  async requireRoom(caller: Caller): Promise<void> {
    const { store, filesMax } = this.parts;
    if ((await store.count(caller.id)) < filesMax) return;
    const rule = `${filesMax} files wait for executions that do not exist (earlyFilesPerCallerMax)`;
    throw new AppError('bad-request', `workflowId: ${rule}`);
  }

  async put(workflowId: string, madeBy: string, file: StoredFile): Promise<void> {
    const endsAt = file.createdAt + this.parts.lifeMs;
    await this.parts.store.put({ file, workflowId, madeBy, endsAt });
  }

  /** undefined when there is none, or when it has become a file of its execution. */
  async find(fileId: string): Promise<EarlyFile | undefined> {
    const early = await this.parts.store.find(fileId);
    if (early === undefined || (await this.#adopted(early)) !== undefined) return undefined;
    return early.endsAt <= this.parts.clock.now() ? undefined : early;
  }

  /** Removes the files whose time has ended, with their contents. */
  override async runOnce(): Promise<void> {
    const { clock, store } = this.parts;
    for (;;) {
      const ended = await store.ended(clock.now(), endedAtOnce);
      for (const fileId of ended) {
        if (this.isStopped) return;
        await this.#end(fileId);
      }
      if (ended.length < endedAtOnce) return;
    }
  }

  /**
   * Ends one file. Where the record is gone, another one has taken the file over or ended it since
   * the list was read: the content is not touched, since it may be a file of its execution now.
   */
  async #end(fileId: string): Promise<void> {
    const { store, objects } = this.parts;
    const early = await store.find(fileId);
    if (early !== undefined) {
      if ((await this.#adopted(early)) !== undefined) return;
      await objects?.remove(earlyFileKey(fileId));
    }
    await store.remove(fileId);
  }

  /** The execution that takes the file over; undefined: it is not there, or somebody else's. */
  async #adopted(early: EarlyFile): Promise<ExecutionId | undefined> {
    const { executions, files, store } = this.parts;
    const { workflowId, madeBy, file } = early;
    const found = await executions.read(workflowId, ({ execution }) => ({
      id: execution.id,
      startedBy: execution.attributes.createdBy ?? '',
    }));
    if (found === undefined || found.startedBy !== madeBy) return undefined;
    await files.put(found.id, file);
    await store.remove(file.fileId);
    return found.id;
  }
}

/** Throws AppError 'forbidden' unless the caller made the file. */
export function requireMaker(caller: Caller, madeBy: string, fileId: string): void {
  if (isAdministrator(caller) || caller.id === madeBy) return;
  throw new AppError('forbidden', `${plainId(caller.id)} may not use the file ${fileId}`);
}
