// Opens the index of an integration of the category VECTOR_DB. Those without a type or of the type
// redis are kept by this server itself, those of other types where a plug-in says; a task that
// names one of another type fails and says so.
import type { VectorStore } from '../../store/vector-store.js';
import { FinalFailure } from '../final-failure.js';
import type { IntegrationUse } from '../integration-use.js';
import { configured, type OpenIntegration } from '../open-integration.js';
import { RedisIndex } from './redis-index.js';
import { measureNamed, type Measure } from './vector-search.js';
import type { Lookup } from '../../std/lookup.js';
import type { VectorIndexes, VectorStoreKind, VectorStoreServices } from './vector-store-kind.js';

export interface VectorIndexParts extends VectorStoreServices {
  readonly integrations: IntegrationUse;
  /** Vectors that this server keeps. */
  readonly vectors: VectorStore;
  /** Stores of vectors that plug-ins bring. */
  readonly vectorStores: Lookup<VectorStoreKind>;
}

export function openVectorIndexes(parts: VectorIndexParts): VectorIndexes {
  const { integrations, vectors, vectorStores, sockets, requestTimeMsMax } = parts;
  return {
    async open(run, { store, index, namespace }) {
      const user = integrations.userOf(run);
      const integration = await integrations.provider(user, store, ['VECTOR_DB']);
      const { kind: measure, nearness } = measureOf(integration);
      const type = integration.type ?? 'redis';
      if (type === 'redis') return new RedisIndex(vectors, { store, index, namespace }, nearness);
      const kind = vectorStores.find(type);
      if (kind !== undefined) {
        const place = { index, namespace, measure, signal: run.signal };
        return kind.open({ sockets, requestTimeMsMax }, integration, place);
      }
      throw new FinalFailure(
        vectorStores.absence(type) ??
          `The integration ${store} is of the type ${type}, whose protocol this server ` +
            'does not speak; vector stores are of the type redis or pgvectordb',
      );
    },
  };
}

function measureOf(integration: OpenIntegration): Measure {
  const metric = configured(integration, 'distance_metric');
  const measure = measureNamed(metric);
  if (measure !== undefined) return measure;
  throw new FinalFailure(
    `The integration ${integration.name} has an unknown distance_metric: ${metric}`,
  );
}
