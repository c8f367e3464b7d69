// The index of the integration that a task names. Integrations of the category VECTOR_DB without a
// type or of the type redis are kept by this server itself, those of other types where a plug-in
// says; a task that names one of another type fails and says so.
import { FinalFailure } from '../../../system-task/final-failure.js';
import { configured, type OpenIntegration } from '../../../system-task/open-integration.js';
import type { TaskRun } from '../../../system-task/system-task.js';
import type { TaskInput } from '../../../system-task/task-input.js';
import { RedisIndex } from './redis-index.js';
import type { VectorServices } from './vector-index.js';
import type { VectorIndex } from '../../../plugin/vector-store-kind.js';
import { measureNamed, type Measure } from './vector-search.js';

/** Throws FinalFailure for an integration that cannot be used. */
export async function vectorIndexOf(
  services: VectorServices,
  run: TaskRun,
  input: TaskInput,
): Promise<VectorIndex> {
  const { integrations, vectors, vectorStores } = services;
  const store = input.text('vectorDB');
  const integration = await integrations.provider(integrations.userOf(run), store, ['VECTOR_DB']);
  const measure = measureOf(integration);
  const name = { index: input.text('index'), namespace: input.text('namespace') };
  const type = integration.type ?? 'redis';
  if (type === 'redis') return new RedisIndex(vectors, { store, ...name }, measure.nearness);
  const kind = vectorStores.find(type);
  if (kind !== undefined) {
    return kind.open(services, integration, { ...name, measure: measure.kind, signal: run.signal });
  }
  throw new FinalFailure(
    vectorStores.absence(type) ??
      `The integration ${store} is of the type ${type}, whose protocol this server ` +
        'does not speak; vector stores are of the type redis or pgvectordb',
  );
}

function measureOf(integration: OpenIntegration): Measure {
  const metric = configured(integration, 'distance_metric');
  const measure = measureNamed(metric);
  if (measure !== undefined) return measure;
  throw new FinalFailure(
    `The integration ${integration.name} has an unknown distance_metric: ${metric}`,
  );
}
