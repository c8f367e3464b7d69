// Texts with their vectors, for searches by meaning (semantics 4.23). A vector store is an
// integration of the category VECTOR_DB that this server keeps itself; it has spaces, each with
// vectors of the same number of dimensions. A search reads every vector of a space, in slices, so
// its answer is exact.

export interface VectorSpace {
  /** Name of the integration. */
  readonly store: string;
  readonly index: string;
  /** Empty: none. */
  readonly namespace: string;
}

/** A part of a document, or the whole of a short one. */
export interface Piece {
  readonly vector: readonly number[];
  readonly text: string;
  /** JSON text of an object. */
  readonly metadata: string;
}

export interface FoundPiece extends Omit<Piece, 'vector'> {
  readonly documentId: string;
  /** Place of the piece in its document, from 0. */
  readonly number: number;
  /** Pieces of the document when this one was stored. */
  readonly pieces: number;
}

export type PutVectorsResult =
  | { readonly outcome: 'stored' }
  /** The space holds `count` vectors already and may hold no more. */
  | { readonly outcome: 'full'; readonly count: number }
  /** The vectors of the space have another number of dimensions. */
  | { readonly outcome: 'dimensions'; readonly dimensions: number };

/** Vectors of a space with the keys of their pieces. */
export type VectorSlice = readonly { readonly key: string; readonly vector: Float32Array }[];

export interface VectorStore {
  /** Stores a document in place of an earlier one with the same id. */
  put(space: VectorSpace, documentId: string, pieces: readonly Piece[]): Promise<PutVectorsResult>;
  /** All vectors of a space; one that changes meanwhile may come twice. */
  slices(space: VectorSpace): AsyncIterable<VectorSlice>;
  /** The pieces of these keys; undefined for one that is gone. */
  pieces(space: VectorSpace, keys: readonly string[]): Promise<(FoundPiece | undefined)[]>;
  /** Removes all spaces of a store. */
  forget(store: string): Promise<void>;
}
