// An index whose vectors this server keeps itself, in Redis: a search compares them all, so its
// answer is exact.
import { isMap, type JsonMap } from '../../model/json.js';
import { parseJson } from '../../model/json-text.js';
import type { VectorSpace, VectorStore } from '../../store/vector-store.js';
import { FinalFailure } from '../final-failure.js';
import { foundPiece, type VectorDocument, type VectorIndex } from './vector-store-kind.js';
import { nearestOf, type Nearness } from './vector-search.js';

export class RedisIndex implements VectorIndex {
  constructor(
    private readonly vectors: VectorStore,
    private readonly space: VectorSpace,
    private readonly measure: Nearness,
  ) {}

  async store({ id, pieces, metadata }: VectorDocument): Promise<void> {
    const result = await this.vectors.put(
      this.space,
      id,
      pieces.map((piece) => ({ ...piece, metadata })),
    );
    const where = `The index ${this.space.index} of ${this.space.store}`;
    if (result.outcome === 'full') {
      throw new FinalFailure(
        `${where} holds ${result.count} vectors and may hold no more (vectorsPerIndexMax)`,
      );
    }
    if (result.outcome === 'dimensions') {
      const { dimensions } = result;
      throw new FinalFailure(`${where} has vectors of ${dimensions} dimensions, these have others`);
    }
  }

  async search(target: readonly number[], count: number): Promise<JsonMap[]> {
    const { measure, space, vectors } = this;
    const nearest = await nearestOf(vectors.slices(space), target, { count, measure });
    const pieces = await vectors.pieces(
      space,
      nearest.map(({ key }) => key),
    );
    return nearest.flatMap(({ score }, i) => {
      const piece = pieces[i];
      if (piece === undefined) return [];
      const metadata = parseJson(piece.metadata);
      return [foundPiece({ ...piece, score, metadata: isMap(metadata) ? metadata : {} })];
    });
  }
}
