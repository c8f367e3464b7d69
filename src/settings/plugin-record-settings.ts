// Limits of the records that the server keeps for plug-ins (docs/plugins.md).
import { integer } from './setting.js';

export const pluginRecordSettings = {
  pluginRecordsMax: integer('Records that one plug-in may keep', 10_000, 0),
  pluginRecordBytesMax: integer('One record of a plug-in, bytes of JSON', 65_536, 1),
} as const;
