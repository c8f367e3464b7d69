// A kind of vector store: what keeps the vectors of integrations of one type. A part of the
// contract with plug-ins (docs/plugins.md).
import type { Socket } from 'node:net';
import type { JsonMap } from '../../model/json.js';
import type { OpenIntegration } from '../open-integration.js';
import type { TaskRun } from '../task-run.js';

export interface VectorStoreKind {
  /** Type of the integrations whose vectors it keeps (contract-admin 14.3). */
  readonly providerType: string;
  /** Throws FinalFailure for a configuration or a name that cannot be used. */
  open(
    services: VectorStoreServices,
    integration: OpenIntegration,
    place: VectorPlace,
  ): VectorIndex;
}

export interface VectorStoreServices {
  readonly sockets: { open(host: string, port: number): Socket };
  /** Longest time of one request, ms. */
  readonly requestTimeMsMax: number;
}

/** Where a task stores or searches. */
export interface VectorPlace {
  readonly index: string;
  /** Empty: none. */
  readonly namespace: string;
  /** How near two vectors are. */
  readonly measure: 'cosine' | 'inner-product' | 'euclidean';
  readonly signal: AbortSignal;
}

export interface VectorPiece {
  readonly text: string;
  readonly vector: readonly number[];
}

export interface VectorDocument {
  readonly id: string;
  readonly pieces: readonly VectorPiece[];
  /** JSON text of an object. */
  readonly metadata: string;
}

/** An index and namespace of a vector store. Both methods throw FinalFailure with the reason. */
export interface VectorIndex {
  /** Stores a document in place of an earlier one with its id. */
  store(document: VectorDocument): Promise<void>;
  /** The `count` nearest pieces, nearest first, as tasks answer them. */
  search(target: readonly number[], count: number): Promise<JsonMap[]>;
}

/** Indexes by the integration that keeps them, with the rights of who started the execution. */
export interface VectorIndexes {
  /**
   * Opens an index of the integration `store`, of the category VECTOR_DB. Rejects with FinalFailure
   * for one that cannot be used.
   */
  open(
    run: Pick<TaskRun, 'startedBy' | 'hide' | 'signal'>,
    named: Pick<VectorPlace, 'index' | 'namespace'> & { readonly store: string },
  ): Promise<VectorIndex>;
}

/** A piece as tasks answer it: a document of one piece keeps its id. */
export function foundPiece(piece: {
  readonly documentId: string;
  readonly number: number;
  readonly pieces: number;
  readonly text: string;
  readonly score: number;
  readonly metadata: JsonMap;
}): JsonMap {
  const { documentId, number, pieces, text: content, score, metadata } = piece;
  return {
    docId: pieces === 1 ? documentId : `${documentId}_${number}`,
    parentDocId: documentId,
    text: content,
    score,
    metadata,
  };
}
