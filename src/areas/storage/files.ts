// Files of executions (`/api/files`, contract-admin 18): a record in the store of executions, the
// content an object that clients put and get by signed URLs. A file belongs to one execution, which
// alone changes it; the executions of its family (parents and children of any depth) may read it. A
// file id begins with the id of its owner, so that it is found without an index. One that is made
// for an execution that does not exist yet is its maker's (early-files.ts).
import { parseExecutionId, type ExecutionId } from '../../std/ids.js';
import type { Caller } from '../../model/caller.js';
import { checkContentType, servedType } from '../../model/content-type.js';
import { AppError, noSuchWorkflow } from '../../model/errors.js';
import { present } from '../../model/record-reader.js';
import type { FileStore, StoredFile } from './file-store.js';
import {
  ObjectRefusal,
  type DirectAccess,
  type ObjectFacts,
  type ObjectStore,
} from '../../store/object-store.js';
import { requireExecutionRight } from '../../operation/access.js';
import type { OperationContext } from '../../operation/context.js';
import { earlyFileKey, isEarlyId, requireMaker, type EarlyFiles } from './early-files.js';
import type {
  CompletedFile,
  CreatedFile,
  DownloadUrl,
  NewFile,
  ShownFile,
  StartedParts,
  UploadUrl,
} from './file-schemas.js';
import type { GivenSignature, SignedUrls, Transfer } from './signed-urls.js';

export interface FileParts {
  readonly context: Pick<
    OperationContext,
    'executions' | 'access' | 'clock' | 'limits' | 'randomId'
  >;
  readonly objects: ObjectStore | undefined;
  readonly files: FileStore;
  readonly early: EarlyFiles;
  readonly urls: SignedUrls;
  /** Files of one execution. */
  readonly filesMax: number;
}

/** The caller, the file that it asks for, and the execution on whose behalf it asks. */
export interface FileRequest {
  readonly caller: Caller;
  readonly workflowId: string;
  readonly fileId: string;
  /** Where the client reaches this server. */
  readonly server: string;
}

interface Found {
  /** The execution, or the id that one may have later. */
  readonly owner: string;
  readonly file: StoredFile;
  /** While there is no execution: whose file it is. */
  readonly madeBy?: string;
}

const handlePrefix = 'conductor://file/';
/** The names by which clients know the kinds of stores. */
const storageTypes = { folder: 'CONDUCTOR', s3: 'S3' } as const;
const partsMax = 10_000;

export class Files {
  constructor(private readonly parts: FileParts) {}

  /** Throws AppError 'bad-request' (beyond `filesMax` too), 'not-found', 'forbidden'. */
  async create(
    caller: Caller,
    { workflowId, fileName, contentType, taskId }: NewFile,
    server: string,
  ): Promise<CreatedFile> {
    const { context } = this.parts;
    const objects = this.#objects();
    if (workflowId.trim() === '') throw new AppError('bad-request', 'workflowId is required');
    checkContentType(contentType, 'contentType');
    const { fileId, ...owned } = await this.#place(caller, workflowId);
    const { owner } = owned;
    const now = context.clock.now();
    const file: StoredFile = {
      ...{ fileName, contentType, taskId, status: 'UPLOADING', bytes: 0, hash: undefined },
      ...{ fileId, createdAt: now, updatedAt: now },
    };
    const { url, expiresAt } = await this.#url({ ...owned, file }, owner, server, 'upload');
    await this.#put({ ...owned, file });
    return {
      fileHandleId: handlePrefix + file.fileId,
      ...present({ fileName, contentType }),
      storageType: storageTypes[objects.kind],
      uploadStatus: file.status,
      uploadUrl: url,
      uploadUrlExpiresAt: expiresAt,
      createdAt: now,
      workflowId: owner,
    };
  }

