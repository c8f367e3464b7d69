// The index of the integration that a task names. Integrations of the category VECTOR_DB without a
// type or of the type redis are kept by this server itself, those of the type pgvectordb stand in a
// PostgreSQL database; a task that names one of another type fails and says so.
import { FinalFailure } from '../final-failure.js';
import { configured, type OpenIntegration } from '../open-integration.js';
import type { TaskRun } from '../system-task.js';
import type { TaskInput } from '../task-input.js';
import { RedisIndex } from './redis-index.js';
import type { VectorIndex, VectorServices } from './vector-index.js';
import { measureNamed, type Measure } from './vector-search.js';

/** Throws FinalFailure for an integration that cannot be used. */
export async function vectorIndexOf(
  services: VectorServices,
  run: TaskRun,
  input: TaskInput,
): Promise<VectorIndex> {
  const { integrations, vectors } = services;
  const store = input.text('vectorDB');
  const integration = await integrations.provider(integrations.userOf(run), store, ['VECTOR_DB']);
  const measure = measureOf(integration);
  const name = { index: input.text('index'), namespace: input.text('namespace') };
  switch (integration.type ?? 'redis') {
    case 'redis':
      return new RedisIndex(vectors, { store, ...name }, measure.nearness);
    case 'pgvectordb': {
      const { createPgvectorIndex } = await import('./pgvector-index.js');
      return createPgvectorIndex(services, integration, { ...name, measure, signal: run.signal });
    }
    default:
      throw new FinalFailure(
        `The integration ${store} is of the type ${integration.type}, whose protocol this server ` +
          'does not speak; vector stores are of the type redis or pgvectordb',
      );
  }
}

function measureOf(integration: OpenIntegration): Measure {
  const metric = configured(integration, 'distance_metric');
  const measure = measureNamed(metric);
  if (measure !== undefined) return measure;
  throw new FinalFailure(
    `The integration ${integration.name} has an unknown distance_metric: ${metric}`,
  );
}
