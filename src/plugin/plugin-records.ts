// Records of plug-ins. All are of one kind, with the name of the plug-in before their id, so a
// plug-in may come and go without a change of what is stored. Their rights are those of the
// server's own records (docs/access.md): who creates one owns it, and others than the owner and
// administrators may not change it.
import type { Json } from '../model/json.js';
import { toJsonText } from '../model/json-text.js';
import { changeRecord, removeRecord } from '../operation/records/change-record.js';
import { jsonCodec, type RecordTable } from '../operation/records/record-table.js';
import type { Clock } from '../std/clock.js';
import {
  PluginRefusal,
  type PluginCaller,
  type PluginRecord,
  type PluginRecords,
} from './plugin-area.js';
import { plainId } from '../model/subject.js';

export interface StoredPluginRecord extends PluginRecord {
  /** Name of the plug-in that keeps it. */
  readonly plugin: string;
}

export const pluginRecordCodec = jsonCodec<StoredPluginRecord>('plugin-record', ({ plugin, id }) =>
  keyOf(plugin, id),
);

/** Names of plug-ins have no slash. */
function keyOf(plugin: string, id: string): string {
  return `${plugin}/${id}`;
}

export interface PluginRecordLimits {
  readonly pluginRecordsMax: number;
  /** Bytes of JSON of one. */
  readonly pluginRecordBytesMax: number;
}

const idCharsMax = 200;

/** The records of the plug-in of this name. */
export function recordsOfPlugin(
  plugin: string,
  table: RecordTable<StoredPluginRecord>,
  { clock, limits }: { readonly clock: Pick<Clock, 'now'>; readonly limits: PluginRecordLimits },
): PluginRecords {
  const own = (): StoredPluginRecord[] =>
    [...table.values()].filter((record) => record.plugin === plugin);
  const requireSpace = (): void => {
    const { pluginRecordsMax: most } = limits;
    if (table.size < most || own().length < most) return;
    throw new PluginRefusal('conflict', `A plug-in keeps ${most} records at most`);
  };
  return {
    get: (id) => shown(table.get(keyOf(plugin, id))),
    list: () =>
      own()
        .sort((a, b) => (a.id < b.id ? -1 : 1))
        .map(toRecord),
    async save(id, value, caller) {
      checkRecord(id, value, limits);
      const stored = await changeRecord(table, keyOf(plugin, id), (known) => {
        requireOwner(known, caller);
        if (known === undefined) requireSpace();
        const now = clock.now();
        const by = caller?.id ?? pluginItself(plugin);
        const { createdBy, createTime } = known ?? { createdBy: by, createTime: now };
        return { plugin, id, value, createdBy, createTime, updatedBy: by, updateTime: now };
      });
      return toRecord(stored);
    },
    remove: (id, caller) =>
      removeRecord(table, keyOf(plugin, id), (known) => requireOwner(known, caller)),
  };
}

/** The owner of what a plug-in saves by itself. */
function pluginItself(plugin: string): string {
  return `plugin:${plugin}`;
}

function checkRecord(
  id: string,
  value: Json,
  { pluginRecordBytesMax: bytesMax }: PluginRecordLimits,
): void {
  if (id === '' || id.length > idCharsMax) {
    throw new PluginRefusal('bad-request', `id must have 1 to ${idCharsMax} characters`);
  }
  if (Buffer.byteLength(toJsonText(value)) > bytesMax) {
    throw new PluginRefusal('bad-request', `${id} may have ${bytesMax} bytes of JSON at most`);
  }
}

function requireOwner(
  known: StoredPluginRecord | undefined,
  caller: PluginCaller | undefined,
): void {
  if (known === undefined || caller === undefined || caller.isAdministrator) return;
  if (known.createdBy === caller.id) return;
  throw new PluginRefusal('forbidden', `${plainId(caller.id)} does not own ${known.id}`);
}

function shown(stored: StoredPluginRecord | undefined): PluginRecord | undefined {
  return stored && toRecord(stored);
}

function toRecord({ plugin: _plugin, ...record }: StoredPluginRecord): PluginRecord {
  return record;
}