  /** Whose a new file becomes. Throws AppError 'bad-request', 'not-found', 'forbidden'. */
  async #place(
    caller: Caller,
    workflowId: string,
  ): Promise<{ owner: string; madeBy?: string; fileId: string }> {
    const { context, early, files, filesMax } = this.parts;
    const owner = await context.executions.read(workflowId, ({ execution }) => execution.id);
    if (owner === undefined) {
      if (!early.mayCome(workflowId)) throw noSuchWorkflow(workflowId);
      await early.requireRoom(caller);
      return { owner: workflowId, madeBy: caller.id, fileId: early.idOf(context.randomId()) };
    }
    await requireExecutionRight(context, caller, 'EXECUTE', workflowId);
    if ((await files.count(owner)) >= filesMax) {
      throw new AppError('bad-request', `workflowId has ${filesMax} files already`);
    }
    return { owner, fileId: `${owner}.${context.randomId()}` };
  }

  async #put({ owner, madeBy, file }: Found): Promise<void> {
    if (madeBy === undefined) await this.parts.files.put(owner as ExecutionId, file);
    else await this.parts.early.put(owner, madeBy, file);
  }

  async metadata(request: FileRequest): Promise<ShownFile> {
    const { owner, file } = await this.#readable(request);
    const { fileId, fileName, contentType, taskId, hash } = file;
    return {
      fileHandleId: handlePrefix + fileId,
      ...present({ fileName, contentType }),
      fileSize: file.bytes,
      ...present({ contentHash: hash }),
      storageType: storageTypes[this.#objects().kind],
      uploadStatus: file.status,
      workflowId: owner,
      ...present({ taskId }),
      createdAt: file.createdAt,
      updatedAt: file.updatedAt,
    };
  }

  async uploadUrl(request: FileRequest): Promise<UploadUrl> {
    const found = await this.#owned(request);
    const { url, expiresAt } = await this.#url(found, found.owner, request.server, 'upload');
    return { fileHandleId: handlePrefix + found.file.fileId, uploadUrl: url, expiresAt };
  }

  /** Throws AppError 'bad-request' while the content is not there. */
  async downloadUrl(request: FileRequest): Promise<DownloadUrl> {
    const found = await this.#readable(request);
    requireUploaded(found.file);
    const { workflowId, server } = request;
    const { url, expiresAt } = await this.#url(found, workflowId, server, 'download');
    return { fileHandleId: handlePrefix + found.file.fileId, downloadUrl: url, expiresAt };
  }

  /** Throws AppError 'conflict' when it is done, 'bad-request' when there is no content. */
  async completeUpload(request: FileRequest): Promise<CompletedFile> {
    const found = await this.#owned(request);
    requireUploading(found.file);
    return await this.#completed(found);
  }

  /**
   * Throws AppError 'forbidden', 'method-not-allowed' unless the URL is signed for this,
   * 'not-found' without a store.
   */
  checkSigned(
    { workflowId, fileId }: Pick<FileRequest, 'workflowId' | 'fileId'>,
    transfer: Transfer,
    given: GivenSignature,
  ): void {
    this.#objects();
    this.parts.urls.check(signedObject(workflowId, fileId), transfer, given);
  }

  /** Content through this server. Throws AppError 'forbidden', 'conflict'. */
  async upload(
    { workflowId, fileId }: Pick<FileRequest, 'workflowId' | 'fileId'>,
    content: Buffer,
    given: GivenSignature,
  ): Promise<void> {
    const objects = this.#objects();
    this.parts.urls.check(signedObject(workflowId, fileId), 'upload', given);
    const found = await this.#found(fileId, workflowId);
    requireUploading(found.file);
    await objects.put(keyOf(found), content, servedType(found.file.contentType));
  }

  /** Throws AppError 'forbidden', 'bad-request', 'not-found'. */
  async download(
    { workflowId, fileId }: Pick<FileRequest, 'workflowId' | 'fileId'>,
    given: GivenSignature,
  ): Promise<{ content: Buffer; contentType: string }> {
    const objects = this.#objects();
    this.parts.urls.check(signedObject(workflowId, fileId), 'download', given);
    const found = await this.#found(fileId, workflowId);
    requireUploaded(found.file);
    const content = await objects.get(keyOf(found));
    if (content === undefined) throw noFile(fileId);
    return { content, contentType: servedType(found.file.contentType) };
  }

  async startParts(request: FileRequest): Promise<StartedParts> {
    const found = await this.#owned(request);
    const uploadId = await this.#direct().startParts(keyOf(found));
    return { fileHandleId: handlePrefix + found.file.fileId, uploadId };
  }

  async partUrl(request: FileRequest, uploadId: string, part: number): Promise<UploadUrl> {
    const found = await this.#owned(request);
    if (part < 1 || part > partsMax) {
      throw new AppError('bad-request', `partNumber must be from 1 to ${partsMax}`);
    }
    const { urls } = this.parts;
    const { expiresAt } = urls;
    const key = keyOf(found);
    const uploadUrl = await this.#direct().partUrl(key, uploadId, part, urls.seconds);
    return { fileHandleId: handlePrefix + found.file.fileId, uploadUrl, expiresAt };
  }

  async completeParts(
    request: FileRequest,
    uploadId: string,
    tags: readonly string[],
  ): Promise<CompletedFile> {
    const found = await this.#owned(request);
    requireUploading(found.file);
    const direct = this.#direct();
    try {
      await direct.completeParts(keyOf(found), uploadId, tags);
    } catch (error) {
      if (error instanceof ObjectRefusal) throw new AppError('bad-request', error.message);
      throw error;
    }
    return await this.#completed(found);
  }

  async abortParts(request: FileRequest, uploadId: string): Promise<void> {
    const found = await this.#owned(request);
    await this.#direct().abortParts(keyOf(found), uploadId);
  }

  async #completed(found: Found): Promise<CompletedFile> {
    const { file } = found;
    const facts: ObjectFacts | undefined = await this.#objects().facts(keyOf(found));
    if (facts === undefined) {
      throw new AppError('bad-request', `The content of file ${file.fileId} has not been uploaded`);
    }
    const { bytes, hash } = facts;
    const updatedAt = this.parts.context.clock.now();
    await this.#put({ ...found, file: { ...file, status: 'UPLOADED', bytes, hash, updatedAt } });
    const handle = handlePrefix + file.fileId;
    return { fileHandleId: handle, uploadStatus: 'UPLOADED', contentHash: hash };
  }

  async #url(
    found: Found,
    workflowId: string,
    server: string,
    op: Transfer,
  ): Promise<{ url: string; expiresAt: number }> {
    const { urls } = this.parts;
    const { direct } = this.#objects();
    if (direct !== undefined) {
      const { expiresAt } = urls;
      const method = op === 'upload' ? 'PUT' : 'GET';
      return { url: await direct.url(method, keyOf(found), urls.seconds), expiresAt };
    }
    const { fileId } = found.file;
    const address = `${server}/api/files/content/${workflowId}/${fileId}`;
    return urls.sign(address, signedObject(workflowId, fileId), op);
  }

  /** Throws AppError 'forbidden' unless the execution owns the file. */
  async #owned({ caller, workflowId, fileId }: Omit<FileRequest, 'server'>): Promise<Found> {
    const found = await this.#found(fileId, workflowId);
    if (found.owner !== workflowId) {
      throw new AppError('forbidden', `The execution does not own the file: ${fileId}`);
    }
    if (found.madeBy !== undefined) requireMaker(caller, found.madeBy, fileId);
    else await requireExecutionRight(this.parts.context, caller, 'EXECUTE', workflowId);
    return found;
  }

  /** Throws AppError 'forbidden' unless the execution belongs to the family of the owner. */
  async #readable({ caller, workflowId, fileId }: FileRequest): Promise<Found> {
    const found = await this.#found(fileId, workflowId);
    if (found.madeBy !== undefined) return await this.#owned({ caller, workflowId, fileId });
    await requireExecutionRight(this.parts.context, caller, 'READ', workflowId);
    const isFamily =
      found.owner === workflowId ||
      (await this.#rootOf(workflowId)) === (await this.#rootOf(found.owner));
    if (!isFamily)
      throw new AppError('forbidden', `The execution may not read the file: ${fileId}`);
    return found;
  }

  async #rootOf(id: string): Promise<string> {
    const { executions, limits } = this.parts.context;
    let root = id;
    for (let depth = 0; depth <= limits.childDepthMax; depth += 1) {
      const parent = await executions.read(
        root,
        ({ execution }) => execution.attributes.parentWorkflowId ?? '',
      );
      if (parent === undefined || parent === '') return root;
      root = parent;
    }
    return root;
  }

  /** An early file that was taken over is found by its execution. */
  async #found(fileId: string, workflowId: string): Promise<Found> {
    this.#objects();
    const isEarly = isEarlyId(fileId);
    const early = isEarly ? await this.parts.early.find(fileId) : undefined;
    if (early !== undefined) {
      const { workflowId: owner, madeBy, file } = early;
      return { owner, madeBy, file };
    }
    const ownerId = isEarly ? workflowId : fileId.slice(0, fileId.indexOf('.'));
    const owner = parseExecutionId(ownerId);
    const file = owner && (await this.parts.files.get(owner, fileId));
    if (owner === undefined || file === undefined) throw noFile(fileId);
    return { owner, file };
  }

  #objects(): ObjectStore {
    const { objects } = this.parts;
    if (objects === undefined) throw new AppError('not-found', 'There is no store for files');
    return objects;
  }

  #direct(): DirectAccess {
    const { direct } = this.#objects();
    if (direct === undefined) {
      throw new AppError('bad-request', 'Uploads in parts need an object store of kind S3');
    }
    return direct;
  }
}

/** Where the content of a file stands. */
export function fileKey(owner: string, fileId: string): string {
  return isEarlyId(fileId) ? earlyFileKey(fileId) : `files/${owner}/${fileId}`;
}

function keyOf({ owner, file }: Found): string {
  return fileKey(owner, file.fileId);
}

function signedObject(workflowId: string, fileId: string): string {
  return `files/${workflowId}/${fileId}`;
}

function requireUploaded({ fileId, status }: StoredFile): void {
  if (status === 'UPLOADED') return;
  throw new AppError('bad-request', `File not yet uploaded: ${fileId}, status=${status}`);
}

function requireUploading({ fileId, status }: StoredFile): void {
  if (status === 'UPLOADING') return;
  throw new AppError('conflict', `File already uploaded: ${fileId}`);
}

function noFile(fileId: string): AppError {
  return new AppError('not-found', `File not found: ${fileId}`);
}
