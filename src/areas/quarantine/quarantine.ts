// Executions that are set aside because nodes died when they loaded them (shard/quarantine.ts), for
// the people who find out why.
import { AppError } from '../../model/errors.js';
import type { Executions } from '../../shard/executions.js';
import { isSetAside } from '../../shard/quarantine.js';
import type { QuarantineStore } from '../../store/quarantine-store.js';

export interface QuarantineContext {
  readonly executions: Pick<Executions, 'release'>;
  readonly store: Pick<QuarantineStore, 'marks'>;
  /** Of the keyspace. */
  readonly shards: number;
}

/** Those of the whole cluster. */
export async function listQuarantined({
  store,
  shards,
}: QuarantineContext): Promise<{ workflowId: string; deaths: number }[]> {
  const marks = await store.marks(Array.from({ length: shards }, (_, shard) => shard));
  return marks.filter(isSetAside).map(({ id, deaths }) => ({ workflowId: id, deaths }));
}

/** Throws AppError 'not-found'. */
export async function releaseQuarantined(
  { executions }: QuarantineContext,
  id: string,
): Promise<void> {
  if (await executions.release(id)) return;
  throw new AppError('not-found', `No execution ${id} is in quarantine`);
}
