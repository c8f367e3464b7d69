// Vectors in Redis: per space a hash of vectors (4 bytes a dimension, little-endian), a hash of
// their texts, and a hash of facts; per store a set of its spaces. All keys of a store are in one
// slot. Vectors stand apart from the texts so that a search reads only what it compares.
import { isMap, ownRecord } from '../model/json.js';
import { parseJson } from '../model/json-text.js';
import type {
  FoundPiece,
  Piece,
  PutVectorsResult,
  VectorSlice,
  VectorSpace,
  VectorStore,
} from '../store/vector-store.js';
import type { RedisClient } from './client.js';
import { packText, unpackText } from './codec/record.js';
import type { Argument } from './encoded-call.js';
import { allMembers, fieldsOf } from './scans.js';
import { Script } from './script.js';
import { partsOf } from '../std/parts.js';

const putScript = Script.named('put-vectors');
/** Of one call; 100 vectors of 3072 dimensions take 1.2 MB. */
const piecesPerPutMax = 100;
/** Vectors that Redis is asked for at once: far below what holds it up for 10 ms. */
const vectorsPerSlice = 200;
const textsPerReadMax = 200;

export class RedisVectorStore implements VectorStore {
  constructor(
    private readonly redis: RedisClient,
    private readonly limits: { readonly vectorsPerIndexMax: number },
  ) {}

  async put(
    space: VectorSpace,
    documentId: string,
    pieces: readonly Piece[],
  ): Promise<PutVectorsResult> {
    for (let first = 0; first < pieces.length; first += piecesPerPutMax) {
      const some = pieces.slice(first, first + piecesPerPutMax);
      const result = await this.#putSome(space, documentId, { some, first, total: pieces.length });
      if (result.outcome !== 'stored') return result;
    }
    return { outcome: 'stored' };
  }

  async *slices(space: VectorSpace): AsyncGenerator<VectorSlice> {
    const { vectors } = this.#keysOf(space);
    for await (const pairs of fieldsOf(this.redis.reads, vectors, vectorsPerSlice)) {
      yield pairs.map(([key, bytes]) => ({ key, vector: toVector(bytes) }));
    }
  }

  async pieces(space: VectorSpace, keys: readonly string[]): Promise<(FoundPiece | undefined)[]> {
    const { texts } = this.#keysOf(space);
    const found: (FoundPiece | undefined)[] = [];
    for (const some of partsOf(keys, textsPerReadMax)) {
      const records = (await this.redis.reads.callBuffer(
        'HMGET',
        texts,
        ...some,
      )) as (Buffer | null)[];
      found.push(...records.map((bytes) => (bytes === null ? undefined : readPiece(bytes))));
    }
    return found;
  }

  async forget(store: string): Promise<void> {
    const spaces = this.redis.keys.vectorSpaces(store);
    const names = await allMembers(this.redis.reads, spaces);
    for (const name of names) {
      const [index, namespace] = JSON.parse(name) as [string, string];
      const { vectors, texts, facts } = this.#keysOf({ store, index, namespace });
      await this.redis.commits.call('UNLINK', vectors, texts, facts);
      await this.redis.commits.call('SREM', spaces, name);
    }
  }

  async #putSome(
    space: VectorSpace,
    documentId: string,
    { some, first, total }: { some: readonly Piece[]; first: number; total: number },
  ): Promise<PutVectorsResult> {
    const { vectors, texts, facts, spaces } = this.#keysOf(space);
    const dimensions = some[0]?.vector.length ?? 0;
    const args: Argument[] = [
      nameOf(space),
      documentId,
      dimensions,
      this.limits.vectorsPerIndexMax,
      total,
      first,
      ...some.flatMap((piece, offset) => [
        toBytes(piece.vector),
        writePiece({ ...piece, documentId, number: first + offset, pieces: total }),
      ]),
    ];
    const keys = [vectors, texts, facts, spaces];
    const reply = (await this.redis.commits.run(putScript, keys, args)) as [unknown, number];
    const outcome = String(reply[0]);
    if (outcome === 'full') return { outcome, count: reply[1] };
    return outcome === 'dimensions' ? { outcome, dimensions: reply[1] } : { outcome: 'stored' };
  }

  #keysOf(space: VectorSpace): { vectors: string; texts: string; facts: string; spaces: string } {
    const { keys } = this.redis;
    const { store } = space;
    return { ...keys.vectors(store, nameOf(space)), spaces: keys.vectorSpaces(store) };
  }
}

function nameOf({ index, namespace }: VectorSpace): string {
  return JSON.stringify([index, namespace]);
}

function toBytes(vector: readonly number[]): Buffer {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [i, value] of vector.entries()) bytes.writeFloatLE(value, i * 4);
  return bytes;
}

/** A copy: bytes of an answer may lie at any place of a larger buffer. */
function toVector(bytes: Buffer): Float32Array {
  const vector = new Float32Array(Math.floor(bytes.length / 4));
  for (let i = 0; i < vector.length; i++) vector[i] = bytes.readFloatLE(i * 4);
  return vector;
}

function writePiece({ documentId, number, pieces, text, metadata }: FoundPiece): string {
  return packText(JSON.stringify({ documentId, number, pieces, text, metadata }));
}

function readPiece(bytes: Buffer): FoundPiece {
  const record = parseJson(unpackText('piece of a document', bytes));
  if (!isMap(record)) throw new Error('A piece of a document is not readable');
  return ownRecord<FoundPiece>(record);
}
