// Every setting of the server: name, default, unit and check, in one table per area.
// docs/settings.md lists the same in the same order; a test keeps the two in step. config.ts reads
// the values.
import { accessSettings } from './settings/access-settings.js';
import { areaSettings } from './settings/area-settings.js';
import { executionSettings } from './settings/execution-settings.js';
import { nodeSettings } from './settings/node-settings.js';
import { storeSettings } from './settings/store-settings.js';
import { systemTaskSettings } from './settings/system-task-settings.js';
import type { Setting } from './settings/setting.js';

export const settingsTable = {
  ...nodeSettings,
  ...storeSettings,
  ...executionSettings,
  ...areaSettings,
  ...systemTaskSettings,
  ...accessSettings,
} as const;

/** The same in groups, as `--help` and docs/settings.md show them. */
export const settingsGroups: readonly {
  readonly title: string;
  readonly settings: Readonly<Record<string, Setting<unknown>>>;
}[] = [
  { title: 'The server process', settings: nodeSettings },
  { title: 'The store', settings: storeSettings },
  { title: 'Executions and queues', settings: executionSettings },
  { title: 'Schedules, models, people, webhooks and events', settings: areaSettings },
  { title: 'Tasks that the server does itself', settings: systemTaskSettings },
  { title: 'Access', settings: accessSettings },
];

type Table = typeof settingsTable;
export type Settings = {
  readonly [K in keyof Table]: Table[K] extends Setting<infer T> ? T : never;
};

/**
 * A setting that cannot be used; the message is a sentence for the person who starts the server.
 */
export class SettingError extends Error {}
