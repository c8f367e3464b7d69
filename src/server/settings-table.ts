// Every setting of the server: name, default, unit and check, in one table per area.
// docs/settings.md lists the same in the same order; a test keeps the two in step. config.ts reads
// the values.
import { audit } from '../areas/audit/area.js';
import { identity } from '../areas/identity/area.js';
import { areas } from '../areas/list.js';
import { accessSettings } from '../settings/access-settings.js';
import { executionSettings } from '../settings/execution-settings.js';
import { nodeSettings } from '../settings/node-settings.js';
import { pluginRecordSettings } from '../settings/plugin-record-settings.js';
import type { Setting, SettingsOf } from '../settings/setting.js';
import { storeSettings } from '../settings/store-settings.js';
import { systemTaskSettings } from '../settings/system-task-settings.js';

/** The intersection of the tables of all areas. */
type Together<Table> = (Table extends unknown ? (one: Table) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Areas whose settings stand in the group of access. */
const ofAccess: readonly unknown[] = [identity, audit];

const ofAreas = Object.assign(
  {},
  ...areas.filter((area) => !ofAccess.includes(area)).map(({ settings }) => settings),
) as Together<(typeof areas)[number]['settings']>;

export const settingsTable = {
  ...nodeSettings,
  ...storeSettings,
  ...executionSettings,
  ...ofAreas,
  ...pluginRecordSettings,
  ...systemTaskSettings,
  ...identity.settings,
  ...accessSettings,
  ...audit.settings,
} as const;

type Groups = Readonly<Record<string, Setting<unknown>>>;

/** The same in groups, as `--help` and docs/settings.md show them. */
export const settingsGroups: readonly {
  readonly title: string;
  readonly settings: Groups;
}[] = [
  { title: 'The server process', settings: nodeSettings },
  { title: 'The store', settings: storeSettings },
  { title: 'Executions and queues', settings: executionSettings },
  {
    title: 'Schedules, models, people, webhooks and events',
    settings: { ...ofAreas, ...pluginRecordSettings },
  },
  { title: 'Tasks that the server does itself', settings: systemTaskSettings },
  {
    title: 'Access',
    settings: { ...identity.settings, ...accessSettings, ...audit.settings },
  },
];

export type Settings = SettingsOf<typeof settingsTable> & {
  readonly pluginSettings: GivenPluginSettings;
};

/** Settings of plug-ins as they were given, by full name such as `plugin.mail.senders`. */
export interface GivenPluginSettings {
  /** Of arguments and file. */
  readonly names: readonly string[];
  /** undefined: not given. */
  value(name: string): unknown;
}
