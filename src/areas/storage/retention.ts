// How long finished executions are kept, and where they go then, for people.
import * as schema from '../../model/schema.js';
import type { Reply } from '../../api/endpoint.js';
import type { Json } from '../../model/json.js';
import { retentionKey, type RetentionRules } from '../../model/retention.js';
import type { ObjectStore } from '../../store/object-store.js';
import type { Ports } from '../ports.js';

export interface Retention {
  readonly retentionSeconds: number;
  readonly byStatus: Readonly<Record<string, number>>;
  /** By name or name/STATUS: seconds, or seconds by status. */
  readonly byDefinition: Readonly<Record<string, Json>>;
  readonly archive: boolean;
  readonly objectStore: 'none' | ObjectStore['kind'];
}

const seconds = schema.integer('Seconds');

export const retentionReply: Reply<Retention> = {
  schema: schema.object('Retention', {
    retentionSeconds: seconds,
    byStatus: schema.mapOf(seconds),
    byDefinition: schema.mapOf(
      { anyOf: [seconds, schema.mapOf(seconds)] },
      'By name or name/STATUS: seconds, or seconds by status',
    ),
    archive: schema.flag('Whether executions are archived before they go'),
    objectStore: schema.oneOf(['none', 'folder', 's3']),
  }),
};

/** A rule in a definition precedes the rules for it in the settings. */
export function retentionOf(
  rules: RetentionRules,
  table: ReturnType<Ports['definitionTable']>,
  stored: Pick<Retention, 'archive' | 'objectStore'>,
): Retention {
  const own = table.names().flatMap((name): [string, Json][] => {
    const said = table.latest(name)?.metadata[retentionKey];
    return said === undefined ? [] : [[name, said]];
  });
  return {
    retentionSeconds: rules.seconds,
    byStatus: Object.fromEntries(rules.byStatus),
    byDefinition: Object.fromEntries([...rules.byDefinition, ...own]),
    ...stored,
  };
}
